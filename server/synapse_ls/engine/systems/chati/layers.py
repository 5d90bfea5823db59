"""The layers of Chati.dev's block, and its other XML elements (Chati Context Engine).

Beside the layers: memories, the order to hand over, answers, continuation, debug view, notice,
withdrawals.
"""

from collections.abc import Callable, Iterable

from synapse_ls.engine import context_usage, continuation_lines, supplementary_sections
from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_sections import INNER, OUTER, Entry, Section, make_rule_entry
from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.engine.domain_selection import Selection, Verdict
from synapse_ls.engine.memory_hints import Hint
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.text_escaping import (
    ELLIPSIS,
    escape_attribute,
    escape_quotes,
    escape_text,
    strip_tags,
)
from synapse_ls.formats.rule import Rule
from synapse_ls.text.digest import hash_text
from synapse_ls.text.grouping import group_pairs

SectionWriter = Callable[[Plan, Assembly, list[Section]], list[Section]]

# Elements in the order of the block; what is said of the agent itself is kept the longest.
AGENT_ELEMENTS = ("inputs", "outputs", "criteria", "exclusive", "allowed", "blocked", "rule")
AGENT_RANKS = {
    **dict.fromkeys(("exclusive", "allowed", "blocked"), "AUTHORITY"),
    "rule": "AGENT_RULE",
}


def constitution_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L0, never dropped by a budget: a line for each line of the summary, or for each
    article.
    """
    entries = [
        make_rule_entry(domain, rule, rank="CONSTITUTION", prefix=INNER, weight=(-position,))
        for domain, _ in selection.domains_of("L0")
        for position, rule in enumerate(domain.rules)
        if rule.kind == "rule"
    ]
    return [_element_section("CONSTITUTION", "L0", "constitution", "", entries)]


def mode_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L1: ``<mode>``, which governs, and ``<global>`` where there is more to say."""
    element = f"<mode>{plan.extra['mode']}</mode>"
    mode = Entry(element, prefix=OUTER, rank="MODE", hash=hash_text(element), domain="MODE")
    standing: list[Entry] = []
    for domain, _ in selection.domains_of("L1"):
        for position, rule in enumerate(domain.rules):
            if rule.kind == "rule" and rule.group == "mode":
                mode = make_rule_entry(domain, rule, rank="MODE", text=element, prefix=OUTER)
            elif rule.kind == "rule":
                weight = (rule.index or 0, -domain.position, -position)
                standing.append(_element_entry(domain, rule, "GLOBAL", weight))
    return [
        Section("MODE", "", "L1", [mode]),
        _element_section("GLOBAL", "L1", "global", "", standing),
    ]


def agent_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L2: what the agent is there for, what it may do, how it works."""
    rules = [
        (domain, rule)
        for domain, _ in selection.domains_of("L2")
        for rule in domain.rules
        if rule.kind == "rule"
    ]
    mission = next((pair for pair in rules if pair[1].group == "mission"), None)
    rules = [pair for pair in rules if pair[1].group in AGENT_ELEMENTS]
    rules.sort(key=lambda pair: AGENT_ELEMENTS.index(pair[1].group))
    entries = [
        _element_entry(
            domain, rule, AGENT_RANKS.get(rule.group, "AGENT"), (rule.index or 0, -position)
        )
        for position, (domain, rule) in enumerate(rules)
    ]
    attributes = f' name="{escape_attribute(situation.agent)}"'
    if mission:
        attributes += f' mission="{escape_quotes(mission[1].text)}"'
    if entries:
        section = _element_section("AGENT", "L2", "agent", attributes, entries)
        section.lead = make_rule_entry(*mission, rank="AGENT", prefix=INNER) if mission else None
        return [section]
    if mission is None:
        return []
    element = f"<agent{attributes}></agent>"
    alone = make_rule_entry(*mission, rank="AGENT", text=element, prefix=OUTER)
    return [Section("AGENT", "", "L2", [alone])]


def pipeline_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L3: where the project stands, the rules of its workflow, the backlog."""
    pipeline: list[Entry] = []
    backlog: list[Entry] = []
    standing: list[Entry] = []
    for domain, _ in selection.domains_of("L3"):
        for position, rule in enumerate(domain.rules):
            weight = (rule.index or 0, -position)
            if rule.group == "pipeline":
                pipeline.append(make_rule_entry(domain, rule, rank="PIPELINE", prefix=INNER))
            elif rule.group == "item":
                backlog.append(_element_entry(domain, rule, "BACKLOG", weight))
            elif rule.kind == "rule":
                standing.append(_element_entry(domain, rule, "WORKFLOW", weight))
    name = f' name="{escape_attribute(situation.workflow_written)}"'
    return [
        _element_section("PIPELINE", "L3", "pipeline", "", pipeline),
        _element_section("WORKFLOW", "L3", "workflow", name, standing),
        _element_section("BACKLOG", "L3", "backlog", "", backlog),
    ]


