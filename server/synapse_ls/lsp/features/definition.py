"""``textDocument/definition``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.definition import Target, definitions

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look

Answer = list[types.LocationLink] | list[types.Location]


async def handle(ls: Server, _: str, params: types.DefinitionParams) -> Answer | None:
    """Where that which stands at a place is defined; with the whole of it where the client can.

    What a file only announces, such as a source that a story is going to add, is no place to go to.
    """

    def link(look: Look, target: Target) -> types.LocationLink:
        place = look.place(target.path)
        return types.LocationLink(
            target_uri=place.uri,
            target_range=place.range(target.span),
            target_selection_range=place.range(target.selection),
            origin_selection_range=look.map.range(target.origin),
        )

    def answer(look: Look) -> Answer | None:
        found = [
            target
            for target in definitions(look.view, look.path, look.map.offset(params.position))
            if look.view.tree.snapshot.facts(target.path)
            or os.path.exists(f"{look.root}/{target.path}")
        ]
        if ls.client.definition_links:
            return [link(look, target) for target in found]
        return [look.place(target.path).location(target.selection) for target in found]

    return await ls.look(params.text_document.uri, answer)
