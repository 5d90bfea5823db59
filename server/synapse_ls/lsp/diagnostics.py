"""Diagnostics on their way to the client: pulled by it or pushed to it, never both.

A client that can pull them and can be told to do so again, does. Any other gets them pushed. Two
rules keep them from flickering: nothing is said about a text that the client has changed meanwhile
(the text that follows speaks for itself), and a file elsewhere is only spoken of when something
about it is new.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lsprotocol import types

from synapse_ls.lsp import convert
from synapse_ls.lsp.convert import Place, TextMap
from synapse_ls.lsp.uris import uri_in

if TYPE_CHECKING:
    from synapse_ls.lsp.documents import Document, Documents
    from synapse_ls.lsp.roots import Root


class Publication(NamedTuple):
    """What is to be said about one file.

    version: that of the open document it is about, None for a file that is not open. stale: the
    document has another text by now.
    """

    uri: str
    version: int | None
    items: list[types.Diagnostic]
    stale: bool = False

    @property
    def result_id(self) -> str:
        """The same for the same diagnostics, and only for them."""
        return _id_of(self.items)


def _id_of(items: list[types.Diagnostic]) -> str:
    return blake2b(repr(items).encode(), digest_size=12).hexdigest()


NOTHING = _id_of([])
"""The result id of a file about which nothing is to be said."""


class Renderer:
    """Findings of a tree in the protocol's terms; for the worker's thread."""

    def __init__(self, documents: Documents, *, links: bool) -> None:
        self._documents = documents
        self._links = links
        self.enabled = True

    def publication(self, root: Root, path: str) -> Publication:
        """What is to be said about ``path``, which is relative to the root."""
        document = self._document(root, path)
        text = root.tree.text(path)
        place = self._place(root, path, text)
        items = [
            convert.diagnostic(
                found,
                place,
                [
                    (one, place if one.path == path else self.place(root, one.path))
                    for one in found.related
                ],
                links=self._links,
            )
            for found in (root.tree.diagnostics(path) if self.enabled else ())
        ]
        version = document.version if document else None
        stale = document is not None and text is not None and document.text != text
        return Publication(place.uri, version, items, stale)

    def place(self, root: Root, path: str) -> Place:
        """A file as the client knows it."""
        return self._place(root, path, root.tree.text(path))

    def _place(self, root: Root, path: str, text: str | None) -> Place:
        document = self._document(root, path)
        if document is not None and (text is None or document.text == text):
            return Place(document.uri, document.map)
        uri = document.uri if document else uri_in(root.path, path)
        map_ = None if text is None else TextMap(text, self._documents.encoding)
        return Place(uri, map_)

    def _document(self, root: Root, path: str) -> Document | None:
        key = root.buffers.get(path)
        return self._documents.at(key) if key else None


class Publisher(Protocol):
    """Where diagnostics go."""

    def publish(
        self, root: Root, found: Iterable[tuple[str, Publication]], edited: str | None
    ) -> None:
        """Tell what is found by path; ``edited`` is the path that a key stroke changed, if any."""

    def forget(self, root: Root) -> None:
        """The root is served no longer: nothing more is to be said about its files."""


class Push:
    """``textDocument/publishDiagnostics``."""

    def __init__(self, send: Callable[[types.PublishDiagnosticsParams], object]) -> None:
        self._send = send
        self._said: dict[tuple[str, str], Publication] = {}

    def publish(
        self, root: Root, found: Iterable[tuple[str, Publication]], edited: str | None
    ) -> None:
        """Say what is new; about an edited file always, for its client has moved the old marks."""
        for path, publication in found:
            before = self._said.get((root.path, path))
            if publication.stale:
                continue
            if before is not None and before.uri != publication.uri and before.items:
                self._send(types.PublishDiagnosticsParams(before.uri, []))  # it was renamed
                before = None
            had = before.items if before else []
            if had == publication.items and not (path == edited and had):
                continue
            self._send(
                types.PublishDiagnosticsParams(
                    publication.uri, publication.items, publication.version
                )
            )
            if publication.items:
                self._said[root.path, path] = publication
            else:
                self._said.pop((root.path, path), None)

    def forget(self, root: Root) -> None:
        """Take back what was said."""
        for key in [key for key in self._said if key[0] == root.path]:
            self._send(types.PublishDiagnosticsParams(self._said.pop(key).uri, []))


class Pull:
    """``textDocument/diagnostic`` and ``workspace/diagnostic``, with a nudge when to ask again.

    ``refresh`` asks the client to pull its open files again; `wait` is what a long poll waits for.
    """

    def __init__(self, refresh: Callable[[], object]) -> None:
        self._refresh = refresh
        self._said: dict[tuple[str, str], Publication] = {}
        self._changed = asyncio.Event()

    @property
    def all(self) -> Mapping[tuple[str, str], Publication]:
        """(root, path) -> what is to be said; files about which there is nothing are not in it."""
        return self._said

    def publish(
        self, root: Root, found: Iterable[tuple[str, Publication]], edited: str | None
    ) -> None:
        """Keep what is new, and have files pulled again that nobody is typing in."""
        elsewhere = changed = False
        for path, publication in found:
            before = self._said.get((root.path, path))
            if (before.items if before else []) == publication.items:
                continue
            changed = True
            elsewhere |= path != edited
            if publication.items:
                self._said[root.path, path] = publication
            else:
                self._said.pop((root.path, path), None)
        self._announce(changed, elsewhere)

    def forget(self, root: Root) -> None:
        """Nothing more is to be said about its files."""
        gone = [key for key in self._said if key[0] == root.path]
        for key in gone:
            del self._said[key]
        self._announce(bool(gone), bool(gone))

    async def wait(self) -> None:
        """Until something changes."""
        await self._changed.wait()

    def _announce(self, changed: bool, elsewhere: bool) -> None:
        if changed:
            waiting, self._changed = self._changed, asyncio.Event()
            waiting.set()
        if elsewhere:
            self._refresh()
