"""Publish diagnostics to the client: pulled by it or pushed to it, never both.

A client that can pull them and can be told to do so again, does. Any other gets them pushed. Two
rules keep them from flickering: nothing is said about a text that the client has changed meanwhile
(the text that follows speaks for itself), and a file elsewhere is only spoken of when something
about it is new.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lsprotocol import types

from synapse_ls.lsp import convert
from synapse_ls.lsp.convert import FilePlace, TextMap, uri_below
from synapse_ls.lsp.editor_settings import FindingSelection
from synapse_ls.text.digest import hash_text

if TYPE_CHECKING:
    from synapse_ls.lsp.open_documents import Document, OpenDocuments
    from synapse_ls.lsp.sentence_translation import Translate
    from synapse_ls.lsp.tree_roots import Root


class Publication(NamedTuple):
    """The list of diagnostics of one file that is published.

    version: that of the open document it is about, None for a file that is not open. is_stale: the
    document has another text by now.
    """

    uri: str
    version: int | None
    items: list[types.Diagnostic]
    is_stale: bool = False

    @property
    def result_id(self) -> str:
        """An id that is the same for the same diagnostics, and only for them."""
        return _result_id(self.items)


def _result_id(items: list[types.Diagnostic]) -> str:
    return hash_text(repr(items))


EMPTY_RESULT_ID = _result_id([])
"""The result id of a file about which nothing is to be said."""


class DiagnosticRenderer:
    """A DiagnosticRenderer turns findings of a tree into the protocol's diagnostics; for the
    worker's thread.
    """

    def __init__(
        self, documents: OpenDocuments, *, links: bool, translate: Translate = str
    ) -> None:
        self._documents = documents
        self._links = links
        self._translate = translate
        self.opens_pages = False
        self.is_enabled = True
        self.selection = FindingSelection()

    def publication(self, root: Root, path: str) -> Publication:
        """Return the diagnostics of ``path``, which is relative to the root."""
        document = self._document(root, path)
        text = root.tree.text(path)
        place = self._place(root, path, text)
        findings = root.tree.diagnostics(path) if self.is_enabled else ()
        items = [
            convert.to_diagnostic(
                finding,
                place,
                [
                    (related, place if related.path == path else self.place(root, related.path))
                    for related in finding.related
                ],
                links=self._links,
                translate=self._translate,
                opens_pages=self.opens_pages,
            )
            for finding in self.selection.shown(findings)
        ]
        version = document.version if document else None
        stale = document is not None and text is not None and document.text != text
        return Publication(place.uri, version, items, stale)

    def place(self, root: Root, path: str) -> FilePlace:
        """Return a file as the client knows it."""
        return self._place(root, path, root.tree.text(path))

    def _place(self, root: Root, path: str, text: str | None) -> FilePlace:
        document = self._document(root, path)
        if document is not None and (text is None or document.text == text):
            return FilePlace(document.uri, document.map)
        uri = document.uri if document else uri_below(root.path, path)
        map_ = None if text is None else TextMap(text, self._documents.encoding)
        return FilePlace(uri, map_)

    def _document(self, root: Root, path: str) -> Document | None:
        key = root.buffers.get(path)
        return self._documents.find_by_path(key) if key else None


class DiagnosticsPublisher(Protocol):
    """Where diagnostics go."""

    def publish(
        self, root: Root, found: Iterable[tuple[str, Publication]], edited: str | None
    ) -> None:
        """Publish what is found by path; ``edited`` is the path that a key stroke changed, if
        any.
        """

    def forget(self, root: Root) -> None:
        """Drop a root that is served no longer: nothing more is to be said about its files."""


class PushPublisher:
    """A PushPublisher sends diagnostics by ``textDocument/publishDiagnostics``."""

    def __init__(self, send: Callable[[types.PublishDiagnosticsParams], object]) -> None:
        self._send = send
        self._published: dict[tuple[str, str], Publication] = {}

    def publish(
        self, root: Root, found: Iterable[tuple[str, Publication]], edited: str | None
    ) -> None:
        """Send what is new; about an edited file always, for its client has moved the old marks."""
        for path, publication in found:
            before = self._published.get((root.path, path))
            if publication.is_stale:
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
                self._published[root.path, path] = publication
            else:
                self._published.pop((root.path, path), None)

    def forget(self, root: Root) -> None:
        """Take back what was sent about a root."""
        for key in [key for key in self._published if key[0] == root.path]:
            self._send(types.PublishDiagnosticsParams(self._published.pop(key).uri, []))


class PullPublisher:
    """A PullPublisher serves ``textDocument/diagnostic`` and ``workspace/diagnostic``, with a nudge
    when to ask again.

    ``refresh`` asks the client to pull its open files again; `wait_for_change` is what a long poll
    waits for.
    """

    def __init__(self, refresh: Callable[[], object]) -> None:
        self._refresh = refresh
        self._published: dict[tuple[str, str], Publication] = {}
        self._changed = asyncio.Event()

    @property
    def publications(self) -> Mapping[tuple[str, str], Publication]:
        """(root, path) -> diagnostics; files about which there are none are not in it."""
        return self._published

    def publish(
        self, root: Root, found: Iterable[tuple[str, Publication]], edited: str | None
    ) -> None:
        """Keep what is new, and have files pulled again that nobody is typing in."""
        elsewhere = changed = False
        for path, publication in found:
            before = self._published.get((root.path, path))
            if (before.items if before else []) == publication.items:
                continue
            changed = True
            elsewhere |= path != edited
            if publication.items:
                self._published[root.path, path] = publication
            else:
                self._published.pop((root.path, path), None)
        self._announce_changes(changed, elsewhere)

    def forget(self, root: Root) -> None:
        """Drop the diagnostics of a root."""
        gone = [key for key in self._published if key[0] == root.path]
        for key in gone:
            del self._published[key]
        self._announce_changes(bool(gone), bool(gone))

    async def wait_for_change(self) -> None:
        """Wait until something changes."""
        await self._changed.wait()

    def _announce_changes(self, changed: bool, elsewhere: bool) -> None:
        if changed:
            waiting, self._changed = self._changed, asyncio.Event()
            waiting.set()
        if elsewhere:
            self._refresh()
