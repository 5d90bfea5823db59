"""What CARL's block says beside rules: debug mode, what is loaded, what was kept out, what else there is.

Left out is what tells an agent nothing, or something that is not so: lines of ``=``, commands among
the domains to be loaded, and the name of a tool that does not exist (its place is taken by the file
to read). No percentage is told, because it would be stale one prompt later.
"""

from __future__ import annotations

from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.parts.standard import line
from synapse_ls.engine.section import Entry, Section
from synapse_ls.engine.selection import excluded_by
from synapse_ls.formats.switches import switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.plan import Domain, Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.selection import Verdict

DEBUG_ON = (
    "Domains Loaded: the domains of LOADED DOMAINS, with the reason for each",
    "Rules Applied: the rules that shaped this response, as DOMAIN n",
    "Tools Used: the tools that were called, and what for",
    "Governance: which rule decided where rules disagreed",
    "Gaps/Issues: what no rule covers, and rules that could not be kept",
)
DEBUG_OFF = "Append no CARL DEVMODE debug section to responses."


def _lines(texts: Iterable[str], rank: str, lifetime: str = "turn") -> list[Entry]:
    return [line(text, rank, position, lifetime) for position, text in enumerate(texts)]


def devmode(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Whether the agent is to account for the rules it was given, in each of its responses."""
    if assembly.situation.devmode:
        heading = (
            "🔧 DEVMODE=true 🔧\n"
            "End every response with a fenced block titled `🔧 CARL DEVMODE` of these lines:"
        )
        return [Section("DEVMODE", heading, "DEVMODE", _lines(DEBUG_ON, "DEVMODE", "state"))]
    lines = _lines((DEBUG_OFF,), "DEVMODE", "state")
    return [Section("DEVMODE", "🚫 DEVMODE=false 🚫", "DEVMODE", lines)]


def disabled(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """That GLOBAL is switched off, whatever was told of it before."""
    position = plan.labels.get("GLOBAL")
    if position is None:
        return []
    taken = (domain.position for domain, _ in assembly.selection.of("L1"))
    if position in taken or not plan.domain(position).file:
        return []
    text = "Disregard GLOBAL rules that were given earlier in this session."
    lines = _lines((text,), "DEVMODE", "state")
    return [Section("DISABLED", "⛔ GLOBAL RULES DISABLED ⛔", "GLOBAL", lines)]


def loaded(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """The domains in the block, why each of them is, and how many rules it has."""
    texts = []
    for domain, verdict in _taken(assembly):
        count = sum(row.kind != "bracket" for row in domain.rows)
        if domain.role == "context" and not (count and domain.always_on):
            continue
        if verdict.code in ("recall", "recalled"):
            before = "matched" if verdict.code == "recall" else "matched a few prompts ago"
            why = f"{before}: {', '.join(verdict.detail)}"
        else:
            why = "always_on"
        rules = "1 rule" if count == 1 else f"{count} rules"
        texts.append(f"{_named(domain.label)} {neutralise(why)} ({rules})")
    return [_aside("LOADED", "LOADED DOMAINS:", texts or ["(none)"])]


def exclusion(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """The word that keeps every domain out that waits for keywords."""
    words = assembly.situation.matches.global_excludes
    if -1 not in words:
        return []
    heading = f"GLOBAL EXCLUSION ACTIVE: {neutralise(words[-1])}"
    return [_aside("EXCLUSION", heading, ["(All domain matching skipped)"])]


def excluded(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """The domains that a keyword would have brought in, and the words that kept them out."""
    matches = assembly.situation.matches
    if -1 in matches.global_excludes:
        return []
    texts = []
    for position in sorted(matches.recall):
        domain = plan.domain(position)
        word = excluded_by(domain, assembly.situation)
        if word is not None and domain.active:
            texts.append(f"{_named(domain.label)} excluded by: {neutralise(word[1])}")
    return [_aside("EXCLUDED", "EXCLUDED DOMAINS:", texts)]


def available(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """The other domains, with their keywords and the file to read."""
    situation = assembly.situation
    here = {domain.position for domain, _ in _taken(assembly)}
    texts = []
    for position, label, active, words, file in plan.extra.get("available", ()):
        override = switch(situation.overrides.get(f"{label}_STATE"))
        if position in here or position in situation.matches.excludes:
            continue
        if active if override is None else override:
            name = neutralise(label)
            texts.append(f"{name} ({neutralise(words)}) · {file}" if words else f"{name} · {file}")
    return [_aside("AVAILABLE", "AVAILABLE (not loaded; read the file where one applies):", texts)]


def _taken(assembly: Assembly) -> list[tuple[Domain, Verdict]]:
    chosen = assembly.selection
    return [*chosen.of("L1"), *chosen.of("L6")]


def _named(label: str) -> str:
    return f"[{neutralise(label)}]"


def _aside(section: str, heading: str, texts: list[str]) -> Section:
    return Section(section, heading, section, _lines(texts, "SUMMARY"), aside=True)
