"""This module answers ``textDocument/foldingRange``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.folding_range import folding_ranges

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server


async def handle(
    ls: Server, _: str, params: types.FoldingRangeParams
) -> list[types.FoldingRange] | None:
    """Answers ``textDocument/foldingRange``: returns whole lines that can be folded, no more of
    them than the client wants.
    """

    def answer(look: FileContext) -> list[types.FoldingRange]:
        found = folding_ranges(look.facts)[: ls.client.fold_limit or None]
        return [
            types.FoldingRange(
                start_line=look.map.position(fold.span.start).line,
                end_line=look.map.position(fold.span.end).line,
                kind=types.FoldingRangeKind.Comment if fold.kind == "comment" else None,
            )
            for fold in found
        ]

    return await ls.query_file(params.text_document.uri, answer)
