"""This module answers ``workspace/symbol``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.symbols import MOST_SYMBOLS, WorkspaceSymbol, workspace_symbols

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import TreeContext
    from synapse_ls.lsp.language_server import Server

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
    """Answers ``workspace/symbol``: returns what the trees consist of, by a few letters of its
    name; the best of each tree first.
    """
    await ls.trees.scan_finished.wait()
    found: list[types.SymbolInformation] = []
    for root in ls.trees.roots.trees.values():
        site = await ls.worker.run(ls.trees.tree_context, root)
        found += await ls.reader.run(_tree_symbols, site, params.query)
    return found[:MOST_SYMBOLS]


def _tree_symbols(site: TreeContext, query: str) -> list[types.SymbolInformation]:
    place = cache(site.place)

    def information(symbol: WorkspaceSymbol) -> types.SymbolInformation:
        return types.SymbolInformation(
            name=symbol.name,
            kind=_KINDS[symbol.kind],
            location=place(symbol.path).location(symbol.span),
            container_name=symbol.container or symbol.kind,
        )

    return [information(symbol) for symbol in workspace_symbols(site.view.tree, query)]
