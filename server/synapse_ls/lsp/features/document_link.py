"""``textDocument/documentLink``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.links import Link, links

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look


async def handle(
    ls: Server, _: str, params: types.DocumentLinkParams
) -> list[types.DocumentLink] | None:
    """The files that a file names, those that there are."""

    def link(look: Look, found: Link) -> types.DocumentLink:
        tooltip = f"Open {found.path}" if ls.client.tooltips else None
        uri = look.place(found.path).uri
        return types.DocumentLink(look.map.range(found.span), target=uri, tooltip=tooltip)

    def answer(look: Look) -> list[types.DocumentLink]:
        return [
            link(look, found)
            for found in links(look.view, look.path)
            if found.known or os.path.exists(f"{look.root}/{found.path}")
        ]

    return await ls.look(params.text_document.uri, answer)
