"""This module answers ``textDocument/documentHighlight``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.definition import find_highlights

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server


async def handle(
    ls: Server, _: str, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight] | None:
    """Answers ``textDocument/documentHighlight``: returns the places of a file that speak of what
    stands at a place; definitions count as writes.
    """
    kinds = types.DocumentHighlightKind

    def answer(look: FileContext) -> list[types.DocumentHighlight]:
        found = find_highlights(look.view, look.path, look.map.offset(params.position))
        return [
            types.DocumentHighlight(
                look.map.range(one.span), kinds.Write if one.defines else kinds.Read
            )
            for one in found
        ]

    return await ls.query_file(params.text_document.uri, answer)
