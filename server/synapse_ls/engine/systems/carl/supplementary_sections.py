"""This module adds the supplementary sections of CARL's block, which stand beside rules: debug
mode, loaded, excluded and available domains.

Left out is what tells an agent nothing, or something that is not so: lines of ``=``,
commands among the domains to be loaded, and the name of a tool that does not exist (its
place is taken by the file to read). No percentage is given, because it would be stale one
prompt later.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.domain_selection import find_exclusion
from synapse_ls.engine.supplementary_sections import make_line
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.switch_words import parse_switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan, PlanDomain
    from synapse_ls.engine.domain_selection import Verdict

DEBUG_ON = (
    "Domains Loaded: the domains of LOADED DOMAINS, with the reason for each",
    "Rules Applied: the rules that shaped this response, as DOMAIN n",
    "Tools Used: the tools that were called, and what for",
    "Governance: which rule decided where rules disagreed",
    "Gaps/Issues: what no rule covers, and rules that could not be kept",
)
DEBUG_OFF = "Append no CARL DEVMODE debug section to responses."


def _line_entries(texts: Iterable[str], rank: str, lifetime: str = "turn") -> list[Entry]:
    return [make_line(text, rank, position, lifetime) for position, text in enumerate(texts)]


def devmode_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns CARL's debug section: whether the agent is to account for the rules it was given, in
    each of its responses.
    """
    if assembly.situation.devmode:
        heading = (
            "🔧 DEVMODE=true 🔧\n"
            "End every response with a fenced block titled `🔧 CARL DEVMODE` of these lines:"
        )
        return [Section("DEVMODE", heading, "DEVMODE", _line_entries(DEBUG_ON, "DEVMODE", "state"))]
    lines = _line_entries((DEBUG_OFF,), "DEVMODE", "state")
    return [Section("DEVMODE", "🚫 DEVMODE=false 🚫", "DEVMODE", lines)]


def disabled_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns CARL's statement that GLOBAL is switched off, whatever was said of it before."""
    position = plan.position_of("GLOBAL")
    if position is None:
        return []
    taken = (domain.position for domain, _ in assembly.selection.domains_of("L1"))
    if position in taken or not plan.domain(position).file:
        return []
    text = "Disregard GLOBAL rules that were given earlier in this session."
    lines = _line_entries((text,), "DEVMODE", "state")
    return [Section("DISABLED", "⛔ GLOBAL RULES DISABLED ⛔", "GLOBAL", lines)]


def loaded_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns CARL's section of the domains in the block, why each of them is there, and how many
    rules it has.
    """
    texts = []
    for domain, verdict in _taken_domains(assembly):
        count = sum(row.kind != "bracket" for row in domain.rows)
        if domain.role == "context" and not (count and domain.always_on):
            continue
        if verdict.code in ("recall", "recalled"):
            before = "matched" if verdict.code == "recall" else "matched a few prompts ago"
            why = f"{before}: {', '.join(verdict.detail)}"
        else:
            why = "always_on"
        rules = "1 rule" if count == 1 else f"{count} rules"
        texts.append(f"{_bracketed_label(domain.label)} {neutralise_text(why)} ({rules})")
    return [_aside_section("LOADED", "LOADED DOMAINS:", texts or ["(none)"])]


def exclusion_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns CARL's section about the word that keeps every domain out that waits for keywords."""
    words = assembly.situation.matches.global_excludes
    if -1 not in words:
        return []
    heading = f"GLOBAL EXCLUSION ACTIVE: {neutralise_text(words[-1])}"
    return [_aside_section("EXCLUSION", heading, ["(All domain matching skipped)"])]


def excluded_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns CARL's section of the domains that a keyword would have brought in, and the words
    that kept them out.
    """
    matches = assembly.situation.matches
    if -1 in matches.global_excludes:
        return []
    texts = []
    for position in sorted(matches.recall):
        domain = plan.domain(position)
        word = find_exclusion(domain, assembly.situation)
        if word is not None and domain.active:
            texts.append(
                f"{_bracketed_label(domain.label)} excluded by: {neutralise_text(word[1])}"
            )
    return [_aside_section("EXCLUDED", "EXCLUDED DOMAINS:", texts)]


def available_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns CARL's section of the other domains, with their keywords and the file to read."""
    situation = assembly.situation
    here = {domain.position for domain, _ in _taken_domains(assembly)}
    texts = []
    for position, label, active, words, file in plan.extra.get("available", ()):
        override = parse_switch(situation.overrides.get(f"{label}_STATE"))
        if position in here or position in situation.matches.excludes:
            continue
        if active if override is None else override:
            name = neutralise_text(label)
            texts.append(
                f"{name} ({neutralise_text(words)}) · {file}" if words else f"{name} · {file}"
            )
    return [
        _aside_section(
            "AVAILABLE", "AVAILABLE (not loaded; read the file where one applies):", texts
        )
    ]


def _taken_domains(assembly: Assembly) -> list[tuple[PlanDomain, Verdict]]:
    chosen = assembly.selection
    return [*chosen.domains_of("L1"), *chosen.domains_of("L6")]


def _bracketed_label(label: str) -> str:
    return f"[{neutralise_text(label)}]"


def _aside_section(section: str, heading: str, texts: list[str]) -> Section:
    return Section(section, heading, section, _line_entries(texts, "SUMMARY"), aside=True)
