"""``textDocument/documentHighlight``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.references import highlights

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look


async def handle(
    ls: Server, _: str, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight] | None:
    """The places of a file that speak of what stands at a place; definitions count as writes."""
    kinds = types.DocumentHighlightKind

    def answer(look: Look) -> list[types.DocumentHighlight]:
        found = highlights(look.view, look.path, look.map.offset(params.position))
        return [
            types.DocumentHighlight(
                look.map.range(one.span), kinds.Write if one.defines else kinds.Read
            )
            for one in found
        ]

    return await ls.look(params.text_document.uri, answer)
