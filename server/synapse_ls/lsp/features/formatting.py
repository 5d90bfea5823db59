"""``textDocument/formatting`` and ``textDocument/rangeFormatting``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.formatting import format_edits

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look

Params = types.DocumentFormattingParams | types.DocumentRangeFormattingParams


async def handle(ls: Server, _: str, params: Params) -> list[types.TextEdit] | None:
    """The edits that lay a file out, or a part of it. The options are not asked: there is one layout."""

    def answer(look: Look) -> list[types.TextEdit]:
        within = None
        if isinstance(params, types.DocumentRangeFormattingParams):
            within = look.map.span(params.range)
        edits = format_edits(look.facts, within)
        return [types.TextEdit(look.map.range(edit.span), edit.new_text) for edit in edits]

    return await ls.look(params.text_document.uri, answer)
