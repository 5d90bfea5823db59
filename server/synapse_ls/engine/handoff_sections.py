"""This module adds the sections about a hand-off: a warning with what the next session has to know,
and the continuation when it begins.

The warning comes while there is room to act on it.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.text_identity import hash_text
from synapse_ls.engine.token_estimate import CHARS_PER_TOKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan

MAX_TOKENS: Final = 200  # of the section, its heading included (SYNAPSE Context Brackets)
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
    """Returns the hand-off's warning section: what to do while there is still room to do it, and
    the state that has to survive.
    """
    situation = assembly.situation
    if not situation.bracket.handoff:
        return []
    from synapse_ls.engine.work_lines import work_state_lines

    texts = [WARNING, *work_state_lines(situation)]
    section = _handoff_section("HANDOFF", WARNING_HEADING, texts)
    # It is told once, and again when somebody else or something else is at work.
    work = (situation.agent, situation.workflow, situation.phase, situation.task)
    for position, entry in enumerate(section.entries):
        entry.hash = hash_text(f"HANDOFF{position}{work}")
    return [section]


def continuation_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the hand-off's section on the continuation: where a session goes on whose window has
    begun anew, after a compaction or after another one.

    What was left by one agent is not given to another, and what the task says itself not again.
    """
    situation = assembly.situation
    carried = situation.carried
    whose = carried.get("agent") if carried else ""
    if not situation.resumes or not carried or situation.bracket.handoff:
        return []
    if whose and situation.agent and whose != situation.agent:
        return []
    from synapse_ls.engine.work_lines import noted_lines, work_state_lines

    listed = any(section.id == "TASK" for section in sections)
    work = carried.get("work")
    if isinstance(work, dict):
        lines = noted_lines(plan, situation, work)
    else:
        lines = work_state_lines(situation, listed=listed)
    section = _handoff_section(
        "CONTINUATION", CONTINUATION_HEADING, [CONTINUATION_INTRODUCTION, *lines]
    )
    return [section] if lines else []


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
