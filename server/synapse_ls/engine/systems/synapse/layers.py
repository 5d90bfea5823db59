"""The layers of the ``synapse`` block (ADR-001), and its memory hints."""

from __future__ import annotations

from synapse_ls.engine.block_sections import (
    INNER,
    OUTER,
    Entry,
    Section,
    boundary_first_entries,
    keep_prohibitions,
    make_rule_entries,
    triggered_domain_entries,
)
from synapse_ls.engine.delivery_difference import PHASE_KEY
from synapse_ls.engine.prompt_parser import is_executed_command
from synapse_ls.engine.situation import Situation, current_phase
from synapse_ls.engine.text_escaping import (
    LATER_LINE,
    name_heading,
    neutralise_markup,
    neutralise_text,
    to_one_line,
)
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.memory_hints import Hint

# What of a task goes first when the budget is short: files, what is ticked, post-conditions, open
# criteria, pre-conditions.
FILES, TICKED, POSTCONDITIONS, OPEN, PRECONDITIONS, HEADER = range(6)
_TICKS = {False: " ", True: "x"}

MEMORY: Final = "MEMORY"
CORRECTION: Final = "CORRECTION"  # what a person has said once is not for nothing


def constitution_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L0, always there and never dropped by a budget: the articles, each under its title."""
    entries: list[Entry] = []
    for domain, _ in selection.domains_of("L0"):
        advisory = {
            rule.qualifier
            for rule in domain.rules
            if rule.kind == "title" and rule.text.upper().endswith("(SHOULD)")
        }
        articles = make_rule_entries(domain, domain.rules, rank="CONSTITUTION")
        for entry, rule in zip(articles, domain.rules, strict=True):
            entry.group = ""
            entry.is_essential = rule.kind == "title" or not rule.qualifier
            if rule.qualifier in advisory:
                entry.rank = "CONSTITUTION_SHOULD"
            if rule.kind == "title":
                entry.prefix = OUTER
            else:
                entry.prefix = f"{INNER if rule.qualifier else OUTER}{rule.number_as_written} "
        entries += articles
    return [Section("CONSTITUTION", "[CONSTITUTION] (NON-NEGOTIABLE)", "L0", entries)]


def global_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L1: GLOBAL with the always-on domains as groups, and the bracket with its own rules
    only.
    """
    bracket = situation.bracket
    text = f"[{bracket.name}] {bracket.label} of the context window left"
    current = [Entry(text, prefix=OUTER, rank="BRACKET", hash=hash_text(text), weight=(2,))]
    standing: list[Entry] = []
    for domain, _ in selection.domains_of("L1"):
        if domain.role == "context":
            rules = [
                rule
                for rule in domain.rules
                if rule.kind != "bracket" or rule.qualifier == bracket.name
            ]
            current += make_rule_entries(domain, rules, rank="BRACKET", weight=(0,))
        elif domain.role == "global":
            standing[:0] = make_rule_entries(domain, domain.rules, rank="GLOBAL", weight=(100,))
        else:
            standing += make_rule_entries(
                domain,
                domain.rules,
                rank="ALWAYS_ON",
                group=f"{domain.label}:",
                weight=(-domain.position,),
            )
    keep_prohibitions(standing, plan.profile.rank)
    if (
        not standing
        and len(current) == 1
        and situation.client in plan.settings.get("readers_of_all", ())
    ):
        current = []  # an agent that has everything from its client is not disturbed
    return [
        Section("GLOBAL", "[GLOBAL]", "L1", standing),
        Section("BRACKET", "[CONTEXT BRACKET]", "L1", current),
    ]


def agent_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L2: the authority boundaries of the active agent, then its rules (ADR-001 E2, E6)."""
    entries = [
        entry
        for domain, _ in selection.domains_of("L2")
        for entry in boundary_first_entries(domain, domain.rules, rank="AGENT")
    ]
    entries.sort(key=lambda entry: entry.rank != "AUTHORITY")
    return [Section("AGENT", name_heading("ACTIVE AGENT: @", situation.agent), "L2", entries)]


def workflow_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L3: the rules of the active workflow for the current phase and those of no phase; all
    of them where no phase fits (ADR-001 E5).
    """
    sections = []
    for domain, _ in selection.domains_of("L3"):
        if not (phase := current_phase(domain, situation)) and situation.phases and domain.phases:
            situation.notes.append(
                f"no phase of {domain.label} is called {situation.phase!r}: "
                "the rules of all its phases stay"
            )
        rules = [rule for rule in domain.rules if not phase or rule.phase in ("", phase)]
        entries = boundary_first_entries(domain, rules, rank="WORKFLOW")
        if phase:
            text = f"PHASE: {neutralise_text(phase)}"
            line = Entry(
                text,
                prefix=OUTER,
                rank="WORKFLOW",
                hash=hash_text(text),
                weight=(2,),
                domain=domain.label,
                key=PHASE_KEY,
            )
            entries.insert(0, line)
        heading = name_heading("ACTIVE WORKFLOW: ", domain.workflow)
        sections.append(Section("WORKFLOW", heading, "L3", entries))
    return sections


