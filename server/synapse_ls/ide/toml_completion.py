"""Complete TOML files by a schema of tables, keys and values: configuration and tree tests."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from synapse_ls.engine.profiles import ALL_OTHERS, CLASSES, LAYERS, SECTIONS, profile_names
from synapse_ls.formats import config_settings, instruction_rules
from synapse_ls.formats.setting_validation import Option
from synapse_ls.formats.tree_tests import BY_NAME, OPTIONS, TABLE
from synapse_ls.ide import completion_item
from synapse_ls.ide.completion_item import (
    CompletionItem,
    CompletionOffer,
    LineContext,
    unique_offer,
    word_items,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.snapshot import Snapshot

_TABLE = lazy_pattern(r"[ \t]*\[{1,2}[ \t]*([\w.\"' -]+?)[ \t]*\]")
_HEADER = lazy_pattern(r"[ \t]*(\[{1,2})([\w.-]*)$")
_PAIR = lazy_pattern(r"[ \t]*([\w.-]+|\"[^\"]*\")[ \t]*=[ \t]*")
_KEY = lazy_pattern(r"[ \t]*([\w.-]*)$")
_WORD = lazy_pattern(r"[\w./*{}@:-]")
_STRINGS = lazy_pattern(r"\"[^\"]*\"|'[^']*'")
_SCAN = 500
# Kinds of options whose values are lists.
LIST_KINDS = ("texts", "paths", "texts-by-name")


class TomlSchema(Protocol):
    """What can stand in a TOML file that is completed."""

    def headers(self, opened: str) -> Iterator[CompletionItem]:
        """Yield the tables that can begin, behind so many brackets."""

    def keys(self, table: str, taken: frozenset[str]) -> Iterator[CompletionItem]:
        """Yield the keys of a table, without the ones it has."""

    def option(self, table: str, key: str) -> Option | None:
        """Return the option that a key of a table is."""

    def values(self, table: str, option: Option) -> Iterable[CompletionItem]:
        """Return the values of a key of a table."""


def complete_toml(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a TOML file: the configuration or tree tests."""
    before = place.text[place.span.start : place.caret]
    if "#" in _STRINGS.sub("", before):
        return None
    is_config = facts.kind is FileKind.CONFIG
    schema: TomlSchema = _ConfigSchema(view, facts) if is_config else _TestsSchema(view)
    table, list_key, keys = _enclosing_table(facts, place)
    if pair := _PAIR.match(before):
        option = schema.option(table, pair[1].strip('"'))
        typed = before[pair.end() :]
        return _complete_value(schema, table, option, place, typed, "[" in _STRINGS.sub("", typed))
    if list_key:
        option = schema.option(table, list_key)
        return _complete_value(schema, table, option, place, before, True)
    if header := _HEADER.match(before):
        # The end of the word at the caret, including the closing brackets behind it.
        end = place.word_span(_WORD).end
        while place.text.startswith("]", end):
            end += 1
        return unique_offer(Span(place.caret - len(header[2]), end), schema.headers(header[1]))
    if (key := _KEY.match(before)) is None:
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
    in_list: bool,
) -> CompletionOffer | None:
    if option is None:
        return None
    items = schema.values(table, option)
    word = place.word_span(_WORD)
    if option.kind in ("bool", "int", "number"):
        return unique_offer(word, items)
    strings = _STRINGS.findall(place.text[place.span.start : place.caret])
    words = {string.strip("\"'") for string in strings}
    before, after = ('["', '"]') if option.kind in LIST_KINDS and not in_list else ('"', '"')
    if _STRINGS.sub("", typed).count('"') % 2:
        # The caret is in a string that has begun.
        start = place.text.rindex('"', place.span.start, place.caret) + 1
        end = place.text.find('"', place.caret, place.span.end)
        word = Span(start, end if end >= 0 else word.end)
        before, after = "", "" if end >= 0 else '"'
    return unique_offer(
        word,
        (
            item._replace(insert=f"{before}{item.text}{after}", snippet="", commit_characters="")
            for item in items
            if item.label not in words
        ),
    )


