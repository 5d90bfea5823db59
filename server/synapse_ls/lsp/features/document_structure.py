"""Answer the requests for symbols, folds, growing selections and semantic tokens."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from lsprotocol import types

from synapse_ls.ide.folding_range import folding_ranges, selection_ranges
from synapse_ls.ide.semantic_tokens import semantic_tokens, token_difference
from synapse_ls.ide.symbols import MOST_SYMBOLS, Symbol, document_symbols, workspace_symbols
from synapse_ls.lsp.convert import PlainResult, TextMap
from synapse_ls.lsp.feature_context import (
    FileContext,
    file_feature,
    send_in_parts,
    show_progress,
    tree_context,
)
from synapse_ls.lsp.feature_table import TOKEN_MODIFIERS, TOKEN_TYPES
from synapse_ls.lsp.language_server import Server

_KINDS: Mapping[str, types.SymbolKind] = {
    "domain": types.SymbolKind.Module,
    "setting": types.SymbolKind.Property,
    "group": types.SymbolKind.Namespace,
    "rule": types.SymbolKind.Constant,
    "article": types.SymbolKind.Class,
    "bracket": types.SymbolKind.Enum,
    "command": types.SymbolKind.Function,
    "squad": types.SymbolKind.Package,
    "component": types.SymbolKind.Interface,
    "step": types.SymbolKind.Event,
    "table": types.SymbolKind.Struct,
    "field": types.SymbolKind.Field,
}


@file_feature
def answer_document_symbols(
    ls: Server, look: FileContext, _: types.DocumentSymbolParams
) -> PlainResult | list[types.SymbolInformation] | None:
    """Answer ``textDocument/documentSymbol``: return the outline of a file, as a tree where the
    client can show one.
    """
    symbols = document_symbols(look.facts)
    if ls.client.outline:
        return PlainResult([_document_symbol(look.map, symbol) for symbol in symbols])
    place = look.place(look.path)
    return [
        types.SymbolInformation(
            name=symbol.name,
            kind=_KINDS[symbol.kind],
            location=place.location(symbol.span),
            container_name=container or None,
        )
        for symbol, container in _flatten_symbols(symbols)
    ]


def _document_symbol(positions: TextMap, symbol: Symbol) -> dict[str, Any]:
    """Return an LSP ``DocumentSymbol`` in the values of JSON."""
    row: dict[str, Any] = {
        "name": symbol.name,
        "kind": _KINDS[symbol.kind].value,
        "range": positions.plain_range(symbol.span),
        "selectionRange": positions.plain_range(symbol.selection),
    }
    if symbol.detail:
        row["detail"] = symbol.detail
    if symbol.children:
        row["children"] = [_document_symbol(positions, child) for child in symbol.children]
    return row


def _flatten_symbols(
    symbols: tuple[Symbol, ...], container: str = ""
) -> Iterator[tuple[Symbol, str]]:
    for symbol in symbols:
        yield symbol, container
        yield from _flatten_symbols(symbol.children, symbol.name)


_WORKSPACE_KINDS = {
    "domain": types.SymbolKind.Module,
    "agent": types.SymbolKind.Class,
    "workflow": types.SymbolKind.Event,
    "squad": types.SymbolKind.Package,
    "command": types.SymbolKind.Function,
    "task": types.SymbolKind.Method,
    "story": types.SymbolKind.Object,
    "rule": types.SymbolKind.Constant,
}


async def answer_workspace_symbols(
    ls: Server, _: str, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """Answer ``workspace/symbol``: return what the trees consist of, by a few letters of its name;
    the best of each tree first.
    """
    await ls.trees.scan_finished.wait()
    symbols: list[types.SymbolInformation] = []
    with show_progress(ls, params.work_done_token, "Looking for symbols"):
        for root in ls.trees.roots.trees.values():
            site = await tree_context(ls, root)
            place = cache(site.place)
            symbols += [
                types.SymbolInformation(
                    name=symbol.name,
                    kind=_WORKSPACE_KINDS[symbol.kind],
                    location=place(symbol.path).location(symbol.span),
                    container_name=symbol.container or symbol.kind,
                )
                for symbol in await ls.reader.run(workspace_symbols, site.view.tree, params.query)
            ]
    return send_in_parts(ls, params.partial_result_token, symbols[:MOST_SYMBOLS]) or []


@file_feature
def answer_folding_range(ls: Server, look: FileContext, _: types.FoldingRangeParams) -> PlainResult:
    """Answer ``textDocument/foldingRange``: return whole lines that can be folded, no more of them
    than the client wants.
    """
    folds = folding_ranges(look.facts)[: ls.client.fold_limit or None]
    kinds: dict[str, dict[str, Any]] = {"comment": {"kind": types.FoldingRangeKind.Comment.value}}
    return PlainResult(
        [
            {"startLine": fold.first, "endLine": fold.last, **kinds.get(fold.kind, {})}
            for fold in folds
        ]
    )


@file_feature
def answer_selection_range(
    _: Server, look: FileContext, params: types.SelectionRangeParams
) -> list[types.SelectionRange]:
    """Answer ``textDocument/selectionRange``: return what a growing selection takes in, for each of
    the places.
    """

    def chain(position: Any) -> types.SelectionRange:
        inner: types.SelectionRange | None = None
        for span in reversed(selection_ranges(look.facts, look.map.offset(position))):
            inner = types.SelectionRange(look.map.range(span), inner)
        assert inner is not None  # the whole file is always one of them
        return inner

    return list(map(chain, params.positions))


_TYPE_NUMBERS = {name: number for number, name in enumerate(TOKEN_TYPES)}
_MODIFIER_BITS = {name: 1 << number for number, name in enumerate(TOKEN_MODIFIERS)}


async def answer_semantic_tokens(
    ls: Server, _: str, params: Any
) -> PlainResult | types.SemanticTokensDelta | None:
    """Answer ``textDocument/semanticTokens/full``: return all tokens of a file, those of a part,
    or how they differ from what the client has.
    """
    uri = params.text_document.uri
    if isinstance(params, types.SemanticTokensRangeParams):
        return await ls.query_file(
            uri, lambda look: PlainResult({"data": _encode_tokens(look, params.range)})
        )
    if (data := await ls.query_file(uri, _encode_tokens)) is None:
        return None
    if (
        isinstance(params, types.SemanticTokensDeltaParams)
        and (before := ls.tokens.get(uri, params.previous_result_id)) is not None
    ):
        splice = token_difference(before, data)
        edits = [types.SemanticTokensEdit(*splice)] if splice else []
        return types.SemanticTokensDelta(edits, ls.tokens.keep(uri, data))
    return PlainResult({"data": data, "resultId": ls.tokens.keep(uri, data)})


@cache
def _modifier_bits(modifiers: frozenset[str]) -> int:
    return sum(_MODIFIER_BITS[name] for name in modifiers)


def _encode_tokens(look: FileContext, part: Any = None) -> list[int]:
    """Return the tokens as the protocol writes them: five numbers each, relative to the one
    before.
    """
    tokens = semantic_tokens(look.view, look.path, look.map.span(part) if part else None)
    data: list[int] = []
    above = left = 0
    cells = look.map.token_cells(token.span for token in tokens)
    for token, (line, column, length) in zip(tokens, cells, strict=True):
        left = left if line == above else 0
        type_number, modifiers = _TYPE_NUMBERS[token.type], _modifier_bits(token.modifiers)
        data += (line - above, column - left, length, type_number, modifiers)
        above, left = line, column
    return data
