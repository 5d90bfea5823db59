"""Complete TOML files by a schema that lists their tables, keys and values; the configuration and
files of tests use it.

Complete profiles of a tree's own in ``.synapse/config.toml``: tables, and the words
of the profile that is extended.

Complete ``.synapse/config.toml``: tables, keys and values, the linter's rule codes
among them.

Complete files of tree tests: fields of a case, and the names of the tree that they
use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from synapse_ls.engine import profiles as profile_vocabulary
from synapse_ls.engine.profiles import ALL_OTHERS, Table, build_profile, profile_names
from synapse_ls.engine.profiles import profile_names as profiles
from synapse_ls.formats.config_option import Option
from synapse_ls.formats.config_settings import (
    BY_PATH,
    CONFIG_OPTIONS,
    GROUPS,
    find_option,
    table_options,
)
from synapse_ls.formats.tree_tests import BY_NAME, TABLE
from synapse_ls.formats.tree_tests import OPTIONS as TREE_TESTS_OPTIONS
from synapse_ls.ide import completion_item
from synapse_ls.ide.completion_item import (
    CompletionItem,
    CompletionOffer,
    LineContext,
    unique_offer,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts

_TABLE = re.compile(r"[ \t]*\[{1,2}[ \t]*([\w.\"' -]+?)[ \t]*\]")
_HEADER = re.compile(r"[ \t]*(\[{1,2})([\w.-]*)$")
_PAIR = re.compile(r"[ \t]*([\w.-]+|\"[^\"]*\")[ \t]*=[ \t]*")
_KEY = re.compile(r"[ \t]*([\w.-]*)$")
_WORD = re.compile(r"[\w./*{}@:-]")
_STRINGS = re.compile(r"\"[^\"]*\"|'[^']*'")
_SCAN = 500
LIST_KINDS = ("texts", "paths", "texts-by-name")
"""Kinds of options whose values are lists."""


class TomlSchema(NamedTuple):
    """What can stand in a TOML file that is completed.

    ``headers``: the tables that can begin, behind so many brackets. ``keys``: those of a table,
    without the ones it has. ``option``: that of a key of a table. ``values``: those of a key of a
    table.
    """

    headers: Callable[[FileFacts, str], Iterable[CompletionItem]]
    keys: Callable[[str, frozenset[str]], Iterable[CompletionItem]]
    option: Callable[[str, str], Option | None]
    values: Callable[[str, Option], Iterable[CompletionItem]]


def complete_toml(
    schema: TomlSchema, facts: FileFacts, place: LineContext
) -> CompletionOffer | None:
    """Return the completions at a place of a TOML file."""
    before = place.text[place.span.start : place.caret]
    if "#" in _STRINGS.sub("", before):
        return None
    header = _HEADER.match(before)
    pair = _PAIR.match(before)
    table, list_key, keys = _enclosing_table(facts, place)
    if pair:
        option = schema.option(table, pair[1].strip('"'))
        return _complete_value(schema, table, option, place, before[pair.end() :])
    if list_key:
        return _complete_value(
            schema, table, schema.option(table, list_key), place, before, open_list=True
        )
    if header:
        # The end of the word at the caret, including the `closing` characters behind it.
        end = place.word_span(_WORD).end
        while place.text.startswith("]", end):
            end += 1
        span = Span(place.caret - len(header[2]), end)
        return unique_offer(span, schema.headers(facts, header[1]))
    key = _KEY.match(before)
    if key is None:
        return None
    span = Span(place.caret - len(key[1]), place.word_span(_WORD).end)
    items = schema.keys(table, keys)
    if place.is_followed_by("=", span.end):
        items = (item._replace(insert=item.label) for item in items)
    return unique_offer(span, items)


def _enclosing_table(facts: FileFacts, place: LineContext) -> tuple[str, str, frozenset[str]]:
    """Return the table of the caret's line, the key of the list that is open there, and the table's
    keys.
    """
    table, list_key, keys = "", "", set[str]()
    closed = False
    for step in (-1, 1):
        number = place.line + step
        while 0 <= number < facts.lines.line_count and abs(number - place.line) < _SCAN:
            line = facts.lines.line_span(number).cut(facts.text)
            number += step
            match = _TABLE.match(line)
            pair = _PAIR.match(line)
            if match and not (pair or line.rstrip().endswith(",")):
                table = match[1] if step < 0 else table
                break
            if pair:
                keys.add(pair[1].strip('"'))
                rest = _STRINGS.sub("", line[pair.end() :])
                if step < 0 and not closed and rest.count("[") > rest.count("]"):
                    list_key = pair[1]
            closed |= step < 0 and (pair is not None or "]" in _STRINGS.sub("", line))
    return table, list_key, frozenset(keys)


def _complete_value(
    schema: TomlSchema,
    table: str,
    option: Option | None,
    place: LineContext,
    typed: str,
    *,
    open_list: bool = False,
) -> CompletionOffer | None:
    if option is None:
        return None
    items = schema.values(table, option)
    if option.kind in ("bool", "int", "number"):
        return unique_offer(place.word_span(_WORD), items)
    words = {
        word.strip("\"'") for word in _STRINGS.findall(place.text[place.span.start : place.caret])
    }
    quoted = _STRINGS.sub("", typed).count('"') % 2 == 1
    in_list = open_list or "[" in _STRINGS.sub("", typed)
    listed = option.kind in LIST_KINDS
    if quoted:
        start = place.text.rindex('"', place.span.start, place.caret) + 1
        end = place.text.find('"', place.caret, place.span.end)
        span = Span(start, end if end >= 0 else place.word_span(_WORD).end)
        close = "" if end >= 0 else '"'
        written = (_string_item(item, "", close) for item in items if item.label not in words)
        return unique_offer(span, written)
    around = '"' if in_list or not listed else '["'
    back = '"' if in_list or not listed else '"]'
    return unique_offer(
        place.word_span(_WORD),
        (_string_item(i, around, back) for i in items if i.label not in words),
    )


def _string_item(item: CompletionItem, before: str, after: str) -> CompletionItem:
    """Return an item written as a string of TOML."""
    text = f"{before}{item.text}{after}"
    return CompletionItem(item.label, item.kind, text, "", item.detail, item.topic)


WORDS = frozenset(
    {"extends", "renderer", "layers", "order", "drop", "protect", "use_brackets"}
)  # fmt: skip
"""The settings of a profile whose values are words of another one."""

_PROFILE_HEADER = re.compile(
    r"^[ \t]*\[profiles\.([\w-]+)(?:\.brackets\.([\w-]+)|\.headings)?\]", re.MULTILINE
)
_EXTENDS = re.compile(r"[ \t]*extends[ \t]*=[ \t]*[\"']([\w-]+)[\"']")


def word_items(
    view: View, facts: FileFacts, table: str, option: Option
) -> Iterator[CompletionItem]:
    """Yield completion items for the words that a setting of a profile may have."""
    name = table.split(".")[1]
    if option.path in ("extends", "renderer"):
        names = profile_names(view.tree.snapshot.config.profiles)
        words: Mapping[str, str] = {word: "" for word in names if word != name}
    else:
        words = _words_of(_extended_table(view, facts, name), option.path, facts, name)
    for word, about in words.items():
        topic = (
            ("profile", word) if option.path == "extends" else ("option", f"{table}.{option.path}")
        )
        yield CompletionItem(word, "value", detail=about, topic=topic)


def _words_of(table: Table, setting: str, facts: FileFacts, name: str) -> dict[str, str]:
    if setting == "layers":
        return {layer: profile_vocabulary.LAYERS.get(layer, "") for layer, _ in table["layers"]}
    if setting == "order":
        words = {word: profile_vocabulary.SECTIONS.get(word, "") for word in table["sections"]}
        return {**words, ALL_OTHERS: "all other sections"}
    if setting == "use_brackets":
        own = (
            match[2]
            for match in _PROFILE_HEADER.finditer(facts.text)
            if match[1] == name and match[2]
        )
        return dict.fromkeys((*(row["name"] for row in table["brackets"]), *own), "")
    # What goes first may be what was protected, and the other way round.
    near, far = ("drop", "protected") if setting == "protect" else ("protected", "drop")
    return {word: profile_vocabulary.CLASSES.get(word, "") for word in (*table[near], *table[far])}


def _extended_table(view: View, facts: FileFacts, name: str) -> Table:
    """Return the profile that another one extends, as the text says it while it is being typed."""
    custom = view.tree.snapshot.config.profiles
    extends, inside = "synapse", False
    for line in facts.text.splitlines():
        header = _PROFILE_HEADER.match(line)
        if header or line.lstrip().startswith("["):
            inside = bool(
                header and header[1] == name and header[0].strip() == f"[profiles.{name}]"
            )
        elif inside and (match := _EXTENDS.match(line)):
            extends = match[1]
    profile = build_profile(extends, custom) or build_profile("synapse", {})
    assert profile is not None
    return profile.table


_MAP_KINDS = (
    "text-by-name",
    "texts-by-name",
    "ints-by-name",
    "numbers-by-name",
    "tables-by-name",
    "records-by-name",
)


def complete_config(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions of ``.synapse/config.toml``: what can be written at a place of the
    configuration.
    """
    schema = TomlSchema(
        partial(_table_items, view),
        partial(_key_items, view, facts),
        _find_option,
        partial(_config_value_items, view, facts),
    )
    return complete_toml(schema, facts, place)


