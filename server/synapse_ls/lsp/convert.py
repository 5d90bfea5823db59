"""Convert the protocol's positions and URIs from and to offsets and paths.

A position is a line and a column in the negotiated unit: bytes of UTF-8, code units of UTF-16, or
code points (LSP 3.18, "Position Encoding Kinds"); an offset counts code points. Clients escape URIs
differently (``c%3A``, ``%5B``) and differ in the case of drive letters. A path is absolute, with
``/``, without ``..``; links are not resolved.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types

from synapse_ls.text.decoding import replace_surrogates
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.workspace.tree_folders import is_above_root

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"

# LSP ``Range``, for whoever only hands it on.
Range = types.Range


class TextMap:
    """A TextMap converts positions of a text: it is the text together with the encoding in which
    they are counted.
    """

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._encoding = encoding

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    @cached_property
    def _is_alike(self) -> bool:
        """Whether the unit of the encoding is a code point all through the text."""
        return self._encoding == UTF32 or self.text.isascii()

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; one beyond its line or the text goes to the end of that.

        A position inside a character goes to its beginning.
        """
        if position.line >= self._lines.line_count or position.line < 0:
            return self._lines.offset(position.line, 0)
        span = self._lines.line_span(position.line)
        line, units = span.cut(self.text), max(position.character, 0)
        if self._encoding == UTF8:
            columns = len(line.encode()[:units].decode(errors="ignore"))
        elif self._encoding == UTF16 and not line.isascii():
            data = line.encode("utf-16-le")[: 2 * units]
            columns = len(data.decode("utf-16-le", errors="ignore"))
        else:
            columns = min(units, len(line))
        return span.start + columns

    def cell(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, which is kept inside the text."""
        line = self._lines.line_of(offset)
        start, end = self._lines.line_span(line)
        offset = min(max(offset, start), end)
        if self._is_alike:
            return line, offset - start
        return line, _count_units(self.text[start:offset], self._encoding)

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset, which is kept inside the text."""
        return types.Position(*self.cell(offset))

    def span(self, range_: types.Range) -> Span:
        """Return the span of a range, also of one whose ends are the wrong way round."""
        first, last = self.offset(range_.start), self.offset(range_.end)
        return Span(min(first, last), max(first, last))

    def range(self, span: Span) -> types.Range:
        """Return the range of a span."""
        return types.Range(self.position(span.start), self.position(span.end))

    def plain_range(self, span: Span) -> dict[str, dict[str, int]]:
        """Return the range of a span in the values of JSON."""
        (first, left), (last, right) = map(self.cell, span)
        return {
            "start": {"line": first, "character": left},
            "end": {"line": last, "character": right},
        }

    def token_cells(self, spans: Iterable[Span]) -> Iterator[tuple[int, int, int]]:
        """Yield line, column and length of each of ``spans``, none of which reaches over a line
        break.
        """
        for start, end in spans:
            yield *self.cell(start), _count_units(self.text[start:end], self._encoding)

    def apply_changes(self, params: types.DidChangeTextDocumentParams) -> str:
        """Return the text after changes, each of which speaks of the text that the one before left;
        one without a range replaces all of it.
        """
        current = self
        for change in params.content_changes:
            text = replace_surrogates(change.text)
            if (range_ := getattr(change, "range", None)) is not None:
                start, end = current.span(range_)
                text = current.text[:start] + text + current.text[end:]
            current = TextMap(text, self._encoding)
        return current.text


def chosen_encoding(capabilities: types.ClientCapabilities) -> str:
    """Return the encoding in which positions are converted, the client's favourite of those that
    both sides know; UTF-16 where it names none.
    """
    general = capabilities.general
    offered = (general.position_encodings if general else None) or ()
    names = (str(getattr(kind, "value", kind)) for kind in offered)
    return next((kind for kind in names if kind in (UTF8, UTF16, UTF32)), UTF16)


def line_range(line: int) -> types.Range:
    """Return the protocol's range of a whole line that is counted from 0, its break included."""
    return types.Range(types.Position(line, 0), types.Position(line + 1, 0))


def start_of_file() -> types.Range:
    """Return the protocol's empty range at the beginning, for what concerns a file that has no
    text.
    """
    return types.Range(types.Position(0, 0), types.Position(0, 0))


class FilePlace(NamedTuple):
    """A file whose positions are converted, as the protocol names it, with its text; ``map`` is
    None where that is not known.
    """

    uri: str
    map: TextMap | None

    def range(self, span: Span) -> types.Range:
        """Return the range of a span in this file."""
        return self.map.range(span) if self.map else start_of_file()

    def location(self, span: Span) -> types.Location:
        """Return a span of this file as a location."""
        return types.Location(self.uri, self.range(span))


def to_json(value: Any) -> Any:
    """Convert a range or position to plain JSON values, as the custom methods' answers hold
    them.
    """
    if isinstance(value, types.Range):
        return {"start": to_json(value.start), "end": to_json(value.end)}
    return {"line": value.line, "character": value.character}


def parse_position(value: object) -> types.Position | None:
    """Convert plain JSON values to a position of the protocol; None where they are none."""
    if not isinstance(value, Mapping):
        return None
    line, character = value.get("line"), value.get("character")
    if isinstance(line, int) and isinstance(character, int):
        return types.Position(line, character)
    return None


def _count_units(piece: str, encoding: str) -> int:
    """Return how long ``piece`` is in the agreed unit."""
    if encoding == UTF32 or piece.isascii():
        return len(piece)
    if encoding == UTF8:
        return len(piece.encode())
    return len(piece.encode("utf-16-le")) // 2


_SAFE_CHARACTERS = "/-._~!$&'()*+,;=@"


def uri_to_path(uri: str) -> str | None:
    """Return the path that a ``file:`` URI names; None for a URI of another scheme or an ill-formed
    one.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.casefold() != "file":
        return None
    path = unquote(parts.path)
    if "\0" in path or not path:
        return None
    if parts.netloc and parts.netloc.casefold() != "localhost":
        return with_slashes(os.path.normpath(f"//{parts.netloc}{path}"))
    if len(path) > 2 and path[2] == ":" and path[1].isalpha():
        path = path[1].lower() + path[2:]
    return with_slashes(os.path.normpath(path))


def path_to_uri(path: str) -> str:
    """Return the URI of an absolute path."""
    if (path := with_slashes(path)).startswith("//"):
        return f"file:{quote(path, safe=_SAFE_CHARACTERS)}"
    if not path.startswith("/"):
        path = f"/{path}"
    return f"file://{quote(path, safe=_SAFE_CHARACTERS)}"


def uri_below(root: str, path: str) -> str:
    """Return the URI of a path relative to ``root``; one that leads above it does so along the real
    path.
    """
    full = f"{root}/{path}"
    return path_to_uri(os.path.realpath(full) if is_above_root(path) else full)


def with_slashes(path: str) -> str:
    """Return a file's path of the system with ``/``; a backslash is a character like any other but
    on Windows.
    """
    return path if os.sep == "/" else path.replace(os.sep, "/")


def document_key(uri: str) -> str:
    """Return the key by which a document's URI identifies it: its path where it is a file, else the
    URI as it was written.
    """
    return uri_to_path(uri) or uri


class PlainResult(NamedTuple):
    """A result of a request in the values that JSON has, which is sent as it is.

    For answers with very many parts: making typed objects of them, only to take these apart again,
    would take longer than finding out what is in them.
    """

    value: Any
