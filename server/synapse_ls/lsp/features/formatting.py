"""Answer the requests for formatting: of a file, of ranges, and on typing."""

from lsprotocol import types

from synapse_ls.ide.formatting import format_edits, next_rule_edits
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.language_server import Server

Params = (
    types.DocumentFormattingParams
    | types.DocumentRangeFormattingParams
    | types.DocumentRangesFormattingParams
    | types.DocumentOnTypeFormattingParams
)


async def answer_formatting(ls: Server, _: str, params: Params) -> list[types.TextEdit] | None:
    """Answer ``textDocument/formatting``, ``rangeFormatting``, ``rangesFormatting`` and
    ``onTypeFormatting``: return the edits that format a file, parts of it, or the line that was
    begun. The options are ignored: there is one layout.
    """

    def answer(look: FileContext) -> list[types.TextEdit]:
        if isinstance(params, types.DocumentOnTypeFormattingParams):
            edits = next_rule_edits(look.facts, look.map.offset(params.position))
        elif isinstance(params, types.DocumentFormattingParams):
            edits = format_edits(look.facts)
        else:
            ranges = (
                params.ranges
                if isinstance(params, types.DocumentRangesFormattingParams)
                else [params.range]
            )
            parts = (format_edits(look.facts, look.map.span(range_)) for range_ in ranges)
            edits = tuple(dict.fromkeys(edit for part in parts for edit in part))
        return [types.TextEdit(look.map.range(edit.span), edit.new_text) for edit in edits]

    return await ls.query_file(params.text_document.uri, answer)