def _find_option(table: str, key: str) -> Option | None:
    path = ".".join(filter(None, (table, key)))
    return find_option(path) or BY_PATH.get(path.rpartition(".")[0])


def _table_items(view: View, facts: FileFacts, opened: str) -> Iterator[CompletionItem]:
    if opened == "[[":
        for option in CONFIG_OPTIONS:
            if option.kind == "records":
                yield CompletionItem(
                    option.path, "key", f"{option.path}]]", topic=("option", option.path)
                )
        return
    maps = {option.path for option in CONFIG_OPTIONS if option.kind in _MAP_KINDS}
    present = set(re.findall(r"^[ \t]*\[([\w.]+)\]", facts.text, re.MULTILINE))
    for name in sorted(GROUPS | maps):
        if name not in present and not name.endswith(("phases", "profiles")):
            yield CompletionItem(name, "key", f"{name}]", topic=("option", name))
    # Completion items for the tables of a profile that can begin.
    for item_name in dict.fromkeys(match[1] for match in _PROFILE_HEADER.finditer(facts.text)):
        brackets = (row["name"] for row in _extended_table(view, facts, item_name)["brackets"])
        for table in (
            f"profiles.{item_name}.headings",
            *(f"profiles.{item_name}.brackets.{b}" for b in brackets),
        ):
            if table not in present:
                yield CompletionItem(table, "key", f"{table}]", topic=("option", "profiles"))
    yield CompletionItem(
        "profiles.", "key", detail="a profile of your own", topic=("option", "profiles")
    )


