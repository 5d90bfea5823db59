"""Answer ``textDocument/foldingRange`` and ``textDocument/selectionRange``."""

from typing import Any

from lsprotocol import types

from synapse_ls.ide.folding_range import folding_ranges, selection_ranges
from synapse_ls.lsp.convert import PlainResult
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.language_server import Server


async def answer_folding_range(
    ls: Server, _: str, params: types.FoldingRangeParams
) -> PlainResult | None:
    """Answer ``textDocument/foldingRange``: return whole lines that can be folded, no more of them
    than the client wants.
    """

    def answer(look: FileContext) -> PlainResult:
        folds = folding_ranges(look.facts)[: ls.client.fold_limit or None]
        kinds: dict[str, dict[str, Any]] = {
            "comment": {"kind": types.FoldingRangeKind.Comment.value}
        }
        return PlainResult(
            [
                {"startLine": fold.first, "endLine": fold.last, **kinds.get(fold.kind, {})}
                for fold in folds
            ]
        )

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