def task_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L4: the task at hand, and what the agent before has left."""
    sections = [_task_section(situation)] if escape_text(situation.task) else []
    for domain, _ in selection.domains_of("L4"):
        entries = [
            make_rule_entry(domain, rule, rank="HANDOFF", prefix=INNER, weight=(-position,))
            for position, rule in enumerate(domain.rules)
        ]
        attributes = f" {plan.extra['handoff']}"
        sections.append(_element_section("HANDOFF", "L4", "handoff", attributes, entries))
    return sections


def _task_section(situation: Situation) -> Section:
    """Return the task on one line; with its id and its criteria where a file says them."""
    facts = situation.task_facts
    name = escape_text(situation.task)
    if facts is None or not facts.path or not (facts.title or facts.criteria):
        element = f"<task>{name}</task>"
        alone = Entry(element, prefix=OUTER, rank="TASK", hash=hash_text(element), domain="TASK")
        return Section("TASK", "", "L4", [alone])
    lines = [facts.title] if facts.title else []
    lines += [f"- [{'x' if ticked else ' '}] {text}" for text, ticked in facts.criteria]
    entries = [
        supplementary_sections.make_line(text, "TASK", at, prefix=INNER, file=facts.path)
        for at, text in enumerate(map(escape_text, lines))
    ]
    return _element_section("TASK", "L4", "task", f' id="{escape_quotes(name)}"', entries)


def _element_section(
    id: str, layer: str, tag: str, attributes: str, entries: list[Entry]
) -> Section:
    """Return a section as an element of XML; ``attributes`` begin with a space."""
    return Section(id, f"{OUTER}<{tag}{attributes}>", layer, entries, f"{OUTER}</{tag}>")


def _element_entry(domain: PlanDomain, rule: Rule, rank: str, weight: tuple[int, ...]) -> Entry:
    """Return a rule as an element: its group is the tag, its qualifier the attributes."""
    attributes = f" {rule.qualifier}" if rule.qualifier else ""
    element = f"<{rule.group}{attributes}>{rule.text}</{rule.group}>"
    return make_rule_entry(domain, rule, rank=rank, text=element, prefix=INNER, weight=weight)


# Whether the last hand-off takes part: while an agent or a task is at work


def candidate_positions(plan: Plan, situation: Situation, selection: Selection) -> Iterable[int]:
    """Return the position of the last hand-off in a plan, if there is one."""
    position = plan.labels.get("HANDOFF")
    return () if position is None else (position,)


def decide_domain(
    plan: Plan, domain: PlanDomain, situation: Situation, selection: Selection
) -> Verdict:
    """Decide whether the last hand-off takes part."""
    if "L4" not in selection.awake:
        return Verdict("", "asleep", ("L4", "handoff"))
    if not (situation.task or situation.agent):
        return Verdict("", "nobody")
    return Verdict("L4", "handoff")


MEMORY = "MEMORY"
MEMORY_PLACE = "  <memory>"  # where memories stand in a window, whatever bracket told them
TIERS = ("hot", "warm", "cold")
# How much the engine tells of memories -> what Chati.dev calls that.
LEVELS = {"metadata": "metadata", "summary": "chunks", "full": "full"}

# Who hands over where no agent is active.
DEFAULT_AGENT = "orchestrator"
ADVICE = (
    "The context window is nearly full: finish the current step, then hand over to a new session."
)
ORDER = "Hand over now: begin nothing new."
HOW = "Write the hand-off to {0}, bring {1} up to date, and continue in a new session."


# Memories: as much of them as the bracket asks for, in tokens beside the budget of the layers


def memory_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the ``<memory>`` element, best memories first; what does not fit into its tokens is
    left out (Chati Context Engine, "Integration with Memory Layer").

    What stands in the window takes no room, and is not named again with what is new.
    """
    situation = assembly.situation
    bracket = situation.bracket
    level, tokens = bracket.memory, bracket.memory_tokens
    outcome = situation.memories
    if outcome and outcome.level != "none":  # by a setting, or because a window has just begun
        level, tokens = LEVELS[outcome.level], outcome.tokens
    standing = assembly.standing.get(MEMORY_PLACE, {})
    new = [hint for hint in situation.hints if hint.identity not in standing]
    entries = [
        _hint_entry(
            hint, _name_text(hint) if LEVELS.get(hint.level) == "metadata" else _shown_text(hint)
        )
        for hint in situation.hints
        if hint.identity in standing
    ]
    room = tokens * context_usage.CHARS_PER_TOKEN
    if level == "metadata":
        entries += _tier_entries(new, room)
    elif level != "none":
        # Each memory as it is shown at its level, whole or not at all.
        weight = 0
        for hint in new:
            text = _shown_text(hint)
            length = len(text) + len(INNER) + 1
            if text and length <= room:
                room -= length
                entries.append(_hint_entry(hint, text, weight))
                weight -= 1
    if not entries:
        return []
    heading = f'{OUTER}<memory bracket="{escape_attribute(bracket.name)}" level="{level}">'
    return [Section(MEMORY, heading, MEMORY, entries, f"{OUTER}</memory>", place=MEMORY_PLACE)]


