"""Parse TOML 1.0, with the position of every key and value.

Only the first problem of an invalid text is reported, of kind ``invalid-toml``.
"""

import re
import tomllib
from ast import literal_eval
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from synapse_ls.text.fast_json import dumps
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import code_text
from synapse_ls.text.span import Span

_SPACE = lazy_pattern(r"(?:[ \t\r\n]+|#[^\n]*)*")
_KEY_PART = lazy_pattern(
    r"[ \t]*(?:\"((?:[^\"\\\n]|\\.)*)\"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*(\.?)"
)
_STRING = lazy_pattern(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_WORD = lazy_pattern(r"[^\s#,\[\]{}\"'=](?:[^#,\[\]{}\"'=\r\n]*[^\s#,\[\]{}\"'=])?")
_ESCAPE = lazy_pattern(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}

TomlPath = tuple[str | int, ...]


class KeyPosition(NamedTuple):
    """Where a key of a TOML document and its value stand; a table and a list item have one place
    for both.
    """

    key: Span
    value: Span


@lru_cache(maxsize=4)
def key_positions(text: str) -> Mapping[TomlPath, KeyPosition]:
    """Return the place of every key, table and list item of a TOML document, by path (names, and
    number inside lists).

    ``("lint", "select", 0)`` is the first item of ``select`` under ``[lint]``. Of a key that stands
    twice the first counts. Never raises on text that ``tomllib`` accepts.

    ``tomllib`` says what a file holds and not where. This scanner knows only as much of the grammar
    as is needed to tell keys from strings, comments and nested values: it is meant for text that
    ``tomllib`` has accepted, and finds what it can in any other.
    """
    scanner = _PositionScanner(text)
    with suppress(RecursionError):  # tomllib does not accept text that is nested so deeply either
        scanner.scan()
    return scanner.found


class _PositionScanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self.found: dict[TomlPath, KeyPosition] = {}
        # Of what stands twice: where the second key begins, and the first one with its value.
        self.repeats: list[tuple[int, KeyPosition]] = []
        self._counts: dict[TomlPath, int] = {}

    def scan(self) -> None:
        at, table = 0, TomlPath()
        while (at := self._skip_blanks(at)) < len(self._text):
            if self._text[at] == "[":
                at, table = self._scan_header(at)
            else:
                at = self._scan_pair(at, table)

    def _skip_blanks(self, at: int) -> int:
        """Return the offset of the next character from ``at`` on that is neither white space nor
        comment.
        """
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _record_position(self, path: TomlPath, key: Span, value: Span) -> None:
        first = self.found.setdefault(path, KeyPosition(key, value))
        if first.key != key:
            self.repeats.append((key.start, first))

    def _scan_header(self, at: int) -> tuple[int, TomlPath]:
        """Scan a ``[table]`` or ``[[list of tables]]`` line; return the offset after it and the
        path of the table.
        """
        is_list = self._text.startswith("[[", at)
        names, spans, end = self._scan_key(at + 1 + is_list)
        if not names:
            return max(self._line_end(at), at + 1), ()
        path: TomlPath = ()
        for name, span in zip(names[:-1], spans[:-1], strict=True):
            path = self._table_path((*path, name))
            self._record_position(path, span, span)
        path = (*path, names[-1])
        whole = Span(spans[0].start, spans[-1].end)
        self._record_position(path, whole, whole)
        if is_list:
            self._counts[path] = self._counts.get(path, -1) + 1
        path = self._table_path(path)
        self._record_position(path, whole, whole)
        return max(self._line_end(end), at + 1), path

    def _table_path(self, path: TomlPath) -> TomlPath:
        """Return the path into a table: for a list of tables into its last one."""
        return (*path, self._counts[path]) if path in self._counts else path

    def _scan_key(self, at: int) -> tuple[list[str], list[Span], int]:
        names: list[str] = []
        spans: list[Span] = []
        while part := _KEY_PART.match(self._text, at):
            which = next(group for group in (1, 2, 3) if part.group(group) is not None)
            name, (start, end) = part.group(which), part.span(which)
            if len(names) < MAX_KEY_PARTS:  # with more of them the text is not read
                names.append(_ESCAPE.sub(_replace_escape, name) if which == 1 else name)
                spans.append(Span(start, end) if which == 3 else Span(start - 1, end + 1))
            at = part.end()
            if not part.group(4):
                break
        return names, spans, at

    def _scan_pair(self, at: int, table: TomlPath) -> int:
        """Scan a ``key = value``; return the offset after it."""
        names, spans, end = self._scan_key(at)
        if not names or not self._text.startswith("=", end):
            return max(self._line_end(at), at + 1)
        path = table
        for name, span in zip(names[:-1], spans[:-1], strict=True):
            path = (*path, name)
            self._record_position(path, span, span)
        path = (*path, names[-1])
        begin = self._skip_blanks(end + 1)
        after = self._scan_value(begin, path)
        self._record_position(path, Span(spans[0].start, spans[-1].end), Span(begin, after))
        return max(after, at + 1)

    def _scan_value(self, at: int, path: TomlPath) -> int:
        """Scan a value and record its inner keys and items; return the offset after it."""
        text = self._text
        if match := _STRING.match(text, at):
            return match.end()
        if text[at : at + 1] not in ("[", "{"):
            word = _WORD.match(text, at)
            return word.end() if word else at
        is_list, number = text[at] == "[", 0
        closing = "]" if is_list else "}"
        at = self._skip_blanks(at + 1)
        while at < len(text) and text[at] != closing:
            if text[at] == ",":
                at = self._skip_blanks(at + 1)
                continue
            if is_list:
                end = self._scan_value(at, (*path, number))
                self._record_position((*path, number), Span(at, end), Span(at, end))
                number += 1
            else:
                end = self._scan_pair(at, path)
            at = self._skip_blanks(max(end, at + 1))
        return min(at + 1, len(text))


def _replace_escape(escape: re.Match[str]) -> str:
    if code := escape[1] or escape[2]:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else escape[0]
    return _ESCAPES.get(escape[3], escape[3])


MAX_TOML_CHARS = 200_000
# Parts of a dotted key; what reads TOML takes time and memory in the square of them.
MAX_KEY_PARTS = 16
# Arrays and inline tables that one value stands in; configurations have three.
MAX_TOML_DEPTH = 50

# What decides how a text is nested. A quotation mark that no string begins with ends the text: what
# reads TOML stops there as well.
_TOKEN = lazy_pattern(rf"(?:#[^\n]*|{_STRING.pattern})|([\[{{\]}}.=,\n\"'])", re.DOTALL)
_KEY_ERROR = lazy_pattern(r"(Cannot declare|Cannot mutate immutable namespace) (\(.*\))")
_TWICE_INLINE = lazy_pattern(r"Duplicate inline table key (.*)")
_BARE_VALUE = lazy_pattern(r"[A-Za-z@./][\w./@*-]*(?=[ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z))")
_BARE = lazy_pattern(r"[\w-]+", re.ASCII)
_SPACES = lazy_pattern(r"[ \t]*")
_OPEN_TEXT = lazy_pattern(r"\"[^\"]*\Z|'[^']*\Z")
_OPEN_LIST = lazy_pattern(r"=[ \t]*(\[[^\]\r\n]*(?<=[^\]\s]))(?=[ \t]*$)", re.MULTILINE)
_ERROR_PLACE = lazy_pattern(r"(?<!\s)\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def load_toml(text: str, name: str, effect: str) -> tuple[dict[str, Any], Finding | None]:
    """Parse a TOML document as ``tomllib`` does, or return nothing and a problem of kind
    ``invalid-toml``.

    ``name`` and ``effect`` are the parts of its sentence: "The configuration", "the defaults hold".
    """

    def invalid_result(what: str, span: Span) -> tuple[dict[str, Any], Finding]:
        return {}, Finding(span, f"{what}, so {effect}.", kind="invalid-toml")

    if len(text) > MAX_TOML_CHARS:
        return invalid_result(f"{name} is longer than {MAX_TOML_CHARS:,} characters", Span(0, 0))
    if excess := _find_excess(text):
        return invalid_result(*excess)
    try:
        return tomllib.loads(text.replace("\ufeff", " ", 1) if text[:1] == "\ufeff" else text), None
    except ValueError as error:
        message = str(error)
        match = _ERROR_PLACE.search(message)
        # Return the offset of an error of `tomllib`, which counts lines by `\n` and columns from 1.
        if match is None:
            start = 0
        elif match.group(1) is None:
            start = len(text)
        else:
            above = text.split("\n")[: int(match.group(1)) - 1]
            start = min(sum(map(len, above)) + len(above) + int(match.group(2)) - 1, len(text))
        what = message[: match.start()] if match else message
        sentence = _error_message(what.rstrip("."))
        if slip := _find_slip(what, text, start):
            reason, remedy, place, suggestion = slip
            return {}, Finding(
                place,
                f"{reason}, so {effect}.",
                remedy,
                kind="invalid-toml",
                data=(("suggestion", suggestion),) if suggestion is not None else (),
            )
        # The character there, or the last one of a line that ends there.
        if text[start : start + 1] not in ("", "\r", "\n"):
            return invalid_result(sentence, Span(start, start + 1))
        before = start - 1 if start and text[start - 1] not in "\r\n" else start
        return invalid_result(sentence, Span(before, start))


def _find_slip(what: str, text: str, start: int) -> tuple[str, str, Span, str | None] | None:
    """Return a usual mistake at an error of ``tomllib``: what is wrong, the remedy, the place and
    what was meant there, if that is known; None for other mistakes.
    """
    line = Span(text.rfind("\n", 0, start) + 1, start)
    if what == "Invalid value" and (bare := _BARE_VALUE.match(text, start)):
        place, meant = Span(start, bare.end()), _meant_value(bare[0])
        if bare[0] in ("True", "False"):
            return f"`{bare[0]}` is no value of TOML", f"Write `{meant}`.", place, meant
        return "A text has to be in quotation marks", f"Write `{meant}`.", place, meant
    if what.startswith("Expected '='") and text.startswith(":", start):
        meant, value = "=", _SPACES.match(text, start + 1)
        place = Span(start, start + 1)
        if value and (bare := _BARE_VALUE.match(text, value.end())):
            meant, place = f"= {_meant_value(bare[0])}", Span(start, bare.end())
        return "A key ends in `=`, not in `:`", f"Write `{meant}`.", place, meant
    if what == "Illegal character '\\n'" and (opened := _OPEN_TEXT.search(text, *line)):
        place = Span(opened.start(), start)
        closed = opened[0].rstrip() + opened[0][0]
        remedy = "Add the closing quotation mark."
        return "The quotation mark is never closed", remedy, place, closed
    if what == "Unclosed array" and (lists := list(_OPEN_LIST.finditer(text))):
        opened, remedy = lists[-1], "Add the closing `]`."
        return "The `[` is never closed", remedy, Span(*opened.span(1)), f"{opened[1]}]"
    is_table = what.startswith("Cannot declare")
    if is_table or what == "Cannot overwrite a value":
        return _find_repeat(text, line, is_table)
    return None


def _meant_value(bare: str) -> str:
    """Return the TOML value that a word without quotation marks was meant to be."""
    return bare.lower() if bare.lower() in ("true", "false") else f'"{bare}"'


def _find_repeat(text: str, line: Span, is_table: bool) -> tuple[str, str, Span, None] | None:
    """Return the mistake that a table or a setting, which ends on a ``line``, stands above, too."""
    scanner = _PositionScanner(text)
    scanner.scan()
    line = Span(line.start, line.end + is_table * len(text[line.end :].partition("]")[0] + "]"))
    repeats = [first for start, first in scanner.repeats if start in range(*line)]
    if not repeats:
        return None
    above, below = (text.count("\n", 0, at) + 1 for at in (repeats[-1].key.start, line.start))
    name = line.cut(text).partition("=")[0].strip()
    remedy = f"Move its keys below line {above}, and delete this line."
    if not is_table:
        single = "\n" not in repeats[-1].value.cut(text)
        remedy = f"Delete line {above} or line {below}." if single else "Delete one of the two."
    return f"`{name}` is already on line {above}", remedy, line, None


def _find_excess(text: str) -> tuple[str, Span] | None:
    """Return what in a text is nested more deeply than is read, and where; None for nothing."""
    dots = depth = 0
    for match in _TOKEN.finditer(text):
        sign, at = match[1], match.start()
        if sign == ".":
            dots += 1
            if dots == MAX_KEY_PARTS:
                return f"This key has more than {MAX_KEY_PARTS} parts", Span(at, at + 1)
        elif sign is not None:
            dots = 0
            if sign in "\"'":
                return None
            depth += (sign in "[{") - (sign in "]}")
            if depth > MAX_TOML_DEPTH:
                what = f"This value is nested more than {MAX_TOML_DEPTH} levels deep"
                return what, Span(at, at + 1)
    return None


def dotted_key(path: TomlPath) -> str:
    """Return a key as TOML has it: its parts with dots, in quotes where that is needed; numbers
    inside lists are no part of it.
    """
    keys = (key for key in path if isinstance(key, str))
    return ".".join(key if _BARE.fullmatch(key) else f'"{key}"' for key in keys)


def _error_message(what: str) -> str:
    """Return an error of ``tomllib`` in words of TOML: some name Python values, or no key
    at all.
    """
    if match := _KEY_ERROR.match(what):
        name = code_text(dotted_key(literal_eval(match[2])))
        if match[1] == "Cannot declare":
            return f"`[{name}]` is here a second time"
        return f"`{name}` is complete, and nothing can be added to it"
    if inline := _TWICE_INLINE.fullmatch(what):
        return f"`{code_text(literal_eval(inline[1]))}` is here a second time"
    return what


def toml_value(value: object) -> str:
    """Return a setting as TOML writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{dotted_key((k,))} = {toml_value(v)}' for k, v in value.items())}}}"
    return dumps(value)  # a text or a truth is written as in JSON
