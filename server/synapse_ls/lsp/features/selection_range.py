"""``textDocument/selectionRange``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from synapse_ls.ide.selection import selections

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look


async def handle(
    ls: Server, _: str, params: types.SelectionRangeParams
) -> list[types.SelectionRange] | None:
    """What a growing selection takes in, for each of the places."""

    def chain(look: Look, position: Any) -> types.SelectionRange:
        inner: types.SelectionRange | None = None
        for span in reversed(selections(look.facts, look.map.offset(position))):
            inner = types.SelectionRange(look.map.range(span), inner)
        assert inner is not None  # the whole file is always one of them
        return inner

    def answer(look: Look) -> list[types.SelectionRange]:
        return [chain(look, position) for position in params.positions]

    return await ls.look(params.text_document.uri, answer)