def memory_length(hint: Hint, before: Iterable[Hint]) -> int:
    """Return by how many characters ``hint`` makes the ``<memory>`` element longer that tells
    ``before``.
    """
    if LEVELS.get(hint.level) != "metadata":
        return len(_shown_text(hint)) + len(INNER) + 1
    tier = _tier_of(hint)
    names = [
        _name_text(other)
        for other in before
        if (other.level, _tier_of(other)) == (hint.level, tier)
    ]
    length = len(_tier_line(tier, [*names, _name_text(hint)]))
    return length - len(_tier_line(tier, names)) if names else length + len(INNER) + 1


def _tier_entries(hints: Iterable[Hint], room: int) -> list[Entry]:
    """Return a line for each tier that names its memories."""
    by_tier = group_pairs((_tier_of(hint), _hint_entry(hint, _name_text(hint))) for hint in hints)
    entries: list[Entry] = []
    for tier in TIERS:
        members = by_tier.get(tier, [])
        line = ""
        while members:
            line = _tier_line(tier, [member.text for member in members])
            if len(line) + len(INNER) <= room:
                break
            members.pop()
        if not members:
            continue
        room -= len(line) + len(INNER) + 1
        entries.append(
            Entry(
                line,
                prefix=INNER,
                rank=MEMORY,
                hash=hash_text(line),
                weight=(-len(entries),),
                domain=MEMORY,
                lifetime="recall",
                members=tuple(members),
            )
        )
    return entries


def _tier_line(tier: str, names: list[str]) -> str:
    noun = "memory" if len(names) == 1 else "memories"
    return f"[{len(names)} {tier.upper()} {noun} available: {', '.join(names)}]"


def _tier_of(hint: Hint) -> str:
    return hint.tier if hint.tier in TIERS else TIERS[-1]


def _hint_entry(hint: Hint, text: str, weight: int = 0) -> Entry:
    return Entry(
        text,
        prefix=INNER,
        rank=MEMORY,
        hash=hint.identity,
        weight=(weight,),
        domain=MEMORY,
        key=escape_text(hint.id),
        file=hint.path,
        line=hint.line,
        lifetime="recall",
    )


