"""This module collects what the agents of a tree go by, and which of their commands take up a task.

An agent goes by the trigger of a domain or the name of its file, by the id, the name and the
aliases in its definition, and by the client's own agent that stands for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from synapse_ls.workspace.agent_spellings import find_agent_id, stands_for
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case, snake_case

if TYPE_CHECKING:
    from synapse_ls.formats.agent_definition import AgentDefinition
    from synapse_ls.workspace.rule_tree import Tree

MAX_DEFINITIONS = 200
"""Definitions that are read for their names and commands, the root's first; the agents of others go
by the names of their files."""


def defining_paths(tree: Tree) -> tuple[str, ...]:
    """Returns the agent files whose definitions count, by precedence."""
    return tuple(islice(tree.agent_files.values(), MAX_DEFINITIONS))


def collect_spellings(tree: Tree) -> dict[str, str]:
    """Returns every spelling that addresses an agent, in lower case -> its id: triggers win over
    files, files over the names in them.
    """
    triggers = [
        (domain.declaration.agent_trigger, domain.name)
        for domain in tree.domains
        if domain.declaration is not None and domain.declaration.agent_trigger
    ]
    found: dict[str, str] = {}
    for trigger, _ in triggers:
        _add_spellings(found, trigger, trigger)
    short = {kebab_case(name.removeprefix("AGENT_")): trigger for trigger, name in triggers}
    _add_triggered_files(tree, found)
    known = {**{kebab_case(name): name for name in tree.agent_files}, **short, **found}
    for name in tree.agent_files:
        other = "" if name.lower() in found else stands_for(known, kebab_case(name))
        _add_spellings(found, name, known[other] if other else name)
    for name, trigger in short.items():
        found.setdefault(name, trigger)
    return {**_names_in_definitions(tree, found), **found}


def _add_triggered_files(tree: Tree, found: dict[str, str]) -> None:
    """Adds the agents with a file whose trigger is written as another one of their names."""
    files = {kebab_case(name): name for name in tree.agent_files}
    for trigger in tuple(found.values()):
        if other := stands_for(files, kebab_case(trigger)):
            found.setdefault(other, trigger)
    for path, definition in _read_definitions(tree):
        trigger = next((found[name] for name in _own_names(definition) if name in found), "")
        if trigger:
            _add_spellings(found, file_stem(path), trigger)


def _names_in_definitions(tree: Tree, found: Mapping[str, str]) -> dict[str, str]:
    """Returns the names that definitions give their agents; one that two agents share addresses
    neither.
    """
    named: dict[str, set[str]] = {}
    for agent, definition in _definitions(tree, found):
        for name in _own_names(definition):
            named.setdefault(name, set()).add(agent)
    return {name: own.pop() for name, own in named.items() if len(own) == 1}


def _own_names(definition: AgentDefinition) -> Iterator[str]:
    return filter(None, map(kebab_case, (definition.id, definition.name, *definition.aliases)))


def collect_command_tasks(tree: Tree, spellings: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Returns agent -> its commands that take up a task -> the task, by the tasks that its definition
    depends on: ``gate`` and ``qa-gate`` of ``qa`` take up ``qa-gate``.
    """
    found: dict[str, dict[str, str]] = {}
    for agent, definition in _definitions(tree, spellings):
        own = found.setdefault(agent, {})
        names = [task.value.removesuffix(".md").lower() for task in definition.tasks]
        for name in names:
            own.setdefault(name, name)
        for name in names:
            bare = name.removeprefix(f"{agent}-")
            for command in (bare, name.removesuffix("-story"), bare.removesuffix("-story")):
                own.setdefault(command, name)
    return {agent: own for agent, own in found.items() if own}


def _definitions(tree: Tree, spellings: Mapping[str, str]) -> Iterator[tuple[str, AgentDefinition]]:
    """Yields agents with a definition of theirs; of one agent there may be several."""
    for path, definition in _read_definitions(tree):
        name = file_stem(path)
        yield find_agent_id(spellings, name) or name, definition


def _read_definitions(tree: Tree) -> Iterator[tuple[str, AgentDefinition]]:
    paths = defining_paths(tree)
    if not paths:
        return
    from synapse_ls.formats.agent_definition import AgentDefinition

    for path in paths:
        facts = tree.snapshot.facts(path)
        if facts is not None and isinstance(facts.document, AgentDefinition):
            yield path, facts.document


def _add_spellings(found: dict[str, str], name: str, identity: str) -> None:
    for spelling in (name.lower(), kebab_case(name), snake_case(name)):
        found.setdefault(spelling, identity)
