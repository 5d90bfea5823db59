"""Answer ``textDocument/formatting`` and ``textDocument/rangeFormatting``."""

from __future__ import annotations

from lsprotocol import types

from synapse_ls.ide.formatting import format_edits
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.language_server import Server

Params = types.DocumentFormattingParams | types.DocumentRangeFormattingParams


async def answer_formatting(ls: Server, _: str, params: Params) -> list[types.TextEdit] | None:
    """Answer ``textDocument/formatting`` and ``textDocument/rangeFormatting``: return the edits
    that format a file, or a part of it. The options are ignored: there is one layout.
    """

    def answer(look: FileContext) -> list[types.TextEdit]:
        within = None
        if isinstance(params, types.DocumentRangeFormattingParams):
            within = look.map.span(params.range)
        edits = format_edits(look.facts, within)
        return [types.TextEdit(look.map.range(edit.span), edit.new_text) for edit in edits]

    return await ls.query_file(params.text_document.uri, answer)