def _key_items(
    view: View, facts: FileFacts, table: str, taken: frozenset[str]
) -> Iterator[CompletionItem]:
    if table.startswith("profiles.") and table.endswith(".headings"):
        # Completion items for the sections of a profile that can have another heading.
        for section in _extended_table(view, facts, table.split(".")[1])["sections"]:
            if section not in taken and section != "WITHDRAWN":
                about = profile_vocabulary.SECTIONS.get(section, "")
                yield CompletionItem(section, "key", f'{section} = "', "", about)
        return
    option = BY_PATH.get(table)
    if option and option.kind != "records":
        # The keys of a setting that maps names.
        if option.path == "lint.severity":
            map_items: Iterable[CompletionItem] = _rule_code_items()
        elif option.path == "workflow.aliases":
            map_items = completion_item.workflow_items(view.tree)
        else:
            map_items = ()
        for item in map_items:
            if item.label not in taken:
                yield CompletionItem(
                    item.label, item.kind, f"{item.label} = ", "", item.detail, item.topic
                )
        return
    for field in table_options(table):
        if field.path not in taken and not field.fields:
            topic = ("option", f"{table}.{field.path}")
            yield CompletionItem(field.path, "key", f"{field.path} = ", "", field.kind, topic)
    for config_option in CONFIG_OPTIONS:
        group, _, name = config_option.path.rpartition(".")
        if (
            group == table
            and name not in taken
            and config_option.kind not in (*_MAP_KINDS, "records")
        ):
            text = f"{name} = "
            yield CompletionItem(
                name, "key", text, "", config_option.kind, ("option", config_option.path)
            )


def _config_value_items(
    view: View, facts: FileFacts, table: str, option: Option
) -> Iterable[CompletionItem]:
    if table.startswith("profiles.") and option.path in WORDS:
        return word_items(view, facts, table, option)
    topic = ("option", option.path)
    if option.path in _CONFIG_SUPPLIERS:
        return _CONFIG_SUPPLIERS[option.path](view)
    if option.kind == "bool":
        return [CompletionItem(word, "value", topic=topic) for word in ("true", "false")]
    if option.kind in ("int", "number"):
        return [CompletionItem(str(option.default), "value", detail="default", topic=topic)]
    if option.choices:
        return [CompletionItem(word, "value", topic=topic) for word in option.choices if word]
    default = option.default if isinstance(option.default, tuple) else ()
    return [CompletionItem(word, "file", detail="default", topic=topic) for word in default]


