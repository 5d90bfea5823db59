"""``textDocument/diagnostic``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server


async def handle(
    ls: Server, _: str, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    """What is to be said about a file, or that it is what the client has already."""
    place = await ls.place_of(params.text_document.uri)
    if place is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    root, path = place
    found = await ls.worker.run(ls.renderer.publication, root, path)
    if found.result_id == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=found.result_id)
    return types.RelatedFullDocumentDiagnosticReport(items=found.items, result_id=found.result_id)
