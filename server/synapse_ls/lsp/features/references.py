"""This module answers ``textDocument/references``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.definition import find_references

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server


async def handle(ls: Server, _: str, params: types.ReferenceParams) -> list[types.Location] | None:
    """Answers ``textDocument/references``: returns the places of the whole tree that speak of what
    stands at a place.
    """

    def answer(look: FileContext) -> list[types.Location]:
        offset = look.map.offset(params.position)
        declared = params.context.include_declaration
        place = cache(look.place)  # of a file that has many
        return [
            place(found.path).location(found.span)
            for found in find_references(look.view, look.path, offset, include_declaration=declared)
        ]

    return await ls.query_file(params.text_document.uri, answer)
