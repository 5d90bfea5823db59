"""This module says what triggers a domain, brings it into the block: its layers, its triggers, and
whether it is dormant.

It also finds the agent and workflow triggers of a manifest, and domain names that are misspelt in
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from synapse_ls.engine.profile_model import Bracket
from synapse_ls.engine.systems.synapse.source import BUILTIN_ROLES
from synapse_ls.formats.manifest import DomainDeclaration, Manifest
from synapse_ls.formats.rule_syntax import to_upper_snake
from synapse_ls.lint.diagnostic import Finding
from synapse_ls.lint.shared_fixes import is_understood_value
from synapse_ls.text.parse_result import Text
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.tree_domains import Domain

LAYER_NAMES = {
    "L0": "constitution",
    "L1": "global",
    "L2": "agent",
    "L3": "workflow",
    "L4": "task",
    "L5": "squad",
    "L6": "keyword",
    "L7": "star-command",
}
"""What people call the layers."""

_BUILTIN_LAYERS = {"constitution": "L0", "global": "L1", "context": "L1", "commands": "L7"}
_TRIGGER_LAYERS = {
    "AGENT_TRIGGER": "L2",
    "WORKFLOW_TRIGGER": "L3",
    "RECALL": "L6",
    "PATHS": "L6",
    "EVERY_N_TURNS": "L6",
    "ON_TOKENS": "L6",
}


def domain_layers(domain: Domain) -> frozenset[str]:
    """Returns the layers (L0-L7) through which a domain can be injected; empty where nothing
    triggers it.
    """
    if domain.squad:
        return frozenset({"L5"})
    said = domain.declaration
    if domain.builtin and domain.name in BUILTIN_ROLES:
        return frozenset({_BUILTIN_LAYERS[BUILTIN_ROLES[domain.name]]})
    if said is None:
        return frozenset()
    if said.always_on:
        return frozenset({"L1"})
    entries = said.entries
    return frozenset(
        _TRIGGER_LAYERS[s] for s in _TRIGGER_LAYERS.keys() & entries.keys() if entries[s].word
    )


def is_awake(bracket: Bracket, layers: frozenset[str]) -> bool:
    """Returns whether at least one of the layers through which a domain can be triggered is active
    in a bracket.
    """
    return not bracket.layers.isdisjoint(layers)


_ID_SEPARATOR = re.compile(r"[,;|]")
_ID_LIST = re.compile(r"\w[ \t]*[,;|][ \t]*@?\w")


class Trigger(NamedTuple):
    """A Trigger is the id of an agent or workflow that ``domain`` waits for."""

    domain: str
    id: Text


def domain_triggers(facts: FileFacts, setting: str) -> Iterator[Trigger]:
    """Yields the triggers of a manifest's active domains; ``setting`` is `AGENT_TRIGGER` or
    `WORKFLOW_TRIGGER`.
    """
    if not isinstance(facts.document, Manifest):
        return
    for declaration in facts.document.domains_that(lambda domain: setting in domain.entries):
        entry = declaration.entries[setting]
        if entry.value.value and declaration.is_active:
            yield Trigger(declaration.name, entry.value)


def id_list_finding(
    trigger: Trigger, noun: str, brings_in: Callable[[str], bool], mark: str = ""
) -> Finding | None:
    """Returns the finding for a trigger of a domain that lists several ids where one is expected,
    else None.

    ``noun`` says what the id is of, ``brings_in`` whether one of the ids brings the domain in all the same, and
    ``mark`` is written before an id.
    """
    domain, name = trigger
    if not _ID_LIST.search(name.value):
        return None
    ids = dict.fromkeys(
        filter(None, (one.strip(" \t@") for one in _ID_SEPARATOR.split(name.value)))
    )
    idle = [f"{mark}{one[:80]}" for one in ids if not brings_in(one)]
    if not idle:
        return None
    if len(idle) == 1:
        none = f"`{idle[0]}` does not bring {domain} in"
    elif len(idle) == 2:
        none = f"neither `{idle[0]}` nor `{idle[1]}` brings {domain} in"
    elif len(idle) <= 5:
        none = f"none of `{'`, `'.join(idle)}` brings {domain} in"
    else:
        none = f"none of `{'`, `'.join(idle[:5])}` and others brings {domain} in"
    return Finding(
        name.span,
        f"`{name.value[:80]}` is read as one id, so {none}.",
        f"Write one id; each further {noun} needs a domain of its own.",
    )


_LIST_SETTINGS = ("RECALL", "PATHS")
_WORD_SETTINGS = ("AGENT_TRIGGER", "WORKFLOW_TRIGGER", "EVERY_N_TURNS", "ON_TOKENS")
LOST_LINE_PROBLEMS = frozenset({"unknown-key", "malformed-line", "bad-boolean"})
"""Problems for which a line may not say what its author meant by it."""


def has_trigger(declaration: DomainDeclaration) -> bool:
    """Returns whether a domain is always on or has any trigger: keywords, paths, agent, workflow,
    turns, tokens.
    """
    entries = declaration.entries
    return (
        declaration.always_on
        or any(entries[s].line.items for s in _LIST_SETTINGS if s in entries)
        or any(entries[s].word for s in _WORD_SETTINGS if s in entries)
    )


def is_dormant(domain: Domain) -> bool:
    """Returns whether a domain is dormant: it is active, but nothing triggers it. A squad brings in
    its own domains.
    """
    said = domain.declaration
    return (
        said is not None
        and not domain.squad
        and said.is_active
        and not (domain.builtin and domain.name in BUILTIN_ROLES)
        and not has_trigger(said)
    )


def are_all_dormant(domains: Iterable[Domain]) -> bool:
    """Returns whether there are domains and all of them are dormant."""
    found = tuple(domains)
    return bool(found) and all(map(is_dormant, found))


def has_unreadable_line(facts: FileFacts, domain: str) -> bool:
    """Returns whether a line about ``domain`` in a manifest is reported as one that cannot be read."""
    prefix = f"{to_upper_snake(domain)}_"
    for problem in facts.problems:
        if problem.kind in LOST_LINE_PROBLEMS and not is_understood_value(problem):
            start = max(facts.text.rfind(end, 0, problem.span.start) for end in "\r\n") + 1
            head = facts.text[start : start + len(domain) + 8].lstrip()
            if to_upper_snake(head).startswith(prefix):
                return True
    return False
