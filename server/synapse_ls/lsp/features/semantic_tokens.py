"""Answer ``textDocument/semanticTokens/full``, ``…/full/delta`` and ``…/range``."""

from functools import cache
from typing import Any

from lsprotocol import types

from synapse_ls.ide.semantic_tokens import semantic_tokens, token_difference
from synapse_ls.lsp.convert import PlainResult
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.feature_table import TOKEN_MODIFIERS, TOKEN_TYPES
from synapse_ls.lsp.language_server import Server

Answer = PlainResult | types.SemanticTokensDelta

_TYPE_NUMBERS = {name: number for number, name in enumerate(TOKEN_TYPES)}
_MODIFIER_BITS = {name: 1 << number for number, name in enumerate(TOKEN_MODIFIERS)}


async def answer_semantic_tokens(ls: Server, _: str, params: Any) -> Answer | None:
    """Answer ``textDocument/semanticTokens/full``: return all tokens of a file, those of a part,
    or how they differ from what the client has.
    """
    uri = params.text_document.uri
    if isinstance(params, types.SemanticTokensRangeParams):
        part = params.range
        return await ls.query_file(
            uri, lambda look: PlainResult({"data": _encode_tokens(look, part)})
        )
    data = await ls.query_file(uri, _encode_tokens)
    if data is None:
        return None
    if isinstance(params, types.SemanticTokensDeltaParams):
        before = ls.tokens.get(uri, params.previous_result_id)
        if before is not None:
            splice = token_difference(before, data)
            edits = []
            if splice:
                numbers = list(splice.data)
                edits = [types.SemanticTokensEdit(splice.start, splice.delete_count, numbers)]
            return types.SemanticTokensDelta(edits, ls.tokens.keep(uri, data))
    return PlainResult({"data": data, "resultId": ls.tokens.keep(uri, data)})


@cache
def _modifier_bits(modifiers: frozenset[str]) -> int:
    return sum(_MODIFIER_BITS[name] for name in modifiers)


def _encode_tokens(look: FileContext, part: Any = None) -> list[int]:
    """Return the tokens as the protocol writes them: five numbers each, relative to the one
    before.
    """
    within = look.map.span(part) if part else None
    tokens = semantic_tokens(look.view, look.path, within)
    data: list[int] = []
    above = left = 0
    cells = look.map.token_cells(token.span for token in tokens)
    for token, (line, column, length) in zip(tokens, cells, strict=True):
        left = left if line == above else 0
        type_number, modifiers = _TYPE_NUMBERS[token.type], _modifier_bits(token.modifiers)
        data += (line - above, column - left, length, type_number, modifiers)
        above, left = line, column
    return data
