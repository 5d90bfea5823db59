"""This module answers ``textDocument/definition``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.definition import Target, find_definitions

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server

Answer = list[types.LocationLink] | list[types.Location]


async def handle(ls: Server, _: str, params: types.DefinitionParams) -> Answer | None:
    """Answers ``textDocument/definition``: returns where the thing at a place is defined; with the
    whole of it where the client can show that.

    What a file only announces, such as a source that a story is going to add, is no place to go to.
    """

    def link(look: FileContext, target: Target) -> types.LocationLink:
        place = look.place(target.path)
        return types.LocationLink(
            target_uri=place.uri,
            target_range=place.range(target.span),
            target_selection_range=place.range(target.selection),
            origin_selection_range=look.map.range(target.origin),
        )

    def answer(look: FileContext) -> Answer | None:
        found = [
            target
            for target in find_definitions(look.view, look.path, look.map.offset(params.position))
            if look.view.tree.snapshot.facts(target.path)
            or os.path.exists(f"{look.root}/{target.path}")
        ]
        if ls.client.definition_links:
            return [link(look, target) for target in found]
        return [look.place(target.path).location(target.selection) for target in found]

    return await ls.query_file(params.text_document.uri, answer)
