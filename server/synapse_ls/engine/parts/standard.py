"""Parts of the ``synapse`` block that no layer gives: answers, debug view, summary.

A part is asked for (plan, assembly, sections so far) and adds sections.
"""

from __future__ import annotations

from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.hints import counted
from synapse_ls.engine.layers.entries import INJECTED
from synapse_ls.engine.section import Entry, Section
from synapse_ls.engine.tokens import CHARS_PER_TOKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly

DEVMODE_TOKENS = 400
ANSWERS_HEADING = "[SYNAPSE]"
TO_SHOW = "Show this to the user as it is."
NOTICES = 3  # sources that a block names


def line(text: str, rank: str, position: int = 0, lifetime: str = "state") -> Entry:
    """A line that no file says; of one rank the last goes first."""
    return Entry(
        text,
        prefix="  ",
        rank=rank,
        hash=text_hash(f"{rank}{text}"),
        weight=(-position,),
        domain=rank,
        lifetime=lifetime,
    )


def answers(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """What the ``*synapse …`` commands of this prompt say, for the user to read."""
    situation = assembly.situation
    if not situation.answers:
        return []
    entries = [line(TO_SHOW, "SYNAPSE", lifetime="turn")]
    for position, (command, text) in enumerate(situation.answers, 1):
        entry = line(neutralise(text), "SYNAPSE", position, "turn")
        entry.prefix, entry.group, entry.key = "    ", f"{command}:", command
        # A report may say the same line twice: none of them repeats a rule.
        entry.hash = text_hash(f"SYNAPSE{position} {text}")
        entries.append(entry)
    return [Section("SYNAPSE", ANSWERS_HEADING, "SYNAPSE", entries)]


def devmode(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """The state behind the block, outside its budget and within a cap of its own."""
    s = assembly.situation
    if not s.devmode:
        return []
    from synapse_ls.engine.parts import activation  # no prompt needs it without the debug view

    usage = s.usage
    texts = [
        f"Profile {plan.profile.name}, bracket [{s.bracket.name}]: {usage.percent}% left "
        f"({usage.told}), budget {s.bracket.budget} tokens",
        f"Layers awake: {' '.join(sorted(assembly.selection.awake))}",
        f"Agent: {_sourced(f'@{s.agent}' if s.agent else '', s.agent_source)}",
        f"Workflow: {_sourced(s.workflow_written, s.workflow_source)}"
        + (f", phase {s.phase}" if s.phase else ""),
        f"Task: {_sourced(s.task, s.task_source)}",
        f"Squad: {_sourced(s.squad, s.squad_source)}",
        f"Prompt: {s.turn}, star-commands: "
        + (" ".join(f"*{c.name}" for c in s.prompt.commands) or "none"),
    ]
    brought_up = activation.told(s.activation)
    texts += [brought_up] if brought_up else []
    remembered = counted(s.hints, s.memories)
    texts += [remembered] if remembered else []
    odd = s.memories.notes if s.memories else ()
    texts += [f"Note: {note}" for note in (*usage.notes, *s.notes, *odd)]
    texts += [f"Degraded: {layer}: {why}" for layer, why in assembly.degraded.items()]
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
        entry = line(neutralise(text), "SUMMARY", position, "turn")
        room -= len(entry.text) + 3
        if room < 0:
            break
        entries.append(entry)
    return [Section("DEVMODE", "[DEVMODE STATUS]", "DEVMODE", entries)]


def _sourced(value: str, source: str) -> str:
    return f"{value} ({source})" if value else "none"


def notice(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Which sources of the tree could not be read, so that nobody takes the block for whole."""
    texts = list(plan.notices[:NOTICES])
    if len(plan.notices) > NOTICES:
        texts.append(f"and {len(plan.notices) - NOTICES} more: synapse status lists them")
    entries = [line(neutralise(text), "NOTICE", i) for i, text in enumerate(texts)]
    return [Section("NOTICE", "[NOTICE]", "NOTICE", entries)] if entries else []


def summary(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """How many of each domain's rules the block carries."""
    taken = assembly.selection.by_layer.values()
    rows = {domain.label: domain.rows for layer in taken for domain, _ in layer}
    counts: dict[str, int] = {}
    for section in sections:
        for entry in section.entries:
            if entry.file and entry.domain in rows:
                counts[entry.domain] = counts.get(entry.domain, 0) + 1
    if not counts:
        return []
    parts = [
        f"{label} {count} of {sum(row.kind in INJECTED for row in rows[label])}"
        for label, count in counts.items()
    ]
    return [
        Section(
            "SUMMARY",
            "[LOADED DOMAINS SUMMARY]",
            "SUMMARY",
            [line(" · ".join(parts), "SUMMARY", lifetime="turn")],
            aside=True,
        )
    ]
