"""``inlayHint/resolve``: the tooltip, once somebody points at a hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.inlay import Hint, tooltip
from synapse_ls.lsp.features.inlay_hint import markup
from synapse_ls.lsp.given import strings

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look


async def handle(ls: Server, _: str, hint: types.InlayHint) -> types.InlayHint:
    """The same hint with its tooltip."""
    given = strings(hint.data)

    def answer(look: Look) -> str:
        offset = look.map.offset(hint.position)
        wanted = Hint(offset, "", given.get("sort", ""), given.get("subject", ""))
        return tooltip(look.view, look.path, wanted)

    hint.tooltip = markup(await ls.look(given.get("uri", ""), answer) or "")
    return hint
