"""``textDocument/foldingRange``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.folding import folds

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look


async def handle(
    ls: Server, _: str, params: types.FoldingRangeParams
) -> list[types.FoldingRange] | None:
    """Whole lines that can be folded, no more of them than the client wants."""

    def answer(look: Look) -> list[types.FoldingRange]:
        found = folds(look.facts)[: ls.client.fold_limit or None]
        return [
            types.FoldingRange(
                start_line=look.map.position(fold.span.start).line,
                end_line=look.map.position(fold.span.end).line,
                kind=types.FoldingRangeKind.Comment if fold.kind == "comment" else None,
            )
            for fold in found
        ]

    return await ls.look(params.text_document.uri, answer)
