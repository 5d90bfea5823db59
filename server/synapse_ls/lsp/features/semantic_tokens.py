"""``textDocument/semanticTokens/full``, ``…/full/delta`` and ``…/range``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from synapse_ls.ide.semantic_tokens import MODIFIERS, TYPES, difference, semantic_tokens

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look

Answer = types.SemanticTokens | types.SemanticTokensDelta

_TYPES = {name: number for number, name in enumerate(TYPES)}
_MODIFIERS = {name: 1 << number for number, name in enumerate(MODIFIERS)}


async def handle(ls: Server, _: str, params: Any) -> Answer | None:
    """All tokens of a file, those of a part, or how they differ from what the client has."""
    uri = params.text_document.uri
    if isinstance(params, types.SemanticTokensRangeParams):
        part = params.range
        return await ls.look(uri, lambda look: types.SemanticTokens(_data(look, part)))
    data = await ls.look(uri, _data)
    if data is None:
        return None
    if isinstance(params, types.SemanticTokensDeltaParams):
        before = ls.tokens.get(uri, params.previous_result_id)
        if before is not None:
            splice = difference(before, data)
            edits = [types.SemanticTokensEdit(*_edit(splice))] if splice else []
            return types.SemanticTokensDelta(edits, ls.tokens.keep(uri, data))
    return types.SemanticTokens(data, ls.tokens.keep(uri, data))


@cache
def _bits(modifiers: frozenset[str]) -> int:
    return sum(_MODIFIERS[name] for name in modifiers)


def _edit(splice: Any) -> tuple[int, int, list[int]]:
    return splice.start, splice.deleted, list(splice.data)


def _data(look: Look, part: Any = None) -> list[int]:
    """The tokens as the protocol writes them: five numbers each, relative to the one before."""
    within = look.map.span(part) if part else None
    tokens = semantic_tokens(look.view, look.path, within)
    data: list[int] = []
    above = left = 0
    cells = look.map.cells(token.span for token in tokens)
    for token, (line, column, length) in zip(tokens, cells, strict=True):
        left = left if line == above else 0
        data += (line - above, column - left, length, _TYPES[token.type], _bits(token.modifiers))
        above, left = line, column
    return data