def task_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L4: the active task's header, conditions, acceptance criteria and files, those of its
    story first (ADR-001 E4).
    """
    if (facts := situation.task_facts) is None or "L4" not in selection.awake:
        return []
    entries: list[Entry] = []

    def add(text: str, prefix: str, weight: int, *, group: str = "", source: str = "") -> None:
        line = neutralise_text(text)
        entries.append(
            Entry(
                line,
                prefix=prefix,
                rank="TASK",
                hash=hash_text(f"{group}{line}"),
                weight=(weight, -len(entries)),
                group=group,
                domain="TASK",
                file=source,
            )
        )

    add(f"Active Task: {facts.id}", OUTER, HEADER, source=facts.path)
    if facts.story:
        add(f"Story: {facts.story}", OUTER, HEADER, source=facts.story_path)
    # Who does it: whom the task names, else who took it up, else whom its story names.
    id = plan.find_agent(facts.responsible.partition("(")[0]) or situation.task_agent
    agent = f"@{id}" if id else facts.responsible or facts.assigned
    kind = situation.executor or facts.executor
    if executor := f"{agent} ({kind})" if agent and kind else agent or kind:
        add(f"Executor: {executor}", OUTER, HEADER, source=facts.path)
    for text, ticked in facts.preconditions:
        box = f"[{_TICKS[ticked]}] {text}"
        add(box, INNER, PRECONDITIONS, group="Pre-conditions:", source=facts.path)
    for text, ticked in facts.postconditions:
        box, weight = f"[{_TICKS[ticked]}] {text}", TICKED if ticked else POSTCONDITIONS
        add(box, INNER, weight, group="Post-conditions:", source=facts.path)
    main_source = facts.story_path or facts.path
    for source, criteria in ((main_source, facts.criteria), (facts.path, facts.own_criteria)):
        for text, ticked in criteria:
            box, weight = f"- [{_TICKS[ticked]}] {text}", TICKED if ticked else OPEN
            add(box, INNER, weight, group="Acceptance Criteria:", source=source)
    for source, files in ((main_source, facts.files), (facts.path, facts.own_files)):
        for path, note in files:
            text = f"- {path} ({note})" if note else f"- {path}"
            add(text, INNER, FILES, group="File List:", source=source)
    for entry in entries:
        entry.is_asked = situation.task_source == "command"
    return [Section("TASK", "[TASK CONTEXT]", "L4", entries)]


def squad_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L5: a section for each squad that takes part (ADR-001 E3)."""
    sections: dict[int, Section] = {}
    for domain, verdict in selection.domains_of("L5"):
        section = sections.setdefault(
            domain.squad,
            Section("SQUAD", name_heading("SQUAD: ", plan.squads[domain.squad].name), "L5", []),
        )
        entries = triggered_domain_entries(domain, verdict, rank="SQUAD")
        if domain.always_on:
            keep_prohibitions(entries, plan.profile.rank)
        section.entries += entries
    return list(sections.values())


def keyword_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L6: a group for each domain that keywords activated, with the words that matched
    (ADR-001 A4).
    """
    entries = [
        entry
        for domain, verdict in selection.domains_of("L6")
        for entry in triggered_domain_entries(domain, verdict, rank="KEYWORD")
    ]
    return [Section("KEYWORD", "[KEYWORD MATCHES]", "L6", entries)]


def star_command_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L7: the rules of each ``*command`` in this prompt that the tree defines, in the order
    of the prompt; others are left alone (ADR-001 A3).

    ``*synapse …`` is none of them: it is executed, not shown (`answer_section`).
    """
    entries: list[Entry] = []
    for domain, _ in selection.domains_of("L7"):
        for order, command in enumerate(situation.prompt.commands):
            if command.name not in plan.commands or is_executed_command(command.name):
                continue
            entries += make_rule_entries(
                domain,
                plan.command_rules(command.name),
                rank="STAR",
                group=f"[*{command.name}] COMMAND:",
                weight=(-order,),
            )
    for entry in entries:
        entry.lifetime = "turn"
    return [Section("STAR", "[STAR-COMMANDS] (for this prompt)", "L7", entries)]


def memory_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the memory hints of the situation, best first; the last is dropped first."""
    entries = [hint_entry(hint, position) for position, hint in enumerate(assembly.situation.hints)]
    return [Section(MEMORY, "[MEMORY HINTS]", MEMORY, entries)] if entries else []


def hint_entry(hint: Hint, position: int) -> Entry:
    """Return a memory hint as an entry: sector, confidence, and the text at the level of the
    bracket, which never passes for a rule, a heading or a tag.
    """
    from synapse_ls.formats.memory_file import CORRECTION_TYPE

    badge, rank = ("correction, ", CORRECTION) if hint.type == CORRECTION_TYPE else ("", MEMORY)
    return Entry(
        f"[{badge}{hint.sector}, {hint.percent}%] {neutralise_lines(hint.shown_text)}",
        prefix="  ",
        rank=rank,
        hash=hint.identity,
        weight=(-position,),
        domain=MEMORY,
        key=hint.id,
        file=hint.path,
        line=hint.line,
        lifetime="recall",
    )


def neutralise_lines(text: str, joint: str = LATER_LINE) -> str:
    """Return a memory of several lines as it may stand in the block."""
    return neutralise_markup(joint.join(filter(None, map(to_one_line, text.split("\n")))))
