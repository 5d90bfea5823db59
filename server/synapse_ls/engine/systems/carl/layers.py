"""The sections of CARL's block: layers of rules, and what is beside them.

Omitted from CARL's own text: lines of ``=``, commands among the domains to load, a tool that does
not exist (the file to read is named instead), and a percentage, which would be stale one prompt
later.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_sections import (
    INNER,
    OUTER,
    Entry,
    Section,
    keep_prohibitions,
    make_rule_entries,
)
from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.engine.domain_selection import Selection, Verdict, find_exclusion
from synapse_ls.engine.prompt_parser import is_executed_command
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.supplementary_sections import make_line
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.text.digest import hash_text

WARNING = (
    "⚠️ CONTEXT CRITICAL: {0} remaining ⚠️",
    "Recommend: compact session OR spawn fresh agent for remaining work",
)
# A bracket without rules, and the one whose rules (and switch) count in it.
RULE_LENDERS = {"CRITICAL": "DEPLETED"}

COMMANDS_HEADING = (
    "🎯 ACTIVE COMMANDS 🎯\nEXPLICIT COMMAND INVOCATION - EXECUTE THESE INSTRUCTIONS:"
)
DEBUG_ON = (
    "Domains Loaded: the domains of LOADED DOMAINS, with the reason for each",
    "Rules Applied: the rules that shaped this response, as DOMAIN n",
    "Tools Used: the tools that were called, and what for",
    "Governance: which rule decided where rules disagreed",
    "Gaps/Issues: what no rule covers, and rules that could not be kept",
)
DEBUG_OFF = "Append no CARL DEVMODE debug section to responses."


# Layers


def global_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L1: the bracket with its rules, then the domains that are always on, in manifest
    order.
    """
    sections: list[Section] = []
    bracket_rules: list[Entry] | None = None
    lender = RULE_LENDERS.get(situation.bracket.name, situation.bracket.name)
    for domain, _ in selection.domains_of("L1"):
        if domain.role != "context":
            rank = "GLOBAL" if domain.role == "global" else "ALWAYS_ON"
            sections.append(_rule_section(domain, domain.rules, "STANDING", "L1", rank=rank))
            keep_prohibitions(sections[-1].entries, plan.profile.rank)
            continue
        if bracket_rules is None:
            bracket_rules = []
            sections += _bracket_sections(situation, bracket_rules)
        own = [rule for rule in domain.rules if rule.kind == "bracket" and rule.qualifier == lender]
        bracket_rules += make_rule_entries(domain, own, rank="BRACKET", weight=(0,))
        general = [rule for rule in domain.rules if rule.kind != "bracket"]
        if general and domain.always_on:
            sections.append(_rule_section(domain, general, "STANDING", "L1", rank="ALWAYS_ON"))
            keep_prohibitions(sections[-1].entries, plan.profile.rank)
    return sections


def _bracket_sections(situation: Situation, rules: list[Entry]) -> list[Section]:
    """Return which bracket it is, with CARL's warning where little is left, and its rules."""
    bracket = situation.bracket

    def line_entries(texts: Iterable[str]) -> list[Entry]:
        return [
            Entry(text, prefix="", rank="BRACKET", hash=hash_text(text), weight=(2, -position))
            for position, text in enumerate(texts)
        ]

    warning = WARNING if bracket.name == "CRITICAL" else ()
    which = f"CONTEXT BRACKET: [{bracket.name}] ({bracket.label} remaining)"
    return [
        Section("WARNING", "", "L1", line_entries(line.format(bracket.label) for line in warning)),
        Section("BRACKET", "", "L1", line_entries((which,))),
        Section("BRACKET_RULES", f"[{bracket.name}] CONTEXT RULES:", "L1", rules),
    ]


def keyword_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L6: a section for each domain that keywords bring in; of too many, the one with the
    fewest and shortest matches goes first.
    """
    sections = []
    for domain, verdict in selection.domains_of("L6"):
        words = verdict.detail if verdict.code in ("recall", "recalled") else ()
        sections.append(
            _rule_section(
                domain,
                domain.rules,
                "KEYWORD",
                "L6",
                rank="KEYWORD",
                weight=(len(words), max(map(len, words), default=0)),
                recall=verdict.recall,
            )
        )
    return sections


def star_command_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return L7: the rules of each command in the prompt that the tree defines, ``*carl`` (its help
    mode) among them; what a prompt asks Synapse LS itself (``*carl status``) is answered besides.
    """
    entries: list[Entry] = []
    for domain, _ in selection.domains_of("L7"):
        for order, command in enumerate(situation.prompt.commands):
            file = plan.commands.get(command.name, ("", ()))[0]
            if is_executed_command(command.name) or file != domain.file:
                continue
            rules = plan.command_rules(command.name)
            command_entries = make_rule_entries(
                domain, rules, rank="STAR", group=f"[*{command.name}] COMMAND:", weight=(-order,)
            )
            for entry, rule in zip(command_entries, rules, strict=True):
                entry.prefix = _number_prefix(rule, INNER)
                entry.lifetime = "turn"
            entries += command_entries
    return [Section("STAR", COMMANDS_HEADING, "L7", entries)]


