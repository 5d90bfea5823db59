"""Answer ``textDocument/foldingRange`` and ``textDocument/selectionRange``."""

from typing import Any

from lsprotocol import types

from synapse_ls.ide.folding_range import folding_ranges, selection_ranges
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.language_server import Server


async def answer_folding_range(
    ls: Server, _: str, params: types.FoldingRangeParams
) -> list[types.FoldingRange] | None:
    """Answer ``textDocument/foldingRange``: returns whole lines that can be folded, no more of them
    than the client wants.
    """

    def answer(look: FileContext) -> list[types.FoldingRange]:
        folds = folding_ranges(look.facts)[: ls.client.fold_limit or None]
        return [
            types.FoldingRange(
                start_line=look.map.position(fold.span.start).line,
                end_line=look.map.position(fold.span.end).line,
                kind=types.FoldingRangeKind.Comment if fold.kind == "comment" else None,
            )
            for fold in folds
        ]

    return await ls.query_file(params.text_document.uri, answer)


async def answer_selection_range(
    ls: Server, _: str, params: types.SelectionRangeParams
) -> list[types.SelectionRange] | None:
    """Answer ``textDocument/selectionRange``: return what a growing selection takes in, for each of
    the places.
    """

    def chain(look: FileContext, position: Any) -> types.SelectionRange:
        inner: types.SelectionRange | None = None
        for span in reversed(selection_ranges(look.facts, look.map.offset(position))):
            inner = types.SelectionRange(look.map.range(span), inner)
        assert inner is not None  # the whole file is always one of them
        return inner

    def answer(look: FileContext) -> list[types.SelectionRange]:
        return [chain(look, position) for position in params.positions]

    return await ls.query_file(params.text_document.uri, answer)
