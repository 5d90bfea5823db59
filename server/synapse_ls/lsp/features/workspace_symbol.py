"""``workspace/symbol``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.workspace_symbols import MOST, WorkspaceSymbol, workspace_symbols

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Site

_KINDS = {
    "domain": types.SymbolKind.Module,
    "agent": types.SymbolKind.Class,
    "workflow": types.SymbolKind.Event,
    "squad": types.SymbolKind.Package,
    "command": types.SymbolKind.Function,
    "task": types.SymbolKind.Method,
    "story": types.SymbolKind.Object,
    "rule": types.SymbolKind.Constant,
}


async def handle(
    ls: Server, _: str, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """What the trees consist of, by a few letters of its name; the best of each tree first."""
    await ls.trees.found.wait()
    found: list[types.SymbolInformation] = []
    for root in ls.trees.roots:
        site = await ls.worker.run(ls.trees.site, root)
        found += await ls.reader.run(_symbols, site, params.query)
    return found[:MOST]


def _symbols(site: Site, query: str) -> list[types.SymbolInformation]:
    place = cache(site.place)

    def information(symbol: WorkspaceSymbol) -> types.SymbolInformation:
        return types.SymbolInformation(
            name=symbol.name,
            kind=_KINDS[symbol.kind],
            location=place(symbol.path).location(symbol.span),
            container_name=symbol.container or symbol.kind,
        )

    return [information(symbol) for symbol in workspace_symbols(site.view.tree, query)]
