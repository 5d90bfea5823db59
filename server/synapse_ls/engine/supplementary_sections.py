"""The sections of a block that no layer gives: answers, hand-off, debug view, notice, summary.

A profile names these functions as its parts; each gets the sections before it.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import OUTER, Entry, Section
from synapse_ls.engine.context_usage import CHARS_PER_TOKEN
from synapse_ls.engine.delivery_difference import find_holding_entries
from synapse_ls.engine.memory_hints import count_memories
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Bracket, Plan, Profile
    from synapse_ls.engine.situation import Situation
    from synapse_ls.formats.session_file import ActiveAgent

DEVMODE_TOKENS = 400
DEVMODE_HEADING = "[DEVMODE STATUS]"
ANSWERS_HEADING = "[SYNAPSE]"
SHOW_INSTRUCTION = "Show this to the user as it is."
MAX_NOTICES = 3  # sources that a block names

HANDOFF_TOKENS = 200  # of the section, its heading included (SYNAPSE Context Brackets)
WARNING = (
    "Little of the context window is left: bring the current step to a safe point, record "
    "open work where the next session will find it, and continue in a new session."
)
CONTINUATION_INTRODUCTION = "This goes on with work that was left; what follows was noted then."
WARNING_HEADING = "[HANDOFF WARNING]"
CONTINUATION_HEADING = "[CONTINUATION]"


def make_line(
    text: str,
    rank: str,
    position: int = 0,
    lifetime: str = "state",
    *,
    prefix: str = OUTER,
    file: str = "",
) -> Entry:
    """Return an entry for a line that no file says; of one rank the last goes first."""
    return Entry(
        text,
        prefix=prefix,
        rank=rank,
        hash=hash_text(f"{rank}{text}"),
        weight=(-position,),
        domain=rank,
        file=file,
        lifetime=lifetime,
    )


def answer_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return what the ``*synapse …`` commands of this prompt say, for the user to read."""
    if not (answers := assembly.situation.answers):
        return []
    entries = [make_line(SHOW_INSTRUCTION, "SYNAPSE", lifetime="turn")]
    for position, (command, text) in enumerate(answers, 1):
        entry = make_line(neutralise_text(text), "SYNAPSE", position, "turn")
        entry.prefix, entry.group, entry.key = "    ", f"{command}:", command
        # A report may say the same line twice: none of them repeats a rule.
        entry.hash = hash_text(f"SYNAPSE{position} {text}")
        entries.append(entry)
    return [Section("SYNAPSE", ANSWERS_HEADING, "SYNAPSE", entries)]


def devmode_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the debug view: the state behind the block, outside its budget and within a cap of its
    own.
    """
    s = assembly.situation
    if not s.devmode:
        return []
    usage = s.usage
    texts = [
        f"Profile {neutralise_text(plan.profile.name)}, bracket [{s.bracket.name}]: "
        f"{usage.percent_text}% left ({usage.source_label}), budget {s.bracket.budget} tokens",
        f"Active layers: {' '.join(sorted(assembly.selection.awake))}",
        f"Agent: {_value_with_source(f'@{s.agent}' if s.agent else '', s.agent_source)}",
        f"Workflow: {_value_with_source(s.workflow_written, s.workflow_source)}"
        + (f", phase {s.phase}" if s.phase else ""),
        f"Task: {_value_with_source(s.task, s.task_source)}",
        f"Squad: {_value_with_source(s.squad, s.squad_source)}",
        f"Prompt: {s.turn}, star-commands: "
        + (" ".join(f"*{c.name}" for c in s.prompt.commands) or "none"),
    ]
    texts += filter(None, (render_activation(s.activation), count_memories(s.hints, s.memories)))
    memory_notes = s.memories.notes if s.memories else ()
    texts += [f"Note: {note}" for note in (*usage.notes, *s.notes, *memory_notes)]
    texts += [f"Degraded: {layer}: {why}" for layer, why in assembly.degraded_layers.items()]
    for section in sections:
        counts: dict[str, int] = {}
        for entry in section.entries:
            if entry.domain and entry.file:
                counts[entry.domain] = counts.get(entry.domain, 0) + 1
        if counts:
            domains = ", ".join(f"{name} {count}" for name, count in counts.items())
            texts.append(f"{section.id}: {domains}")
    lines = [
        make_line(neutralise_text(text), "SUMMARY", position, "turn")
        for position, text in enumerate(texts)
    ]
    entries = _fitting_entries(lines, DEVMODE_TOKENS, DEVMODE_HEADING)
    return [Section("DEVMODE", DEVMODE_HEADING, "DEVMODE", entries)]


def _value_with_source(value: str, source: str) -> str:
    return f"{value} ({source})" if value else "none"


def render_activation(agent: ActiveAgent | None) -> str:
    """Return how the agent at work was brought up, as a line of the debug view; "" where it was not
    (activation, ADR-001 C7).

    The figures are those that the session has kept, so that the line stays the same until the next
    time.
    """
    if agent is None or not agent.loaders:
        return ""
    parts = []
    for name, loader in agent.loaders.items():
        if isinstance(loader, dict):
            milliseconds, state = loader.get("milliseconds"), loader.get("state")
            time = f" {milliseconds:.0f} ms" if isinstance(milliseconds, int | float) else ""
            parts.append(f"{name}{time}" if state == "loaded" else f"{name} {state}{time}")
    return f"Activation: {agent.quality} ({', '.join(parts)})"


def notice_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return which sources of the tree could not be read, so that nobody takes the block for whole,
    and what there is to say of this prompt.
    """
    texts = list(plan.notices[:MAX_NOTICES])
    if len(plan.notices) > MAX_NOTICES:
        texts.append(f"and {len(plan.notices) - MAX_NOTICES} more: synapse status lists them")
    entries = [
        make_line(neutralise_text(text), "NOTICE", position, lifetime)
        for position, (text, lifetime) in enumerate(
            (
                *((text, "state") for text in texts),
                *((remark, "turn") for remark in assembly.situation.remarks),
            )
        )
    ]
    situation, selection = assembly.situation, assembly.selection
    if selection.inactive or (situation.task_source == "command" and "L4" not in selection.awake):
        entries += inactive_trigger_entries(plan, assembly)
    return [Section("NOTICE", "[NOTICE]", "NOTICE", entries)] if entries else []


