"""Whether anything can bring a domain in, and lines that were to do so and are misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from synapse_ls.engine.sources.synapse import BUILTIN_ROLES
from synapse_ls.formats.manifest import Declaration
from synapse_ls.formats.rule_keys import upper_snake
from synapse_ls.lint.lookup import MOST_COMPARISONS, misnamed, once
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.home import Home
from synapse_ls.workspace.naming import near_misses

_LISTS = ("RECALL", "PATHS")
_WORDS = ("AGENT_TRIGGER", "WORKFLOW_TRIGGER", "EVERY_N_TURNS", "ON_TOKENS")
_LOST = frozenset({"unknown-key", "malformed-line", "bad-boolean"})
"""Problems for which a line may not say what its author meant by it."""


def has_trigger(declaration: Declaration) -> bool:
    """Whether a domain is always on, or waits for anything at all."""
    entries = declaration.entries
    return (
        declaration.always_on
        or any(entries[s].line.items for s in _LISTS if s in entries)
        or any(entries[s].word for s in _WORDS if s in entries)
    )


def is_dormant(domain: Domain) -> bool:
    """Whether nothing can bring in a domain that is switched on; a squad brings in its own."""
    said = domain.declaration
    return (
        said is not None
        and not domain.squad
        and said.active
        and not (domain.builtin and domain.name in BUILTIN_ROLES)
        and not has_trigger(said)
    )


def all_dormant(domains: Iterable[Domain]) -> bool:
    """Whether there are domains, and nothing can bring in any of them."""
    found = tuple(domains)
    return bool(found) and all(map(is_dormant, found))


def misread(facts: FileFacts, domain: str) -> bool:
    """Whether a line of a manifest about ``domain`` is reported as one that cannot be read."""
    prefix = f"{upper_snake(domain)}_"
    for problem in facts.problems:
        if problem.kind in _LOST:
            start = max(facts.text.rfind(end, 0, problem.span.start) for end in "\r\n") + 1
            head = facts.text[start : start + len(domain) + 8].lstrip()
            if upper_snake(head).startswith(prefix):
                return True
    return False


@once
def misspelt(home: Home) -> Mapping[str, str]:
    """Domain without a file -> the domain with one whose name it misspells.

    One is meant where the two together read like one domain: they share no setting, and the
    misspelt name says nothing of a state.
    """
    mentioned = {
        d.name: d.declaration for d in home.domains if d.declaration and d.declaration.entries
    }
    homeless = [
        d.name
        for d in home.domains
        if d.name in mentioned and d.file is None and "STATE" not in mentioned[d.name].entries
    ]
    served = [d.name for d in home.domains if d.name in mentioned and d.file is not None]
    found: dict[str, str] = {}
    if len(served) * len(homeless) > MOST_COMPARISONS:
        return found
    for name in homeless:
        apart = [
            other
            for other in served
            if mentioned[other].entries.keys().isdisjoint(mentioned[name].entries)
        ]
        meant = near_misses(name, apart) if name not in misnamed(home) else ()
        if meant and _is_slip(name, meant[0]):
            found[name] = meant[0]
    return found


def _is_slip(name: str, meant: str) -> bool:
    """Whether one name is a slip of the pen away from the other, rather than a part of it."""
    return not (meant.startswith(f"{name}_") or name.startswith(f"{meant}_")) and not (
        meant.endswith(f"_{name}") or name.endswith(f"_{meant}")
    )
