"""The open documents, kept by ourselves.

pygls splits lines as Python does (also at U+2028, NEL, VT, FF), loses a character where a range
ends beyond the last line, raises for a change of a document that is not open and re-reads closed
files from disk with other line breaks. So it is asked for nothing: text and places are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from synapse_ls.lsp.convert import Change, TextMap
from synapse_ls.lsp.uris import key_of, path_of
from synapse_ls.text.whole import whole


class Document:
    """One version of an open document; never changed, so any thread may look at it.

    ``uri`` is spelt as the client spells it. ``path`` is None for what is no file.
    """

    def __init__(self, uri: str, version: int, text: str, encoding: str) -> None:
        self.uri = uri
        self.version = version
        self.text = text
        self._encoding = encoding

    @cached_property
    def map(self) -> TextMap:
        """The way between the client's positions and offsets."""
        return TextMap(self.text, self._encoding)

    @cached_property
    def path(self) -> str | None:
        """The file's path."""
        return path_of(self.uri)


class Documents:
    """The open documents by their key. Changed by the event loop, readable by any thread."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """The open document that a URI, in any spelling, names."""
        return self._open.get(key_of(uri))

    def at(self, path: str) -> Document | None:
        """The open document of the file ``path``."""
        return self._open.get(path)

    def open(self, uri: str, version: int, text: str) -> Document:
        """A document was opened, or opened again."""
        return self._keep(Document(uri, version, whole(text), self.encoding))

    def change(self, uri: str, version: int, changes: Iterable[Change]) -> Document | None:
        """A document was changed; None where it is not open, so that there is nothing to change."""
        before = self.get(uri)
        if before is None:
            return None
        text = before.map.changed(changes)
        return self._keep(Document(before.uri, version, text, self.encoding))

    def close(self, uri: str) -> Document | None:
        """A document was closed; None where it was not open."""
        return self._open.pop(key_of(uri), None)

    def _keep(self, document: Document) -> Document:
        self._open[key_of(document.uri)] = document
        return document
