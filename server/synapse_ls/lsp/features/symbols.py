"""Answer ``textDocument/documentSymbol`` and ``workspace/symbol``."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from lsprotocol import types

from synapse_ls.ide.symbols import MOST_SYMBOLS, Symbol, document_symbols, workspace_symbols
from synapse_ls.lsp import feature_context
from synapse_ls.lsp.convert import PlainResult, TextMap
from synapse_ls.lsp.language_server import Server

Answer = PlainResult | list[types.SymbolInformation]

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


async def answer_document_symbols(
    ls: Server, _: str, params: types.DocumentSymbolParams
) -> Answer | None:
    """Answer ``textDocument/documentSymbol``: return the outline of a file, as a tree where the
    client can show one.
    """

    def answer(look: feature_context.FileContext) -> Answer | None:
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

    return await ls.query_file(params.text_document.uri, answer)


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
    with feature_context.show_progress(ls, params.work_done_token, "Looking for symbols"):
        for root in ls.trees.roots.trees.values():
            site = await feature_context.tree_context(ls, root)
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
    return (
        feature_context.send_in_parts(ls, params.partial_result_token, symbols[:MOST_SYMBOLS]) or []
    )
