"""This module answers ``textDocument/diagnostic``, the pull of one file's diagnostics."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from synapse_ls.lsp.language_server import Server

# Seconds to wait for what other files make of an edit. An answer without it would take findings away
# that hold and are shown; in a very large tree they follow with the next pull.
_PATIENCE = 1.0


async def handle(
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
