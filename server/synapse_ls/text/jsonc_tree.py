"""Parse JSONC into a tree with the span of every value.

JSON (RFC 8259) with ``//`` and ``/* */`` comments and trailing commas. A tree is never written;
changes are edits of the text.
"""

from __future__ import annotations

import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from synapse_ls.text.fast_json import JsonError
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

MAX_DEPTH = 200  # levels; settings have five
# Commas, opening brackets and comments of a text that is read: each takes half a kilobyte.
MAX_VALUES = 300_000

_BLANK_BEGINNINGS = frozenset(" \t\r\n/")
_SPACE = lazy_pattern(r"[ \t\r\n]*")
LINE_COMMENT = lazy_pattern(r"//[^\r\n]*")
BLOCK_COMMENT = lazy_pattern(r"/\*.*?\*/", re.DOTALL)
_NUMBER = lazy_pattern(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}
_WORD = lazy_pattern("|".join(_WORDS) + r"\b")


class JsonElement(NamedTuple):
    """A part of a tree of JSONC: a member of an object or an item of an array.

    key: "" in an array. start: where the key begins, or the item. comma: the offset of the comma
    behind it, -1 for none.
    """

    key: str
    start: int
    node: JsonNode
    comma: int

    @property
    def end(self) -> int:
        """Where the value ends."""
        return self.node.span.end


class JsonNode(NamedTuple):
    """A value in a tree of JSONC and where it stands. ``value`` is what Python makes of it."""

    span: Span
    value: Any
    elements: tuple[JsonElement, ...] = ()

    def get(self, key: str) -> JsonElement | None:
        """Return the member ``key`` of an object, the last one where there are several, as readers
        do; None for none.
        """
        return next((e for e in reversed(self.elements) if e.key == key), None)

    @property
    def members(self) -> tuple[JsonElement, ...]:
        """The members of an object, of those with the same key the last one, as readers do."""
        return tuple({element.key: element for element in self.elements}.values())


class JsoncDocument(NamedTuple):
    """The tree of a JSONC text with its comments and trailing commas, in order.

    comments: spans; trailing_commas: their offsets. Strict JSON has neither.
    """

    text: str
    root: JsonNode
    comments: tuple[Span, ...]
    trailing_commas: tuple[int, ...]


def parse_jsonc(text: str) -> JsoncDocument:
    """Parse ``text`` as JSONC. Raises JsonError with the offset of the first thing wrong, and for a
    text that has very many values or comments.
    """
    if sum(map(text.count, (",", "[", "{", "//", "/*"))) > MAX_VALUES:
        raise JsonError(f"more than {MAX_VALUES:,} values and comments", 0)
    return _Reader(text).document()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.comments: list[Span] = []
        self.trailing: list[int] = []

    def document(self) -> JsoncDocument:
        self.skip_blanks()
        root = self.value(0)
        self.skip_blanks()
        if self.at < len(self.text):
            raise JsonError("unexpected text after the value", self.at)
        return JsoncDocument(self.text, root, tuple(self.comments), tuple(self.trailing))

    def skip_blanks(self) -> None:
        if self.text[self.at : self.at + 1] not in _BLANK_BEGINNINGS:
            return
        while True:
            space = _SPACE.match(self.text, self.at)
            assert space is not None
            self.at = space.end()
            if not self.text.startswith(("//", "/*"), self.at):
                return
            pattern = LINE_COMMENT if self.text[self.at + 1] == "/" else BLOCK_COMMENT
            if (comment := pattern.match(self.text, self.at)) is None:
                raise JsonError("a comment that does not end", self.at)
            self.comments.append(Span(*comment.span()))
            self.at = comment.end()

    def value(self, depth: int) -> JsonNode:
        start = self.at
        first = self.text[start : start + 1]
        if first in ("{", "["):
            if depth == MAX_DEPTH:
                raise JsonError("nested too deeply", start)
            return self.container(depth)
        if first == '"':
            text = self.string()
            return JsonNode(Span(start, self.at), text)
        if (match := _NUMBER.match(self.text, start)) is not None:
            self.at = match.end()
            try:
                number = float(match[0]) if match[1] or match[2] else int(match[0])
            except ValueError:
                raise JsonError("a number with too many digits", start) from None
            return JsonNode(Span(start, self.at), number)
        if (word := _WORD.match(self.text, start)) is None:
            raise JsonError("expected a value", start)
        self.at = word.end()
        return JsonNode(Span(start, self.at), _WORDS[word[0]])

    def string(self) -> str:
        try:
            end: int
            text: str
            text, end = scanstring(self.text, self.at + 1, True)
        except JSONDecodeError as error:
            raise JsonError(error.msg, error.pos) from None
        self.at = end
        return text

    def container(self, depth: int) -> JsonNode:
        start = self.at
        is_object = self.text[start] == "{"
        close = "}" if is_object else "]"
        elements: list[JsonElement] = []
        self.at += 1
        while True:
            self.skip_blanks()
            here = self.text[self.at : self.at + 1]
            if here == close:
                if elements:  # the loop goes on behind a comma only
                    self.trailing.append(elements[-1].comma)
                break
            element = self.element(is_object, depth)
            self.skip_blanks()
            here = self.text[self.at : self.at + 1]
            if here not in (",", close):
                raise JsonError(f"expected a comma or {close}", self.at)
            if here == close:
                elements.append(element)
                break
            elements.append(JsonElement(element.key, element.start, element.node, self.at))
            self.at += 1
        self.at += 1
        value: Any = [element.node.value for element in elements]
        if is_object:
            value = {element.key: element.node.value for element in elements}
        return JsonNode(Span(start, self.at), value, tuple(elements))

    def element(self, is_member: bool, depth: int) -> JsonElement:
        start = self.at
        key = ""
        if is_member:
            if self.text[start : start + 1] != '"':
                raise JsonError("expected a name in double quotes", start)
            key = self.string()
            self.skip_blanks()
            if self.text[self.at : self.at + 1] != ":":
                raise JsonError("expected a colon", self.at)
            self.at += 1
            self.skip_blanks()
        return JsonElement(key, start, self.value(depth + 1), -1)
