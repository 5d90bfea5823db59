"""This module completes ``.synapse/config.toml``: tables, keys and values, the linter's rule codes
among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from synapse_ls.engine.custom_profiles import profile_names as profiles
from synapse_ls.formats.config_option import Option
from synapse_ls.formats.config_settings import BY_PATH, GROUPS, OPTIONS, find_option, table_options
from synapse_ls.ide.completion import known_names, profile_completion, toml_completion
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer
from synapse_ls.ide.completion.line_context import LineContext
from synapse_ls.ide.tree_view import View
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.workspace.file_facts import FileFacts

_MAP_KINDS = (
    "text-by-name",
    "texts-by-name",
    "ints-by-name",
    "numbers-by-name",
    "tables-by-name",
    "records-by-name",
)


def complete(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions of ``.synapse/config.toml``: what can be written at a place of the
    configuration.
    """
    schema = toml_completion.TomlSchema(
        partial(_table_items, view),
        partial(_key_items, view, facts),
        _find_option,
        partial(_value_items, view, facts),
    )
    return toml_completion.complete_toml(schema, facts, place)


def _find_option(table: str, key: str) -> Option | None:
    path = ".".join(filter(None, (table, key)))
    return find_option(path) or BY_PATH.get(path.rpartition(".")[0])


def _table_items(view: View, facts: FileFacts, opened: str) -> Iterator[CompletionItem]:
    if opened == "[[":
        for option in OPTIONS:
            if option.kind == "records":
                yield CompletionItem(
                    option.path, "key", f"{option.path}]]", topic=("option", option.path)
                )
        return
    maps = {option.path for option in OPTIONS if option.kind in _MAP_KINDS}
    present = set(re.findall(r"^[ \t]*\[([\w.]+)\]", facts.text, re.MULTILINE))
    for name in sorted(GROUPS | maps):
        if name not in present and not name.endswith(("phases", "profiles")):
            yield CompletionItem(name, "key", f"{name}]", topic=("option", name))
    yield from profile_completion.table_items(view, facts, present)


def _key_items(
    view: View, facts: FileFacts, table: str, taken: frozenset[str]
) -> Iterator[CompletionItem]:
    if table.startswith("profiles.") and table.endswith(".headings"):
        yield from profile_completion.heading_items(view, facts, table, taken)
        return
    option = BY_PATH.get(table)
    if option and option.kind != "records":
        yield from _map_key_items(view, option, taken)
        return
    for field in table_options(table):
        if field.path not in taken and not field.fields:
            topic = ("option", f"{table}.{field.path}")
            yield CompletionItem(field.path, "key", f"{field.path} = ", "", field.kind, topic)
    for found in OPTIONS:
        group, _, name = found.path.rpartition(".")
        if group == table and name not in taken and found.kind not in (*_MAP_KINDS, "records"):
            text = f"{name} = "
            yield CompletionItem(name, "key", text, "", found.kind, ("option", found.path))


def _map_key_items(view: View, option: Option, taken: frozenset[str]) -> Iterator[CompletionItem]:
    """Yields the keys of a setting that maps names."""
    if option.path == "lint.severity":
        found: Iterable[CompletionItem] = _rule_code_items()
    elif option.path == "workflow.aliases":
        found = known_names.workflow_items(view.tree)
    else:
        found = ()
    for item in found:
        if item.label not in taken:
            yield CompletionItem(
                item.label, item.kind, f"{item.label} = ", "", item.detail, item.topic
            )


def _value_items(
    view: View, facts: FileFacts, table: str, option: Option
) -> Iterable[CompletionItem]:
    if table.startswith("profiles.") and option.path in profile_completion.WORDS:
        return profile_completion.word_items(view, facts, table, option)
    topic = ("option", option.path)
    if option.path in _SUPPLIERS:
        return _SUPPLIERS[option.path](view)
    if option.kind == "bool":
        return [CompletionItem(word, "value", topic=topic) for word in ("true", "false")]
    if option.kind in ("int", "number"):
        return [CompletionItem(str(option.default), "value", detail="default", topic=topic)]
    if option.choices:
        return [CompletionItem(word, "value", topic=topic) for word in option.choices if word]
    default = option.default if isinstance(option.default, tuple) else ()
    return [CompletionItem(word, "file", detail="default", topic=topic) for word in default]


def _profile_items(view: View) -> Iterator[CompletionItem]:
    known = profiles(view.tree.snapshot.config.profiles)
    return (CompletionItem(name, "value", topic=("profile", name)) for name in known)


def _rule_code_items() -> Iterator[CompletionItem]:
    """Yields the linter's rules by code, each with its name."""
    for rule in all_rules():
        yield CompletionItem(rule.code, "rule", detail=rule.name, topic=("rule", rule.code))


def _rule_selector_items(_: View) -> Iterator[CompletionItem]:
    yield from _rule_code_items()
    for rule in all_rules():
        yield CompletionItem(rule.name, "rule", detail=rule.code, topic=("rule", rule.code))


def _command_items(view: View) -> Iterator[CompletionItem]:
    for item in known_names.command_items(view.tree):
        yield CompletionItem(item.label[1:], "command", detail=item.detail, topic=item.topic)


_SUPPLIERS: Mapping[str, Callable[[View], Iterable[CompletionItem]]] = {
    "profile": _profile_items,
    "lint.select": _rule_selector_items,
    "lint.ignore": _rule_selector_items,
    "lint.per_path": _rule_selector_items,
    "commands.develop": _command_items,
    "workflow.aliases": lambda view: known_names.workflow_items(view.tree),
}