def summary_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return how many rules of each domain the block carries: all that apply, since it is the first
    to go where there is no room for them.
    """
    counts: dict[str, int] = {}
    for section in sections:
        for entry in section.entries:
            if entry.file and plan.labels.get(entry.domain) is not None:
                counts[entry.domain] = counts.get(entry.domain, 0) + 1
    if not counts:
        return []
    text = " · ".join(f"{label} {count}" for label, count in counts.items())
    line = make_line(text, "SUMMARY", lifetime="turn")
    return [Section("SUMMARY", "[LOADED DOMAINS SUMMARY]", "SUMMARY", [line], aside=True)]


def warning_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the hand-off's warning while there is room to act on it, and the state that has to
    survive.
    """
    situation = assembly.situation
    if not situation.bracket.handoff:
        return []
    from synapse_ls.engine.continuation_lines import work_state_lines

    texts = [WARNING, *work_state_lines(situation)]
    section = _handoff_section("HANDOFF", WARNING_HEADING, texts, "state")
    section.entries[:] = [join_handoff(section.entries, situation)]
    return [section]


def join_handoff(entries: list[Entry], situation: Situation) -> Entry:
    """Return the lines of a hand-off's warning as one entry: it is injected once, and again when
    somebody else or something else is at work.
    """
    first = entries[0]
    work = (situation.agent, situation.workflow, situation.phase, situation.task)
    first.hash = hash_text(f"{first.rank}{work}")
    first.text = f"\n{first.prefix}".join(entry.text for entry in entries)
    return first


