"""Completion in ``.synapse/config.toml``: tables, keys and values, the linter's rules among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from synapse_ls.engine.profiles.custom import names as profiles
from synapse_ls.formats.config_schema import BY_PATH, GROUPS, OPTIONS, fields_of, option_at
from synapse_ls.formats.option import Option
from synapse_ls.ide.completion import names, toml
from synapse_ls.ide.completion.item import Item, Offer
from synapse_ls.ide.completion.place import Here
from synapse_ls.ide.view import View
from synapse_ls.lint.registry import rules
from synapse_ls.workspace.facts import FileFacts

_MAPS = (
    "text-by-name",
    "texts-by-name",
    "ints-by-name",
    "numbers-by-name",
    "tables-by-name",
    "records-by-name",
)


def complete(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of the configuration."""
    schema = toml.Schema(_tables, partial(_keys, view), _option, partial(_items, view))
    return toml.complete(schema, facts, place)


def _option(table: str, key: str) -> Option | None:
    path = ".".join(filter(None, (table, key)))
    return option_at(path) or BY_PATH.get(path.rpartition(".")[0])


def _tables(facts: FileFacts, opened: str) -> Iterator[Item]:
    if opened == "[[":
        for option in OPTIONS:
            if option.kind == "records":
                yield Item(option.path, "key", f"{option.path}]]", topic=("option", option.path))
        return
    maps = {option.path for option in OPTIONS if option.kind in _MAPS}
    present = set(re.findall(r"^[ \t]*\[([\w.]+)\]", facts.text, re.MULTILINE))
    for name in sorted(GROUPS | maps):
        if name not in present and not name.endswith(("phases", "profiles")):
            yield Item(name, "key", f"{name}]", topic=("option", name))


def _keys(view: View, table: str, taken: frozenset[str]) -> Iterator[Item]:
    option = BY_PATH.get(table)
    if option and option.kind != "records":
        yield from _names(view, option, taken)
        return
    for field in fields_of(table):
        if field.path not in taken and not field.fields:
            topic = ("option", f"{table}.{field.path}")
            yield Item(field.path, "key", f"{field.path} = ", "", field.kind, topic)
    for found in OPTIONS:
        group, _, name = found.path.rpartition(".")
        if group == table and name not in taken and found.kind not in (*_MAPS, "records"):
            text = f"{name} = "
            yield Item(name, "key", text, "", found.kind, ("option", found.path))


def _names(view: View, option: Option, taken: frozenset[str]) -> Iterator[Item]:
    """The keys of a setting that maps names."""
    if option.path == "lint.severity":
        found: Iterable[Item] = _codes()
    elif option.path == "workflow.aliases":
        found = names.workflows(view.tree)
    else:
        found = ()
    for item in found:
        if item.label not in taken:
            yield Item(item.label, item.kind, f"{item.label} = ", "", item.detail, item.topic)


def _items(view: View, option: Option) -> Iterable[Item]:
    topic = ("option", option.path)
    if option.path in _WORDS:
        return _WORDS[option.path](view)
    if option.kind == "bool":
        return [Item(word, "value", topic=topic) for word in ("true", "false")]
    if option.kind in ("int", "number"):
        return [Item(str(option.default), "value", detail="default", topic=topic)]
    if option.choices:
        return [Item(word, "value", topic=topic) for word in option.choices if word]
    default = option.default if isinstance(option.default, tuple) else ()
    return [Item(word, "file", detail="default", topic=topic) for word in default]


def _profiles(view: View) -> Iterator[Item]:
    known = profiles(view.tree.snapshot.config.profiles)
    return (Item(name, "value", topic=("profile", name)) for name in known)


def _codes() -> Iterator[Item]:
    """The linter's rules by code, each with its name."""
    for rule in rules():
        yield Item(rule.code, "rule", detail=rule.name, topic=("rule", rule.code))


def _selectors(_: View) -> Iterator[Item]:
    yield from _codes()
    for rule in rules():
        yield Item(rule.name, "rule", detail=rule.code, topic=("rule", rule.code))


def _commands(view: View) -> Iterator[Item]:
    for item in names.commands(view.tree):
        yield Item(item.label[1:], "command", detail=item.detail, topic=item.topic)


_WORDS: Mapping[str, Callable[[View], Iterable[Item]]] = {
    "profile": _profiles,
    "lint.select": _selectors,
    "lint.ignore": _selectors,
    "lint.per_path": _selectors,
    "commands.develop": _commands,
    "workflow.aliases": lambda view: names.workflows(view.tree),
}