def _profile_items(view: View) -> Iterator[CompletionItem]:
    names = profiles(view.tree.snapshot.config.profiles)
    return (CompletionItem(name, "value", topic=("profile", name)) for name in names)


def _rule_code_items() -> Iterator[CompletionItem]:
    """Yield the linter's rules by code, each with its name."""
    for rule in all_rules():
        yield CompletionItem(rule.code, "rule", detail=rule.name, topic=("rule", rule.code))


def _rule_selector_items(_: View) -> Iterator[CompletionItem]:
    yield from _rule_code_items()
    for rule in all_rules():
        yield CompletionItem(rule.name, "rule", detail=rule.code, topic=("rule", rule.code))


def _command_items(view: View) -> Iterator[CompletionItem]:
    for item in completion_item.command_items(view.tree):
        yield CompletionItem(item.label[1:], "command", detail=item.detail, topic=item.topic)


_CONFIG_SUPPLIERS: Mapping[str, Callable[[View], Iterable[CompletionItem]]] = {
    "profile": _profile_items,
    "lint.select": _rule_selector_items,
    "lint.ignore": _rule_selector_items,
    "lint.per_path": _rule_selector_items,
    "commands.develop": _command_items,
    "workflow.aliases": lambda view: completion_item.workflow_items(view.tree),
}


def complete_tree_tests(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a file of tree tests."""
    schema = TomlSchema(_header_items, _field_items, _case_option, partial(_case_value_items, view))
    return complete_toml(schema, facts, place)


def _header_items(_: FileFacts, typed: str) -> Iterator[CompletionItem]:
    text = f"{'[' * (2 - len(typed))}{TABLE}]]"
    yield CompletionItem(f"[[{TABLE}]]", "key", text, detail="a case", topic=("case", ""))


def _field_items(table: str, taken: frozenset[str]) -> Iterator[CompletionItem]:
    if table != TABLE:
        yield CompletionItem(f"[[{TABLE}]]", "key", detail="a case", topic=("case", ""))
        return
    for option in TREE_TESTS_OPTIONS:
        if option.path not in taken:
            text = f"{option.path} = "
            yield CompletionItem(option.path, "key", text, "", option.kind, ("case", option.path))


def _case_option(table: str, key: str) -> Option | None:
    return BY_NAME.get(key) if table == TABLE else None


def _case_value_items(view: View, _: str, option: Option) -> Iterable[CompletionItem]:
    words = _CASE_SUPPLIERS.get(option.path)
    return words(view) if words else ()


def _domain_items(view: View) -> Iterator[CompletionItem]:
    for label in view.plan.labels:
        yield CompletionItem(label, "value", detail="domain", topic=("domain", label))


def _rule_items(view: View) -> Iterator[CompletionItem]:
    for domain in view.tree.domains:
        for rule in view.tree.rules_of(domain):
            if rule.key:
                yield CompletionItem(rule.key, "rule", detail=rule.text)


def _bracket_items(view: View) -> Iterator[CompletionItem]:
    for bracket in view.plan.profile.brackets:
        yield CompletionItem(
            bracket.name, "bracket", detail=bracket.label, topic=("bracket", bracket.name)
        )


def _phase_items(view: View) -> Iterator[CompletionItem]:
    for workflow in view.tree.workflows:
        yield from completion_item.rule_phase_items(view.tree, workflow)


_CASE_SUPPLIERS: Mapping[str, Callable[[View], Iterable[CompletionItem]]] = {
    "agent": lambda view: completion_item.agent_items(view.tree),
    "workflow": lambda view: completion_item.workflow_items(view.tree),
    "phase": _phase_items,
    "task": lambda view: completion_item.task_items(view.tree),
    "story": lambda view: completion_item.story_items(view.tree),
    "squad": lambda view: completion_item.squad_items(view.tree),
    "bracket": _bracket_items,
    "domains": _domain_items,
    "no_domains": _domain_items,
    "rules": _rule_items,
    "no_rules": _rule_items,
}