def continuation_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return where a session goes on whose window has begun anew, after a compaction or after
    another one.

    What was left by one agent is not given to another, and what the task says itself not again.
    """
    situation = assembly.situation
    notes = situation.carried
    if not situation.resumes or not notes or situation.bracket.handoff:
        return []
    if notes.get("agent") and situation.agent and notes["agent"] != situation.agent:
        return []
    from synapse_ls.engine.continuation_lines import noted_lines, work_state_lines

    work = notes.get("work")
    if isinstance(work, dict):
        lines = noted_lines(plan, situation, work)
    else:
        has_task = any(section.id == "TASK" for section in sections)
        lines = work_state_lines(situation, listed=has_task)
    if not lines:
        return []
    texts = [CONTINUATION_INTRODUCTION, *lines]
    return [_handoff_section("CONTINUATION", CONTINUATION_HEADING, texts, "turn")]


def _handoff_section(id: str, heading: str, texts: list[str], lifetime: str) -> Section:
    entries = [make_line(text, "HANDOFF", at, lifetime) for at, text in enumerate(texts)]
    return Section(id, heading, "HANDOFF", _fitting_entries(entries, HANDOFF_TOKENS, heading))


def _fitting_entries(entries: list[Entry], tokens: int, heading: str) -> list[Entry]:
    """Return the entries that fit under a heading, from the first on."""
    room = tokens * CHARS_PER_TOKEN - len(heading) - 2
    for position, entry in enumerate(entries):
        room -= len(entry.text) + 3  # two spaces before it, and the line break
        if room < 0:
            return entries[:position]
    return entries


_NAMED = 3  # triggers that a line names
_ROOM = 60  # code points of what the prompt says


def inactive_trigger_entries(plan: Plan, assembly: Assembly) -> list[Entry]:
    """Return a line for each inactive layer that the prompt asks for something, unless the window
    has one on all of it.
    """
    stands = {identity for records in assembly.standing.values() for identity in records}
    # What came in another bracket is in context still.
    in_context = {entry.domain for entry in find_holding_entries(assembly).values()}
    names: dict[str, dict[str, str]] = {}  # layer -> identity -> what was asked for
    for layer, name in _inactive_triggers(plan, assembly, in_context):
        identity = hash_text(f"INACTIVE{layer}{name.partition(' (')[0]}")
        if identity not in stands:
            names.setdefault(layer, {})[identity] = name
    return [
        _line_entry(plan, assembly, layer, triggers) for layer, triggers in sorted(names.items())
    ]


def _inactive_triggers(
    plan: Plan, assembly: Assembly, in_context: set[str]
) -> list[tuple[str, str]]:
    """Return (layer, name) of what the prompt asks for in vain; ``in_context``: domains of which
    rules are in the window.
    """
    situation = assembly.situation
    triggers = []
    if situation.task_source == "command" and "L4" not in assembly.selection.awake:
        facts = situation.task_facts
        story = (facts.story if facts else "") or situation.story
        task = neutralise_text(situation.task[:_ROOM])
        of_story = f" of story {neutralise_text(story[:_ROOM])}" if story else ""
        triggers.append(("L4", f"the task {task}{of_story}"))
    for domain, verdict in assembly.selection.inactive:
        layer, code, *words = verdict.detail
        if domain.label in in_context:
            continue
        if code == "on-command":
            commands = (c.name for c in situation.prompt.commands if c.name in plan.commands)
            triggers += [(layer, f"*{name}") for name in commands]
        elif code == "workflow":
            triggers.append((layer, f"the workflow {neutralise_text(words[0])}"))
        elif code == "agent":
            triggers.append((layer, f"@{words[0]}"))
        else:
            words_of_prompt = neutralise_text(words[0][:_ROOM])
            triggers.append((layer, f'{domain.label} ("{words_of_prompt}")'))
    return triggers


def _waking_setting(profile: Profile, layer: str, bracket: Bracket) -> str:
    """Return what makes a layer active in ``bracket``; "" where nothing does."""
    if profile.name == "synapse":
        return "`synapse profile use synapse-live`"
    from synapse_ls.engine.profiles import PROFILE_TABLES

    if profile.name in PROFILE_TABLES:
        return ""
    table = f"[profiles.{profile.name}.brackets.{bracket.name}]"
    return f'"{layer}" in the layers of {table} of .synapse/config.toml'


def _line_entry(plan: Plan, assembly: Assembly, layer: str, triggers: dict[str, str]) -> Entry:
    """Return the line on what a layer does not give; identity -> name of each stands in its
    place.
    """
    profile, situation = plan.profile, assembly.situation
    bracket = situation.bracket
    names = list(triggers.values())
    if len(names) > _NAMED:
        names[_NAMED:] = [f"{len(names) - _NAMED} more"]
    text = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    if layer in bracket.layers:
        why = f"for an executor of type {situation.executor}"
    else:
        waking = profile.waking_bracket(layer, bracket.name)
        until = f" until {waking.name} ({waking.label} of the window left)" if waking else ""
        why = f"in {bracket.name}{until}"
        if setting := _waking_setting(profile, layer, bracket):
            why += f"; {setting} makes it active"
    text = f"{text}: not in context, since {layer} is inactive {why}"
    members = tuple(
        Entry(name, prefix="", rank="NOTICE", hash=identity, domain="NOTICE", key=name)
        for identity, name in triggers.items()
    )
    return Entry(
        text, prefix=OUTER, rank="NOTICE", hash=hash_text(text), weight=(-99,), domain="NOTICE",
        members=members,
    )  # fmt: skip
