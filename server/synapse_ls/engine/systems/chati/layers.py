"""The layers of Chati.dev's block, and whether the last hand-off is in it (Chati Context
Engine).
"""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.engine.block_sections import INNER, OUTER, Entry, Section, make_rule_entry
from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.engine.domain_selection import Selection, Verdict
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.text_escaping import escape_attribute, escape_quotes, escape_text
from synapse_ls.formats.rule import Rule
from synapse_ls.text.digest import hash_text

AGENT_ELEMENTS = ("inputs", "outputs", "criteria", "exclusive", "allowed", "blocked", "rule")
"""Elements in the order of the block; what is said of the agent itself is kept the longest."""
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
        Entry(
            text,
            prefix=INNER,
            rank="TASK",
            hash=hash_text(f"TASK{text}"),
            weight=(-position,),
            domain="TASK",
            file=facts.path,
        )
        for position, text in enumerate(map(escape_text, lines))
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
