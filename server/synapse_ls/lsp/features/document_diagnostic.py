"""This module answers ``textDocument/diagnostic``, the pull of one file's diagnostics."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from synapse_ls.lsp.language_server import Server

# Seconds to wait for a tree that is being read, and for what other files make of an edit. An answer without it would take findings away that
# hold and are shown; in a very large tree they follow with the next pull. Where none are shown yet, nobody waits for those of other files.
_PATIENCE = 1.0


async def handle(
    ls: Server, _: str, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    """Answers ``textDocument/diagnostic``: returns the diagnostics of a file, or that the client
    has them already.
    """
    place = await ls.find_place(params.text_document.uri)
    if place is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    root, path = place
    if not root.loaded.is_set() and params.previous_result_id is not None:
        with suppress(TimeoutError):
            await asyncio.wait_for(root.loaded.wait(), _PATIENCE)
    if not root.loaded.is_set() and (early := await ls.trees.preview_document(root, path)):
        ls.trees.answered.set()
        return types.RelatedFullDocumentDiagnosticReport(early.items, result_id=early.result_id)
    found = await ls.worker.run(ls.renderer.publication, root, path)
    if root.is_settling:
        root.pause.end_now()
        with suppress(TimeoutError):
            await asyncio.wait_for(root.settled.wait(), _PATIENCE)
        found = await ls.worker.run(ls.renderer.publication, root, path)
    if found.result_id == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=found.result_id)
    return types.RelatedFullDocumentDiagnosticReport(items=found.items, result_id=found.result_id)