def _name_text(hint: Hint) -> str:
    """Return the id, or the title where the id is a mere number (``mem-2026-02-12-001``)."""
    is_number = hint.id.removeprefix("mem-").replace("-", "").isdecimal()
    return escape_text(hint.title if is_number and hint.title else hint.id)


def _shown_text(hint: Hint) -> str:
    return f"\n{INNER}".join(filter(None, map(escape_text, hint.shown_text.split("\n"))))


# The order to hand over


def handoff_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return what an agent is asked to do for a hand-off, and the state that has to survive: advice
    in CRITICAL, mandatory below 15 % of the window (Chati Context Engine, Article XII).
    """
    situation = assembly.situation
    is_required = situation.usage.remaining < plan.profile.handoff_below
    if not (is_required or situation.bracket.handoff):
        return []
    agent = situation.agent or DEFAULT_AGENT
    paths = plan.extra["paths"]
    texts = [
        ORDER if is_required else ADVICE,
        HOW.format(paths["handoff"].replace("{agent}", agent), paths["session"]),
        f"Mode: {plan.extra['mode']}",
        *continuation_lines.work_state_lines(situation),
        *plan.extra["progress"],
    ]
    rank = "REQUIRED" if is_required else "HANDOFF"
    lines = [
        supplementary_sections.make_line(text, rank, prefix=INNER)
        for text in map(escape_text, texts)
    ]
    order = supplementary_sections.join_handoff(lines, situation)
    order.domain = "HANDOFF_DUE"
    required = ' required="true"' if is_required else ""
    heading = f'{OUTER}<handoff from="{escape_attribute(agent)}"{required}>'
    return [Section("REQUIRED", heading, "HANDOFF", [order], f"{OUTER}</handoff>")]


# What every block has


def _as_element(write_sections: SectionWriter, tag: str) -> SectionWriter:
    """Return a part of a block that has the sections of another one as elements: their entries are
    taken over and their texts made harmless.
    """

    def write_elements(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
        elements = []
        for section in write_sections(plan, assembly, sections):
            for entry in section.entries:
                entry.text = f"\n{INNER}".join(map(escape_text, entry.text.split("\n")))
                entry.group = escape_text(entry.group)
                entry.prefix = INNER
            elements.append(_element_section(section.id, section.layer, tag, "", section.entries))
        return elements

    return write_elements


answer_section = _as_element(supplementary_sections.answer_section, "synapse")
continuation_section = _as_element(supplementary_sections.continuation_section, "continuation")
devmode_section = _as_element(supplementary_sections.devmode_section, "devmode")
notice_section = _as_element(supplementary_sections.notice_section, "notice")


def withdrawn_section(section: Section) -> Section:
    """Return what no longer holds of what was given before: named by the element, quoted without
    its tags.
    """
    for entry in section.entries:
        line = entry.text.removeprefix(entry.key.partition("]")[0].lstrip("["))
        first, *quotes = line.split("“")
        text = first + "".join(f"{_quoted_tag(quote)}“{quote}" for quote in quotes)
        # What its heading opens, for people: `<agent name="dev" …>` is "agent dev".
        tag, _, attributes = entry.key.strip().removeprefix("<").removesuffix(">").partition(" ")
        name = (
            attributes.removeprefix('name="').partition('"')[0] if "name=" in attributes[:5] else ""
        )
        entry.text = " ".join(filter(None, (tag, name))) + strip_tags(text)
        entry.prefix = INNER
    return _element_section(section.id, section.layer, "revoked", "", section.entries)


def _quoted_tag(quote: str) -> str:
    """Return what the element that is quoted is called, with its id: "rule br-01 ", "" for none."""
    if not quote.startswith("<"):
        return ""
    opened = quote[1:].partition(">")[0]
    tag = opened.partition(" ")[0].rstrip(f"/{ELLIPSIS}”")
    identity, closed, _ = opened.partition(' id="')[2].partition('"')
    return f"{tag} {identity} " if closed else f"{tag} "