def _rule_section(
    domain: PlanDomain,
    rules: Sequence[Rule],
    section: str,
    layer: str,
    *,
    rank: str,
    weight: tuple[Any, ...] = (),
    recall: bool = False,
) -> Section:
    """Return a domain's rules under its name; ``weight`` is what the removal order looks at before
    the rules.
    """
    entries = make_rule_entries(
        domain, rules, rank=rank, weight=(*weight, -domain.position), recall=recall
    )
    for entry, rule in zip(entries, rules, strict=True):
        entry.prefix = _number_prefix(rule, INNER if rule.group else OUTER)
    return Section(section, f"[{neutralise_text(domain.label)}] RULES:", layer, entries)


def _number_prefix(rule: Rule, indent: str) -> str:
    """Return the number of a rule, from 0 as CARL counts; what is no numbered rule has a dash."""
    return f"{indent}- " if rule.index is None else f"{indent}{rule.index}. "


# What stands beside rules


def devmode_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return whether the agent is to account for the rules it was given, in each response."""
    if assembly.situation.devmode:
        heading = (
            "🔧 DEVMODE=true 🔧\n"
            "End every response with a fenced block titled `🔧 CARL DEVMODE` of these lines:"
        )
        return [_line_section("DEVMODE", heading, "DEVMODE", DEBUG_ON)]
    return [_line_section("DEVMODE", "🚫 DEVMODE=false 🚫", "DEVMODE", (DEBUG_OFF,))]


def disabled_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the statement that GLOBAL is switched off, whatever was said of it before."""
    position = plan.labels.get("GLOBAL")
    loaded = (domain.position for domain, _ in assembly.selection.domains_of("L1"))
    if position is None or not plan.domain(position).file or position in loaded:
        return []
    text = "Disregard GLOBAL rules that were given earlier in this session."
    return [_line_section("DISABLED", "⛔ GLOBAL RULES DISABLED ⛔", "GLOBAL", (text,))]


def loaded_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the domains in the block, why each of them is there, and how many rules of it."""
    texts = []
    entries = [entry for s in sections if s.id in ("STANDING", "KEYWORD") for entry in s.entries]
    for domain, verdict in _loaded_domains(assembly):
        if not (count := sum(entry.domain == domain.label for entry in entries)):
            continue
        if verdict.code in ("recall", "recalled"):
            before = "matched" if verdict.code == "recall" else "matched a few prompts ago"
            why = f"{before}: {', '.join(verdict.detail)}"
        else:
            why = "always_on"
        rules = "1 rule" if count == 1 else f"{count} rules"
        texts.append(f"[{neutralise_text(domain.label)}] {neutralise_text(why)} ({rules})")
    return [_aside_section("LOADED", "LOADED DOMAINS:", texts or ["(none)"], rank="LOADED")]


def exclusion_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the word that keeps every domain out that waits for keywords."""
    words = assembly.situation.matches.global_excludes
    if -1 not in words:
        return []
    heading = f"GLOBAL EXCLUSION ACTIVE: {neutralise_text(words[-1])}"
    return [_aside_section("EXCLUSION", heading, ["(All domain matching skipped)"])]


def excluded_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the domains that a keyword would have brought in, and the words that kept them out."""
    matches = assembly.situation.matches
    if -1 in matches.global_excludes:
        return []
    texts = []
    for position in sorted(matches.recall):
        domain = plan.domain(position)
        if (exclusion := find_exclusion(domain, assembly.situation)) is not None and domain.active:
            label, word = neutralise_text(domain.label), neutralise_text(exclusion[1])
            texts.append(f"[{label}] excluded by: {word}")
    return [_aside_section("EXCLUDED", "EXCLUDED DOMAINS:", texts)]


def available_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the other domains, with their keywords and the file to read."""
    situation = assembly.situation
    loaded = {domain.position for domain, _ in _loaded_domains(assembly)}
    texts = []
    for position, label, active, words, file in plan.extra.get("available", ()):
        if position in loaded or position in situation.matches.excludes:
            continue
        override = parse_switch(situation.overrides.get(f"{label}_STATE"))
        if active if override is None else override:
            keywords = f" ({neutralise_text(words)})" if words else ""
            texts.append(f"{neutralise_text(label)}{keywords} · {file}")
    heading = "AVAILABLE (not loaded; read the file where one applies):"
    return [_aside_section("AVAILABLE", heading, texts)]


def _loaded_domains(assembly: Assembly) -> list[tuple[PlanDomain, Verdict]]:
    selection = assembly.selection
    return [*selection.domains_of("L1"), *selection.domains_of("L6")]


def _line_section(section: str, heading: str, layer: str, texts: Iterable[str]) -> Section:
    lines = [make_line(text, "DEVMODE", at) for at, text in enumerate(texts)]
    return Section(section, heading, layer, lines)


def _aside_section(
    section: str, heading: str, texts: list[str], *, rank: str = "SUMMARY"
) -> Section:
    lines = [make_line(text, rank, at, "turn") for at, text in enumerate(texts)]
    return Section(section, heading, section, lines, aside=True)
