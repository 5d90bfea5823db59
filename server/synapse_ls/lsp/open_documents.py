"""The client's open documents, and the semantic tokens that it has of them.

pygls splits lines as Python does (also at U+2028, NEL, VT, FF), loses a character where a range
ends beyond the last line, raises for a change of a document that is not open, and re-reads closed
files with other line breaks. So its documents are not used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from lsprotocol import types

from synapse_ls.lsp.convert import TextMap, document_key, uri_to_path
from synapse_ls.text.decoding import replace_surrogates


@dataclass(frozen=True, eq=False)
class Document:
    """One version of an open document; it never changes, so any thread may look at it.

    ``uri`` is spelt as the client spells it. ``path`` is None for what is no file.
    """

    uri: str
    version: int
    text: str
    encoding: str

    @cached_property
    def map(self) -> TextMap:
        """The map between the client's positions and offsets."""
        return TextMap(self.text, self.encoding)

    @cached_property
    def path(self) -> str | None:
        """The file's path, or None for what is no file."""
        return uri_to_path(self.uri)


class OpenDocuments:
    """The open documents by their key. The event loop changes them, any thread may read them."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """Return the open document that a URI, in any spelling, names."""
        return self._open.get(document_key(uri))

    def find_by_path(self, path: str) -> Document | None:
        """Return the open document of the file ``path``."""
        return self._open.get(path)

    def open(self, item: types.TextDocumentItem) -> Document:
        """Store a document that was opened, or opened again."""
        text = replace_surrogates(item.text)
        return self._store(Document(item.uri, item.version, text, self.encoding))

    def change(self, params: types.DidChangeTextDocumentParams) -> Document | None:
        """Store the new version of a changed document; None where it is not open, so that there is
        nothing to change.
        """
        if (before := self.get(params.text_document.uri)) is None:
            return None
        version, text = params.text_document.version, before.map.apply_changes(params)
        return self._store(Document(before.uri, version, text, self.encoding))

    def close(self, uri: str) -> Document | None:
        """Remove a document that was closed and return it; None where it was not open."""
        return self._open.pop(document_key(uri), None)

    def _store(self, document: Document) -> Document:
        self._open[document_key(document.uri)] = document
        return document


_KEPT_RESULTS = 64  # documents; a client that has more visible asks for all tokens again


class TokenResults:
    """The latest semantic tokens that the client has of each open document, by result id, so that
    it can be told only what differs.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._results: dict[str, tuple[str, list[int]]] = {}

    def keep(self, uri: str, data: list[int]) -> str:
        """Remember the tokens that a client is sent, and return the result id to send with them."""
        key = document_key(uri)
        former = self._results.pop(key, None)
        result_id = former[0] if former and former[1] == data else str(next(self._numbers))
        self._results[key] = result_id, data
        if len(self._results) > _KEPT_RESULTS:
            del self._results[next(iter(self._results))]
        return result_id

    def get(self, uri: str, result_id: str) -> list[int] | None:
        """Return the tokens that the client was sent under an id; None where that is forgotten."""
        latest = self._results.get(document_key(uri))
        return latest[1] if latest and latest[0] == result_id else None
