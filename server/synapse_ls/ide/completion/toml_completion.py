"""This module completes TOML files by a schema that lists their tables, keys and values; the
configuration and files of tests use it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from synapse_ls.formats.config_option import Option
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer, unique_offer
from synapse_ls.ide.completion.line_context import LineContext
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
    """A TomlSchema says what can stand in a TOML file that is completed.

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
    """Returns the completions at a place of a TOML file."""
    before = place.text[place.span.start : place.caret]
    if "#" in _STRINGS.sub("", before):
        return None
    header = _HEADER.match(before)
    pair = _PAIR.match(before)
    table, list_key, taken = _enclosing_table(facts, place)
    if pair:
        option = schema.option(table, pair[1].strip('"'))
        return _complete_value(schema, table, option, place, before[pair.end() :])
    if list_key:
        return _complete_value(
            schema, table, schema.option(table, list_key), place, before, open_list=True
        )
    if header:
        span = Span(place.caret - len(header[2]), _word_end(place, "]"))
        return unique_offer(span, schema.headers(facts, header[1]))
    key = _KEY.match(before)
    if key is None:
        return None
    span = Span(place.caret - len(key[1]), place.word_span(_WORD).end)
    items = schema.keys(table, taken)
    if place.is_followed_by("=", span.end):
        items = (item._replace(insert=item.label) for item in items)
    return unique_offer(span, items)


def _word_end(place: LineContext, closing: str) -> int:
    """Returns the end of the word at the caret, including the ``closing`` characters behind it."""
    end = place.word_span(_WORD).end
    while place.text.startswith(closing, end):
        end += 1
    return end


def _enclosing_table(facts: FileFacts, place: LineContext) -> tuple[str, str, frozenset[str]]:
    """Returns the table of the caret's line, the key of the list that is open there, and the
    table's keys.
    """
    table, list_key, keys = "", "", set[str]()
    closed = False
    for step in (-1, 1):
        number = place.line + step
        while 0 <= number < facts.lines.line_count and abs(number - place.line) < _SCAN:
            line = facts.lines.line_span(number).cut(facts.text)
            number += step
            found = _TABLE.match(line)
            pair = _PAIR.match(line)
            if found and not (pair or line.rstrip().endswith(",")):
                table = found[1] if step < 0 else table
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
    taken = {
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
        written = (_string_item(item, "", close) for item in items if item.label not in taken)
        return unique_offer(span, written)
    around = '"' if in_list or not listed else '["'
    back = '"' if in_list or not listed else '"]'
    return unique_offer(
        place.word_span(_WORD),
        (_string_item(i, around, back) for i in items if i.label not in taken),
    )


def _string_item(item: CompletionItem, before: str, after: str) -> CompletionItem:
    """Returns an item written as a string of TOML."""
    text = f"{before}{item.text}{after}"
    return CompletionItem(item.label, item.kind, text, "", item.detail, item.topic)
