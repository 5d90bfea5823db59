"""This module describes the caret's place in a YAML file for completion: the keys around it,
siblings and list items. It reads lines alone, so the file need not be valid yet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from synapse_ls.ide.completion.line_context import LineContext
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts

_FIELD = re.compile(
    r"(?P<indent>[ \t]*)(?P<dashes>(?:-[ \t]+)*)(?P<key>[\"']?[\w.-]+[\"']?)[ \t]*:(?=\s|$)"
)
_ITEM = re.compile(r"[ \t]*(?:-[ \t]+)*-(?:[ \t]+|$)")
_WORD = re.compile(r"[^\s,\[\]{}\"'#:]")
_FLOW_KEY = re.compile(r"([\w.-]+)[ \t]*:[ \t]*[^,{}\[\]]*$")
_SCAN = 5_000  # lines that are looked at above the caret


@dataclass(frozen=True, slots=True)
class YamlContext:
    """A YamlContext is the place of the caret in a YAML document.

    ``path`` are the keys around the caret, outermost first; list items add nothing to it. ``role``
    is "key" where a key can begin, "value" behind a key, "item" in a list. ``word`` is what would
    be replaced. ``siblings`` are the keys that the same mapping has already, ``list_values`` the
    other items of the same list. ``has_value``: behind the word there is a colon already.
    """

    path: tuple[str, ...]
    role: str
    word: Span
    siblings: frozenset[str] = frozenset()
    list_values: frozenset[str] = frozenset()
    has_value: bool = False


def yaml_context(facts: FileFacts, place: LineContext) -> YamlContext | None:
    """Returns the context of the caret in a YAML file, its place as the lines around it show it;
    None in a comment.
    """
    before = place.text[place.span.start : place.caret]
    if re.search(r"(?:^|\s)#", before):
        return None
    word = place.word_span(_WORD)
    field = _FIELD.match(before)
    opened = _open_brackets(before)
    if field:
        path = (*_parent_keys(facts, place, _key_column(field)), field["key"].strip("\"'"))
        if not opened:
            return YamlContext(path, "value", _value_span(place, word))
        return _flow_context(place, path, opened, word)
    if opened:
        parents = _parent_keys(facts, place, len(before) - len(before.lstrip()))
        return _flow_context(place, parents, opened, word)
    item = _ITEM.match(before)
    column = item.end() if item else len(before) - len(before.lstrip())
    if item and before.rstrip().endswith("-") and not before.endswith((" ", "\t")):
        return None
    parents = _parent_keys(facts, place, column if item is None else _dash_column(before))
    siblings, values = _siblings(facts, place, column)
    role = "item" if item else "key"
    return YamlContext(parents, role, word, siblings, values, place.is_followed_by(":", word.end))


def _key_column(field: re.Match[str]) -> int:
    return len(field["indent"]) + len(field["dashes"])


def _dash_column(before: str) -> int:
    """Returns the column of the first dash; the key above may stand at the same column (YAML 1.2.2,
    8.2.1).
    """
    return len(before) - len(before.lstrip()) + 1


def _parent_keys(facts: FileFacts, place: LineContext, column: int) -> tuple[str, ...]:
    """Returns the keys that are less indented than ``column``, above the caret's line."""
    found: list[str] = []
    for number in range(place.line - 1, max(place.line - _SCAN, -1), -1):
        if column <= 0:
            break
        line = facts.lines.line_span(number).cut(facts.text)
        field = _FIELD.match(line)
        if field is None:
            continue
        own = _key_column(field)
        if own < column:
            found.append(field["key"].strip("\"'"))
            column = own
            if field["dashes"]:
                column = len(field["indent"]) + 1
    return tuple(reversed(found))


def _siblings(
    facts: FileFacts, place: LineContext, column: int
) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the keys at ``column`` and the scalar items of the block that holds the caret."""
    keys: set[str] = set()
    items: set[str] = set()
    for step in (-1, 1):
        number = place.line + step
        while 0 <= number < facts.lines.line_count and abs(number - place.line) < _SCAN:
            line = facts.lines.line_span(number).cut(facts.text)
            number += step
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            field, item = _FIELD.match(line), _ITEM.match(line)
            indent = len(line) - len(line.lstrip())
            if item and item.end() == column and not field:
                items.add(line[item.end() :].strip().strip("\"'"))
            elif field and _key_column(field) == column:
                keys.add(field["key"].strip("\"'"))
                if field["dashes"]:
                    break  # the first key of a list's item: the mapping begins here
            elif indent < column:
                break
    return frozenset(keys), frozenset(items)


def _open_brackets(before: str) -> str:
    """Returns the brackets of flow collections that are open at the caret."""
    stack: list[str] = []
    for char in before:
        if char in "[{":
            stack.append(char)
        elif char in "]}" and stack:
            stack.pop()
    return "".join(stack)


def _flow_context(
    place: LineContext, path: tuple[str, ...], opened: str, word: Span
) -> YamlContext:
    """Returns a place in ``[a, b]`` or ``{a: b}``."""
    before = place.text[place.span.start : place.caret]
    inner = before[max(before.rfind("["), before.rfind("{")) + 1 :]
    parts = [part.strip() for part in inner.split(",")]
    if opened[-1] == "[":
        values = frozenset(part.strip("\"'") for part in parts[:-1])
        return YamlContext(path, "item", word, list_values=values)
    key = _FLOW_KEY.search(parts[-1])
    if key:
        return YamlContext((*path, key[1]), "value", word)
    keys = frozenset(part.partition(":")[0].strip() for part in parts[:-1])
    return YamlContext(path, "key", word, keys, has_value=place.is_followed_by(":", word.end))


def _value_span(place: LineContext, word: Span) -> Span:
    """Returns the span of a field's value from the word at the caret on, without a comment behind
    it.
    """
    end = place.text.find(" #", word.end, place.span.end)
    end = place.body.end if end < 0 else end
    rest = place.text[word.end : end]
    return Span(word.start, word.end + len(rest.rstrip()) if rest.strip() else word.end)
