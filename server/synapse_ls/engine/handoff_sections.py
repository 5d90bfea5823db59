"""This module adds the hand-off: a warning with what the next session has to know, and the
continuation when it begins.

The warning comes while there is room to act on it. ``carried`` is what the session keeps
for its hand-off, as plain values: ``agent``, ``next`` and the lists ``decisions``,
``open``, ``errors`` and ``files``.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.engine.text_identity import hash_text
from synapse_ls.engine.token_estimate import CHARS_PER_TOKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation

MAX_TOKENS: Final = 200  # of the section, its heading included (SYNAPSE Context Brackets)
MAX_LINE_LENGTH: Final = 180  # code points of a line
MAX_FILES: Final = 6
WARNING: Final = (
    "Little of the context window is left: bring the current step to a safe point, record "
    "open work where the next session will find it, and continue in a new session."
)
CONTINUATION_INTRODUCTION: Final = (
    "This goes on with work that was left; what follows was noted then."
)
WARNING_HEADING: Final = "[HANDOFF WARNING]"
CONTINUATION_HEADING: Final = "[CONTINUATION]"


def warning_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns what to do while there is still room to do it, and the state that has to survive."""
    situation = assembly.situation
    if not situation.bracket.handoff:
        return []
    texts = [WARNING, *work_state_lines(situation)]
    section = _handoff_section("HANDOFF", WARNING_HEADING, texts)
    # It is told once, and again when somebody else or something else is at work.
    work = (situation.agent, situation.workflow, situation.phase, situation.task)
    for position, entry in enumerate(section.entries):
        entry.hash = hash_text(f"HANDOFF{position}{work}")
    return [section]


def continuation_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns where a session goes on whose window has begun anew: after a compaction, or after
    another one.

    What was left by one agent is not given to another, and what the task says itself not again.
    """
    situation = assembly.situation
    carried = situation.carried
    whose = carried.get("agent") if carried else ""
    if not situation.resumes or not carried or situation.bracket.handoff:
        return []
    if whose and situation.agent and whose != situation.agent:
        return []
    listed = any(section.id == "TASK" for section in sections)
    lines = work_state_lines(situation, listed=listed)
    section = _handoff_section(
        "CONTINUATION", CONTINUATION_HEADING, [CONTINUATION_INTRODUCTION, *lines]
    )
    return [section] if lines else []


def work_state_lines(situation: Situation, *, listed: bool = False) -> list[str]:
    """Returns the state of the work, a line for each part that there is, the most telling first.

    listed: whether the same block lists the acceptance criteria.
    """
    carried = situation.carried
    facts = situation.task_facts
    criteria = facts.criteria if facts else ()
    still = [] if listed else [text for text, ticked in criteria if not ticked]
    story = (facts.story if facts else "") or situation.story
    parts = (
        f"agent @{agent}" if (agent := situation.agent or _carried_text(carried, "agent")) else "",
        f"workflow {situation.workflow_written}" if situation.workflow else "",
        f"phase {situation.phase}" if situation.phase else "",
        f"task {situation.task}" if situation.task else "",
        f"story {story}" if story else "",
    )
    count = f"{len(still)} of {len(criteria)}"
    files = _carried_texts(carried, "files") or list(situation.files)
    lines = (
        ("At work", ", ".join(filter(None, parts))),
        ("Next", _carried_text(carried, "next")),
        (f"Acceptance criteria still open ({count})", "; ".join(still) if still else ""),
        ("Decided", "; ".join(_carried_texts(carried, "decisions"))),
        ("Open", "; ".join(_carried_texts(carried, "open"))),
        ("Not solved", "; ".join(_carried_texts(carried, "errors"))),
        ("Files", ", ".join(files[-MAX_FILES:])),
        ("A new session is better", _carried_text(carried, "advice")),
    )
    return [f"{name}: {_shorten_line(neutralise_text(said))}" for name, said in lines if said]


def _handoff_section(id: str, heading: str, texts: list[str]) -> Section:
    """Returns the lines that fit under a heading, from the first on."""
    room = MAX_TOKENS * CHARS_PER_TOKEN - len(heading) - 2
    entries: list[Entry] = []
    for position, text in enumerate(texts):
        room -= len(text) + 3  # two spaces before it, and the line break
        if room < 0:
            break
        lifetime = "turn" if id == "CONTINUATION" else "state"
        entries.append(
            Entry(
                text,
                prefix="  ",
                rank="HANDOFF",
                hash=hash_text(f"{id}{text}"),
                weight=(-position,),
                domain="HANDOFF",
                lifetime=lifetime,
            )
        )
    return Section(id, heading, "HANDOFF", entries)


def _shorten_line(text: str) -> str:
    if len(text) <= MAX_LINE_LENGTH:
        return text
    head = text[: MAX_LINE_LENGTH - 1]
    at = head.rfind(" ")
    return f"{(head[:at] if at > MAX_LINE_LENGTH // 2 else head).rstrip(' ,;:')}…"


def _carried_text(carried: Mapping[str, Any], name: str) -> str:
    value = carried.get(name)
    return value if isinstance(value, str) else ""


def _carried_texts(carried: Mapping[str, Any], name: str) -> list[str]:
    value = carried.get(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
