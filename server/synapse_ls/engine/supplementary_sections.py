"""This module adds the supplementary sections of a block, which no layer gives: answers of
commands, debug view (DEVMODE), notice, summary.

Each is a function that gets (plan, assembly, sections so far) and returns sections; a
profile names it as a part.

This module adds the sections about a hand-off: a warning with what the next session has to know,
and the continuation when it begins.

The warning comes while there is room to act on it.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.context_usage import CHARS_PER_TOKEN
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan

DEVMODE_TOKENS = 400
ANSWERS_HEADING = "[SYNAPSE]"
SHOW_INSTRUCTION = "Show this to the user as it is."
MAX_NOTICES = 3  # sources that a block names


def make_line(text: str, rank: str, position: int = 0, lifetime: str = "state") -> Entry:
    """Returns an entry of a supplementary section, for a line that no file says; of one rank the
    last goes first.
    """
    return Entry(
        text,
        prefix="  ",
        rank=rank,
        hash=hash_text(f"{rank}{text}"),
        weight=(-position,),
        domain=rank,
        lifetime=lifetime,
    )


def _make_safe_line(text: str, rank: str, position: int = 0, lifetime: str = "state") -> Entry:
    """Returns an entry for a line with words of the tree or of a person in it."""
    from synapse_ls.engine.text_escaping import neutralise_text

    return make_line(neutralise_text(text), rank, position, lifetime)


def answer_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the supplementary section with what the ``*synapse …`` commands of this prompt say,
    for the user to read.
    """
    situation = assembly.situation
    if not situation.answers:
        return []
    entries = [make_line(SHOW_INSTRUCTION, "SYNAPSE", lifetime="turn")]
    for position, (command, text) in enumerate(situation.answers, 1):
        entry = _make_safe_line(text, "SYNAPSE", position, "turn")
        entry.prefix, entry.group, entry.key = "    ", f"{command}:", command
        # A report may say the same line twice: none of them repeats a rule.
        entry.hash = hash_text(f"SYNAPSE{position} {text}")
        entries.append(entry)
    return [Section("SYNAPSE", ANSWERS_HEADING, "SYNAPSE", entries)]


def devmode_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the supplementary section with the debug view: the state behind the block, outside
    its budget and within a cap of its own.
    """
    s = assembly.situation
    if not s.devmode:
        return []
    from synapse_ls.engine import activation_line  # no prompt needs it without the debug view
    from synapse_ls.engine.memory_hints import count_memories

    usage = s.usage
    texts = [
        f"Profile {plan.profile.name}, bracket [{s.bracket.name}]: {usage.percent_text}% left "
        f"({usage.source_label}), budget {s.bracket.budget} tokens",
        f"Layers awake: {' '.join(sorted(assembly.selection.awake))}",
        f"Agent: {_value_with_source(f'@{s.agent}' if s.agent else '', s.agent_source)}",
        f"Workflow: {_value_with_source(s.workflow_written, s.workflow_source)}"
        + (f", phase {s.phase}" if s.phase else ""),
        f"Task: {_value_with_source(s.task, s.task_source)}",
        f"Squad: {_value_with_source(s.squad, s.squad_source)}",
        f"Prompt: {s.turn}, star-commands: "
        + (" ".join(f"*{c.name}" for c in s.prompt.commands) or "none"),
    ]
    brought_up = activation_line.render_activation(s.activation)
    texts += [brought_up] if brought_up else []
    remembered = count_memories(s.hints, s.memories)
    texts += [remembered] if remembered else []
    odd = s.memories.notes if s.memories else ()
    texts += [f"Note: {note}" for note in (*usage.notes, *s.notes, *odd)]
    texts += [f"Degraded: {layer}: {why}" for layer, why in assembly.degraded_layers.items()]
    for section in sections:
        counts: dict[str, int] = {}
        for entry in section.entries:
            if entry.domain:
                counts[entry.domain] = counts.get(entry.domain, 0) + 1
        if counts:
            listed = ", ".join(f"{name} {count}" for name, count in counts.items())
            texts.append(f"{section.id}: {listed}")
    entries = []
    room = DEVMODE_TOKENS * CHARS_PER_TOKEN - len("[DEVMODE STATUS]") - 2
    for position, text in enumerate(texts):
        entry = _make_safe_line(text, "SUMMARY", position, "turn")
        room -= len(entry.text) + 3
        if room < 0:
            break
        entries.append(entry)
    return [Section("DEVMODE", "[DEVMODE STATUS]", "DEVMODE", entries)]


def _value_with_source(value: str, source: str) -> str:
    return f"{value} ({source})" if value else "none"


def notice_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the supplementary section that says which sources of the tree could not be read, so
    that nobody takes the block for whole, and what there is to say of this prompt.
    """
    texts = list(plan.notices[:MAX_NOTICES])
    if len(plan.notices) > MAX_NOTICES:
        texts.append(f"and {len(plan.notices) - MAX_NOTICES} more: synapse status lists them")
    entries = [_make_safe_line(text, "NOTICE", i) for i, text in enumerate(texts)]
    for position, text in enumerate(assembly.situation.remarks, len(texts)):
        entries.append(_make_safe_line(text, "NOTICE", position, "turn"))
    return [Section("NOTICE", "[NOTICE]", "NOTICE", entries)] if entries else []


def summary_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the supplementary section with a summary, how many rules of each domain the block
    carries: all that apply, since it is the first to go where there is no room for them.
    """
    counts: dict[str, int] = {}
    for section in sections:
        for domain, count in section.domain_counts().items():
            if plan.position_of(domain) is not None:
                counts[domain] = counts.get(domain, 0) + count
    if not counts:
        return []
    parts = [f"{label} {count}" for label, count in counts.items()]
    return [
        Section(
            "SUMMARY",
            "[LOADED DOMAINS SUMMARY]",
            "SUMMARY",
            [make_line(" · ".join(parts), "SUMMARY", lifetime="turn")],
            aside=True,
        )
    ]


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
