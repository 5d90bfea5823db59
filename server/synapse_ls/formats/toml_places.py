"""Where keys and values stand in a TOML 1.0 text.

``tomllib`` says what a file holds and not where. This scanner knows only as much of the grammar as
is needed to tell keys from strings, comments and nested values: it is meant for text that
``tomllib`` has accepted, and finds what it can in any other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from synapse_ls.text.span import Span

_SPACE = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_KEY_PART = re.compile(
    r"[ \t]*(?:\"((?:[^\"\\\n]|\\.)*)\"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*(\.?)"
)
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_WORD = re.compile(r"[^\s#,\[\]{}\"'=](?:[^#,\[\]{}\"'=\r\n]*[^\s#,\[\]{}\"'=])?")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}

Path = tuple[str | int, ...]


class Place(NamedTuple):
    """Where a key and its value stand; a table and a list item have one place for both."""

    key: Span
    value: Span


def places(text: str) -> Mapping[Path, Place]:
    """The place of every key, table and list item, by path (names, and numbers inside lists).

    ``("lint", "select", 0)`` is the first item of ``select`` under ``[lint]``. Of a key that stands
    twice the first counts. Never raises on text that ``tomllib`` accepts.
    """
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[Path, Place] = {}
        self._counts: dict[Path, int] = {}

    def scan(self) -> Mapping[Path, Place]:
        """The places of the whole text."""
        at, table = 0, Path()
        while (at := self._visible(at)) < len(self._text):
            if self._text[at] == "[":
                at, table = self._header(at)
            else:
                at = self._pair(at, table)
        return self._found

    def _visible(self, at: int) -> int:
        """The next character from ``at`` on that is neither white space nor comment."""
        found = _SPACE.match(self._text, at)
        return found.end() if found else at

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _note(self, path: Path, key: Span, value: Span) -> None:
        self._found.setdefault(path, Place(key, value))

    def _header(self, at: int) -> tuple[int, Path]:
        """A ``[table]`` or ``[[list of tables]]`` line."""
        is_list = self._text.startswith("[[", at)
        names, spans, end = self._key(at + 1 + is_list)
        if not names:
            return max(self._line_end(at), at + 1), ()
        path: Path = ()
        for name, span in zip(names[:-1], spans[:-1], strict=True):
            path = self._entered((*path, name))
            self._note(path, span, span)
        path = (*path, names[-1])
        whole = Span(spans[0].start, spans[-1].end)
        self._note(path, whole, whole)
        if is_list:
            self._counts[path] = self._counts.get(path, -1) + 1
        path = self._entered(path)
        self._note(path, whole, whole)
        return max(self._line_end(end), at + 1), path

    def _entered(self, path: Path) -> Path:
        """The path into a table: for a list of tables into its last one."""
        return (*path, self._counts[path]) if path in self._counts else path

    def _key(self, at: int) -> tuple[list[str], list[Span], int]:
        names: list[str] = []
        spans: list[Span] = []
        while part := _KEY_PART.match(self._text, at):
            which = next(group for group in (1, 2, 3) if part.group(group) is not None)
            name, (start, end) = part.group(which), part.span(which)
            names.append(_unescaped(name) if which == 1 else name)
            spans.append(Span(start, end) if which == 3 else Span(start - 1, end + 1))
            at = part.end()
            if not part.group(4):
                break
        return names, spans, at

    def _pair(self, at: int, table: Path) -> int:
        """A ``key = value``; the offset after it."""
        names, spans, end = self._key(at)
        if not names or not self._text.startswith("=", end):
            return max(self._line_end(at), at + 1)
        path = table
        for name, span in zip(names[:-1], spans[:-1], strict=True):
            path = (*path, name)
            self._note(path, span, span)
        path = (*path, names[-1])
        begin = self._visible(end + 1)
        after = self._value(begin, path)
        self._note(path, Span(spans[0].start, spans[-1].end), Span(begin, after))
        return max(after, at + 1)

    def _value(self, at: int, path: Path) -> int:
        """A value; the offset after it. Inner keys and items are noted on the way."""
        text = self._text
        if found := _STRING.match(text, at):
            return found.end()
        if text[at : at + 1] not in ("[", "{"):
            word = _WORD.match(text, at)
            return word.end() if word else at
        is_list, number = text[at] == "[", 0
        closing = "]" if is_list else "}"
        at = self._visible(at + 1)
        while at < len(text) and text[at] != closing:
            if text[at] == ",":
                at = self._visible(at + 1)
                continue
            if is_list:
                end = self._value(at, (*path, number))
                self._note((*path, number), Span(at, end), Span(at, end))
                number += 1
            else:
                end = self._pair(at, path)
            at = self._visible(max(end, at + 1))
        return min(at + 1, len(text))


def _unescaped(name: str) -> str:
    def character(found: re.Match[str]) -> str:
        code = found.group(1) or found.group(2)
        if code:
            return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else found.group()
        return _ESCAPES.get(found.group(3), found.group(3))

    return _ESCAPE.sub(character, name)
