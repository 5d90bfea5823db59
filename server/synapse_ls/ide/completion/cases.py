"""Completion in a file of tests: fields, and what the tree has to name in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from synapse_ls.formats.option import Option
from synapse_ls.formats.tree_tests import BY_NAME, OPTIONS, TABLE
from synapse_ls.ide.completion import names, toml
from synapse_ls.ide.completion.item import Item, Offer
from synapse_ls.ide.completion.place import Here
from synapse_ls.ide.view import View
from synapse_ls.workspace.facts import FileFacts


def complete(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of a file of tests."""
    schema = toml.Schema(_header, _keys, _option, partial(_items, view))
    return toml.complete(schema, facts, place)


def _header(_: FileFacts, typed: str) -> Iterator[Item]:
    text = f"{'[' * (2 - len(typed))}{TABLE}]]"
    yield Item(f"[[{TABLE}]]", "key", text, detail="a case", topic=("case", ""))


def _keys(table: str, taken: frozenset[str]) -> Iterator[Item]:
    if table != TABLE:
        yield Item(f"[[{TABLE}]]", "key", detail="a case", topic=("case", ""))
        return
    for option in OPTIONS:
        if option.path not in taken:
            text = f"{option.path} = "
            yield Item(option.path, "key", text, "", option.kind, ("case", option.path))


def _option(table: str, key: str) -> Option | None:
    return BY_NAME.get(key) if table == TABLE else None


def _items(view: View, option: Option) -> Iterable[Item]:
    words = _WORDS.get(option.path)
    return words(view) if words else ()


def _domains(view: View) -> Iterator[Item]:
    for label in view.plan.labels:
        yield Item(label, "value", detail="domain", topic=("domain", label))


def _rules(view: View) -> Iterator[Item]:
    for domain in view.tree.domains:
        for rule in view.tree.rules_of(domain):
            if rule.key:
                yield Item(rule.key, "rule", detail=rule.text)


def _brackets(view: View) -> Iterator[Item]:
    for bracket in view.plan.profile.brackets:
        yield Item(bracket.name, "bracket", detail=bracket.label, topic=("bracket", bracket.name))


def _phases(view: View) -> Iterator[Item]:
    for workflow in view.tree.workflows:
        yield from names.phases(view.tree, workflow)


_WORDS: Mapping[str, Callable[[View], Iterable[Item]]] = {
    "agent": lambda view: names.agents(view.tree),
    "workflow": lambda view: names.workflows(view.tree),
    "phase": _phases,
    "task": lambda view: names.tasks(view.tree),
    "story": lambda view: names.stories(view.tree),
    "squad": lambda view: names.squads(view.tree),
    "bracket": _brackets,
    "domains": _domains,
    "no_domains": _domains,
    "rules": _rules,
    "no_rules": _rules,
}