# The settings of a profile whose values are words, with what each means.
_PROFILE_WORDS: Mapping[str, Mapping[str, str]] = {
    "layers": LAYERS,
    "order": {**SECTIONS, ALL_OTHERS: "all other sections"},
    "drop": CLASSES,
    "protect": CLASSES,
}
_MAP_KINDS = (
    "text-by-name", "texts-by-name", "ints-by-name", "numbers-by-name", "tables-by-name",
    "records-by-name",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _ConfigSchema:
    """What can stand in ``.synapse/config.toml``."""

    view: View
    facts: FileFacts

    def headers(self, opened: str) -> Iterator[CompletionItem]:
        if opened == "[[":
            for option in config_settings.CONFIG_OPTIONS:
                if option.kind == "records":
                    topic = ("option", option.path)
                    yield CompletionItem(option.path, "key", f"{option.path}]]", topic=topic)
            return
        maps = {
            option.path for option in config_settings.CONFIG_OPTIONS if option.kind in _MAP_KINDS
        }
        present = set(re.findall(r"^[ \t]*\[([\w.]+)\]", self.facts.text, re.MULTILINE))
        for name in sorted(config_settings.GROUPS | maps):
            if name not in present and not name.endswith(("phases", "profiles")):
                yield CompletionItem(name, "key", f"{name}]", topic=("option", name))
        topic = ("option", "profiles")
        yield CompletionItem("profiles.", "key", detail="a profile of your own", topic=topic)

    def keys(self, table: str, taken: frozenset[str]) -> Iterator[CompletionItem]:
        if (option := config_settings.BY_PATH.get(table)) and option.kind != "records":
            # The keys of a setting that maps names.
            names: Iterable[CompletionItem] = ()
            if option.path == "lint.severity":
                names = _rule_code_items()
            elif option.path == "workflow.aliases":
                names = completion_item.workflow_items(self.view.tree)
            for item in names:
                if item.label not in taken:
                    yield item._replace(insert=f"{item.label} = ")
            return
        fields = {
            field.path: (field, f"{table}.{field.path}")
            for field in config_settings.table_options(table)
        }
        for option in config_settings.CONFIG_OPTIONS:
            group, _, name = option.path.rpartition(".")
            if group == table and option.kind not in (*_MAP_KINDS, "records"):
                fields.setdefault(name, (option, option.path))
        for name, (option, path) in fields.items():
            if name not in taken and not option.fields:
                yield CompletionItem(name, "key", f"{name} = ", "", option.kind, ("option", path))

    def option(self, table: str, key: str) -> Option | None:
        path = ".".join(filter(None, (table, key)))
        return config_settings.find_option(path) or config_settings.BY_PATH.get(
            path.rpartition(".")[0]
        )

    def values(self, table: str, option: Option) -> Iterable[CompletionItem]:
        topic = ("option", option.path)
        words = _PROFILE_WORDS.get(option.path) if table.startswith("profiles.") else None
        if words:
            for word, about in words.items():
                yield CompletionItem(word, "value", detail=about, topic=topic)
        elif option.path in ("profile", "extends", "renderer"):
            for name in profile_names(self.view.tree.snapshot.config.profiles):
                if table != f"profiles.{name}":
                    yield CompletionItem(name, "value", topic=("profile", name))
        elif option.path in ("lint.select", "lint.ignore", "lint.per_path"):
            yield from _rule_code_items()
            for rule in all_rules():
                yield CompletionItem(rule.name, "rule", detail=rule.code, topic=("rule", rule.code))
        elif option.path == "commands.develop":
            for item in completion_item.command_items(self.view.tree):
                yield item._replace(label=item.label[1:])
        elif table == "adopted" and option.path in ("path", "heading"):
            names_of = _source_paths if option.path == "path" else _source_headings
            for name in dict.fromkeys(names_of(self.view.tree.snapshot)):
                yield CompletionItem(name, "value", topic=topic)
        elif option.path == "workflow.aliases":
            yield from completion_item.workflow_items(self.view.tree)
        elif option.kind == "bool":
            yield from word_items(("true", "false"), topic=topic)
        elif option.kind in ("int", "number"):
            yield from word_items((str(option.default),), "default", topic)
        elif option.choices:
            yield from word_items(filter(None, option.choices), topic=topic)
        elif isinstance(option.default, tuple):
            for word in option.default:
                yield CompletionItem(word, "file", detail="default", topic=topic)


def _rule_code_items() -> Iterator[CompletionItem]:
    """Yield the linter's rules by code, each with its name."""
    for rule in all_rules():
        yield CompletionItem(rule.code, "rule", detail=rule.name, topic=("rule", rule.code))


def _source_paths(snapshot: Snapshot) -> Iterator[str]:
    """Yield the known files of instructions that can be referred to, and their folders."""
    for path in (*snapshot.paths(FileKind.SYNCED), *snapshot.paths(FileKind.INSTRUCTIONS)):
        if path.count("/") > 1:
            yield path.rpartition("/")[0]
        yield path


def _source_headings(snapshot: Snapshot) -> Iterator[str]:
    """Yield the headings of the known files of instructions."""
    for facts in snapshot.files(FileKind.INSTRUCTIONS, FileKind.SYNCED):
        for heading in instruction_rules.read_source("", facts.text).headings:
            if heading.level > 0:
                yield heading.title


@dataclass(frozen=True, slots=True)
class _TestsSchema:
    """What can stand in a file of tree tests."""

    view: View

    def headers(self, opened: str) -> Iterator[CompletionItem]:
        text = f"{'[' * (2 - len(opened))}{TABLE}]]"
        yield CompletionItem(f"[[{TABLE}]]", "key", text, detail="a case", topic=("case", ""))

    def keys(self, table: str, taken: frozenset[str]) -> Iterator[CompletionItem]:
        if table != TABLE:
            yield CompletionItem(f"[[{TABLE}]]", "key", detail="a case", topic=("case", ""))
            return
        for option in OPTIONS:
            if option.path not in taken:
                topic = ("case", option.path)
                yield CompletionItem(
                    option.path, "key", f"{option.path} = ", "", option.kind, topic
                )

    def option(self, table: str, key: str) -> Option | None:
        return BY_NAME.get(key) if table == TABLE else None

    def values(self, table: str, option: Option) -> Iterable[CompletionItem]:  # noqa: ARG002
        tree, plan = self.view.tree, self.view.plan
        if option.path in completion_item.ITEMS_BY_FAMILY:
            yield from completion_item.ITEMS_BY_FAMILY[option.path](tree)
        elif option.path == "phase":
            for workflow in tree.workflows:
                yield from completion_item.rule_phase_items(tree, workflow)
        elif option.path == "bracket":
            for bracket in plan.profile.brackets:
                topic = ("bracket", bracket.name)
                yield CompletionItem(bracket.name, "bracket", detail=bracket.label, topic=topic)
        elif option.path in ("domains", "no_domains"):
            for label in plan.labels:
                yield CompletionItem(label, "value", detail="domain", topic=("domain", label))
        elif option.path in ("rules", "no_rules"):
            for rule in chain.from_iterable(map(tree.rules_of, tree.domains)):
                if rule.key:
                    yield CompletionItem(rule.key, "rule", detail=rule.text)
