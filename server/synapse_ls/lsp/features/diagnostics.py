"""Answer pulls of diagnostics: ``textDocument/diagnostic`` and ``workspace/diagnostic``.

Clients ask for those of the workspace again as soon as they are answered, some every two seconds
for ever. So a request that would bring nothing new stays open until there is something (LSP 3.18,
"Workspace Diagnostics").
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from lsprotocol import types

from synapse_ls.lsp.convert import document_key
from synapse_ls.lsp.diagnostics_publisher import EMPTY_RESULT_ID
from synapse_ls.lsp.language_server import Server

# Seconds to wait for what other files make of an edit. An answer without it would take findings
# away that hold and are shown; in a very large tree they follow with the next pull.
_PATIENCE = 1.0


async def answer_document_diagnostic(
    ls: Server, _: str, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    """Answer ``textDocument/diagnostic``: return the diagnostics of a file, or that the client has
    them already.
    """
    place = await ls.find_place(params.text_document.uri)
    if place is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    root, path = place
    publication = await ls.worker.run(ls.renderer.publication, root, path)
    if not root.settled.is_set():
        root.catch_up.run_now()
        with suppress(TimeoutError):
            await asyncio.wait_for(root.settled.wait(), _PATIENCE)
        publication = await ls.worker.run(ls.renderer.publication, root, path)
    if publication.result_id == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=publication.result_id)
    return types.RelatedFullDocumentDiagnosticReport(
        items=publication.items, result_id=publication.result_id
    )


Reports = list[types.WorkspaceDocumentDiagnosticReport]


async def answer_workspace_diagnostic(
    ls: Server, _: str, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    """Answer ``workspace/diagnostic``: return the files whose diagnostics differ from what the
    client has.
    """
    pull = ls.pull
    await ls.trees.scan_finished.wait()
    previous = {document_key(result.uri): result for result in params.previous_result_ids}
    while True:
        # What the client has and is still so is left out, for it keeps that.
        reports: Reports = []
        keys = set()
        for publication in pull.publications.values():
            key = document_key(publication.uri)
            keys.add(key)
            before = previous.get(key)
            if before is None or before.value != publication.result_id:
                reports.append(
                    types.WorkspaceFullDocumentDiagnosticReport(
                        uri=publication.uri,
                        items=publication.items,
                        version=publication.version,
                        result_id=publication.result_id,
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
        await pull.wait_for_change()
