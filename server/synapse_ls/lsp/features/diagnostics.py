"""Send diagnostics to the client, either pulled (document and workspace) or pushed, never both.

Pulled if the client supports that and its refresh. A text that the client has changed meanwhile
gets none, and another file only new ones, so that nothing flickers. Some clients ask for workspace
diagnostics again every two seconds, so a request without news stays open until there is some (LSP
3.18, "Workspace Diagnostics").
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from synapse_ls.lsp import editor_settings, feature_table
from synapse_ls.lsp.convert import FilePlace, TextMap, document_key, uri_below
from synapse_ls.lsp.open_documents import Document, OpenDocuments
from synapse_ls.text.digest import hash_text
from synapse_ls.version import page_address

if TYPE_CHECKING:
    from synapse_ls.lsp.language_server import Server
    from synapse_ls.lsp.root_discovery import Root
    from synapse_ls.lsp.sentence_translation import Translate

# Seconds to wait for what other files make of an edit. An answer without it would take findings
# away that hold and are shown; in a very large tree they follow with the next pull.
_PATIENCE = 1.0

_SEVERITIES: Mapping[str, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
# The command of an editor that shows the page of a lint rule, whose code is its argument.
RULE_PAGE_COMMAND = "synapse.showRulePage"


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
        return hash_text(repr(self.items))


# The result id of a file about which nothing is to be said.
EMPTY_RESULT_ID = Publication("", None, []).result_id


class DiagnosticRenderer:
    """A DiagnosticRenderer turns findings of a tree into the protocol's diagnostics; for the
    worker's thread.

    links: whether the client shows related places. opens_pages: whether it has our extension, whose
    commands are named and show a rule's page. ``translate`` says sentences in the client's
    language.
    """

    def __init__(self, documents: OpenDocuments, links: bool, translate: Translate) -> None:
        self._documents = documents
        self._links = links
        self._translate = translate
        self.opens_pages = False
        self.is_enabled = True
        self.selection = editor_settings.FindingSelection()

    def publication(self, root: Root, path: str) -> Publication:
        """Return the diagnostics of ``path``, which is relative to the root."""
        document = self._document(root, path)
        text = root.tree.text(path)
        place = self.place(root, path)
        findings = root.tree.diagnostics(path) if self.is_enabled else ()
        items = []
        for finding in self.selection.shown(findings):
            address = page_address(f"docs/rules/{finding.name}.md")
            message = f"{self._translate(finding.message)} {self._translate(finding.remedy)}"
            if self.opens_pages:
                message = feature_table.name_editor_commands(message)
                address = f"command:{RULE_PAGE_COMMAND}?%5B%22{finding.code}%22%5D"
            related = []
            for note in finding.related if self._links else ():
                note_place = place if note.path == path else self.place(root, note.path)
                related.append(
                    types.DiagnosticRelatedInformation(
                        note_place.location(note.span), self._translate(note.message)
                    )
                )
            items.append(
                types.Diagnostic(
                    range=place.range(finding.span),
                    message=message.rstrip(),
                    severity=_SEVERITIES[finding.severity.value],
                    code=finding.code,
                    code_description=types.CodeDescription(address) if address else None,
                    source="synapse",
                    related_information=related or None,
                    data={"name": finding.name},
                )
            )
        version = document.version if document else None
        is_stale = document is not None and text is not None and document.text != text
        return Publication(place.uri, version, items, is_stale)

    def place(self, root: Root, path: str) -> FilePlace:
        """Return a file as the client knows it."""
        document, text = self._document(root, path), root.tree.text(path)
        if document is not None and (text is None or document.text == text):
            return FilePlace(document.uri, document.map)
        uri = document.uri if document else uri_below(root.path, path)
        return FilePlace(uri, None if text is None else TextMap(text, self._documents.encoding))

    def _document(self, root: Root, path: str) -> Document | None:
        key = root.buffers.get(path)
        return self._documents.find_by_path(key) if key else None


class PushPublisher:
    """A PushPublisher sends diagnostics by ``textDocument/publishDiagnostics``."""

    def __init__(self, send: Callable[[types.PublishDiagnosticsParams], object]) -> None:
        self._send = send
        self._published: dict[tuple[str, str], Publication] = {}

    def publish(
        self, root: Root, publications: Iterable[tuple[str, Publication]], edited: str | None
    ) -> None:
        """Send what is new by path; about ``edited``, the file that a key stroke changed, always,
        for its client has moved the old marks.
        """
        for path, publication in publications:
            before = self._published.get((root.path, path))
            if publication.is_stale:
                continue
            if before is not None and before.uri != publication.uri and before.items:
                self._send(types.PublishDiagnosticsParams(before.uri, []))  # it was renamed
                before = None
            had = before.items if before else []
            if had == publication.items and not (path == edited and had):
                continue
            uri, version, items, _ = publication
            self._send(types.PublishDiagnosticsParams(uri, items, version))
            if items:
                self._published[root.path, path] = publication
            else:
                self._published.pop((root.path, path), None)

    def forget(self, root: Root) -> None:
        """Take back what was sent about a root that is served no longer."""
        for key in [key for key in self._published if key[0] == root.path]:
            self._send(types.PublishDiagnosticsParams(self._published.pop(key).uri, []))


class PullPublisher:
    """A PullPublisher serves ``textDocument/diagnostic`` and ``workspace/diagnostic``, with a nudge
    when to ask again.

    ``refresh`` asks the client to pull its open files again. publications: (root, path) ->
    diagnostics, without files about which there are none. changed: what a long poll waits for; set
    with the next change.
    """

    def __init__(self, refresh: Callable[[], object]) -> None:
        self._refresh = refresh
        self.publications: dict[tuple[str, str], Publication] = {}
        self.changed = asyncio.Event()

    def publish(
        self, root: Root, publications: Iterable[tuple[str, Publication]], edited: str | None
    ) -> None:
        """Keep what is new by path, and have files pulled again that nobody is typing in."""
        changed_paths = set()
        for path, publication in publications:
            before = self.publications.get((root.path, path))
            if (before.items if before else []) == publication.items:
                continue
            changed_paths.add(path)
            if publication.items:
                self.publications[root.path, path] = publication
            else:
                self.publications.pop((root.path, path), None)
        if changed_paths:
            self._announce_changes(elsewhere=changed_paths != {edited})

    def forget(self, root: Root) -> None:
        """Drop the diagnostics of a root that is served no longer."""
        gone = [key for key in self.publications if key[0] == root.path]
        for key in gone:
            del self.publications[key]
        if gone:
            self._announce_changes(elsewhere=True)

    def _announce_changes(self, *, elsewhere: bool) -> None:
        waiting, self.changed = self.changed, asyncio.Event()
        waiting.set()
        if elsewhere:
            self._refresh()


async def answer_document_diagnostic(
    ls: Server, _: str, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    """Answer ``textDocument/diagnostic``: return the diagnostics of a file, or that the client has
    them already.
    """
    if (place := await ls.find_place(params.text_document.uri)) is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    root, path = place
    publication = await ls.worker.run(ls.renderer.publication, root, path)
    if not root.settled.is_set():
        root.catch_up.run_now()
        with suppress(TimeoutError):
            await asyncio.wait_for(root.settled.wait(), _PATIENCE)
        publication = await ls.worker.run(ls.renderer.publication, root, path)
    if (result_id := publication.result_id) == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    return types.RelatedFullDocumentDiagnosticReport(items=publication.items, result_id=result_id)


async def answer_workspace_diagnostic(
    ls: Server, _: str, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    """Answer ``workspace/diagnostic``: return the files whose diagnostics differ from what the
    client has.
    """
    publisher = ls.publisher
    assert isinstance(publisher, PullPublisher)  # else nobody can ask
    await ls.trees.scan_finished.wait()
    previous = {document_key(result.uri): result for result in params.previous_result_ids}
    while True:
        # What the client has and is still so is left out, for it keeps that.
        reports: list[types.WorkspaceDocumentDiagnosticReport] = []
        keys = set()
        for publication in publisher.publications.values():
            key = document_key(publication.uri)
            keys.add(key)
            before = previous.get(key)
            uri, version, items, _is_stale = publication
            result_id = publication.result_id
            if before is None or before.value != result_id:
                reports.append(
                    types.WorkspaceFullDocumentDiagnosticReport(
                        uri=uri, items=items, version=version, result_id=result_id
                    )
                )
        reports += [
            types.WorkspaceFullDocumentDiagnosticReport(
                uri=result.uri, items=[], result_id=EMPTY_RESULT_ID
            )
            for key, result in previous.items()
            if key not in keys and result.value != EMPTY_RESULT_ID
        ]
        if reports:
            return types.WorkspaceDiagnosticReport(reports)
        await publisher.changed.wait()
