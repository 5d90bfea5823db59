"""This module answers ``textDocument/documentLink``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.document_link import Link, document_links

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server


async def handle(
    ls: Server, _: str, params: types.DocumentLinkParams
) -> list[types.DocumentLink] | None:
    """Answers ``textDocument/documentLink``: returns the files that a file names, as far as they
    exist.
    """

    def link(look: FileContext, found: Link) -> types.DocumentLink:
        tooltip = f"Open {found.path}" if ls.client.tooltips else None
        uri = look.place(found.path).uri
        return types.DocumentLink(look.map.range(found.span), target=uri, tooltip=tooltip)

    def answer(look: FileContext) -> list[types.DocumentLink]:
        return [
            link(look, found)
            for found in document_links(look.view, look.path)
            if found.is_in_tree or os.path.exists(f"{look.root}/{found.path}")
        ]

    return await ls.query_file(params.text_document.uri, answer)
