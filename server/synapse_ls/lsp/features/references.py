"""``textDocument/references``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.references import references

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look


async def handle(ls: Server, _: str, params: types.ReferenceParams) -> list[types.Location] | None:
    """The places of the whole tree that speak of what stands at a place."""

    def answer(look: Look) -> list[types.Location]:
        offset = look.map.offset(params.position)
        declared = params.context.include_declaration
        place = cache(look.place)  # of a file that has many
        return [
            place(found.path).location(found.span)
            for found in references(look.view, look.path, offset, include_declaration=declared)
        ]

    return await ls.look(params.text_document.uri, answer)
