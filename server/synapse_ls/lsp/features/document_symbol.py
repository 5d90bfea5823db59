"""``textDocument/documentSymbol``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.symbols import Symbol, symbols

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look

Answer = list[types.DocumentSymbol] | list[types.SymbolInformation]

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


async def handle(ls: Server, _: str, params: types.DocumentSymbolParams) -> Answer | None:
    """The outline of a file, as a tree where the client can show one."""

    def nested(look: Look, symbol: Symbol) -> types.DocumentSymbol:
        return types.DocumentSymbol(
            name=symbol.name,
            detail=symbol.detail or None,
            kind=_KINDS[symbol.kind],
            range=look.map.range(symbol.span),
            selection_range=look.map.range(symbol.selection),
            children=[nested(look, child) for child in symbol.children] or None,
        )

    def answer(look: Look) -> Answer | None:
        found = symbols(look.facts)
        if ls.client.outline:
            return [nested(look, symbol) for symbol in found]
        place = look.place(look.path)
        return [
            types.SymbolInformation(
                name=symbol.name,
                kind=_KINDS[symbol.kind],
                location=place.location(symbol.span),
                container_name=container or None,
            )
            for symbol, container in _flat(found)
        ]

    return await ls.look(params.text_document.uri, answer)


def _flat(found: tuple[Symbol, ...], container: str = "") -> Iterator[tuple[Symbol, str]]:
    for symbol in found:
        yield symbol, container
        yield from _flat(symbol.children, symbol.name)
