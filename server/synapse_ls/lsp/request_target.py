"""This module finds the tree, and the path in it, that a custom request or a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.lsp.request_refusal import request_refusal

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import TreeContext
    from synapse_ls.lsp.language_server import Server
    from synapse_ls.lsp.tree_roots import Root


async def find_root(ls: Server, uri: str | None) -> Root:
    """Returns the tree that a request is about, the one that a file or folder belongs to; the first
    one for None.
    """
    return (await find_place(ls, uri))[0]


async def find_place(ls: Server, uri: str | None) -> tuple[Root, str]:
    """Returns the tree, and the path in it, that a request is about; for None the folder of the
    first tree.

    Raises JsonRpcException (RequestFailed) where there is none.
    """
    if uri is None:
        root = await ls.trees.first_root()
        if root is None:
            raise request_refusal(
                "There is no tree in the workspace.", "`synapse init` creates one."
            )
        return root, ""
    place = await ls.find_place(uri)
    if place is None or place[0].is_treeless:
        raise request_refusal(f"{uri} belongs to no tree.")
    return place


async def tree_context(ls: Server, root: Root) -> TreeContext:
    """Returns the tree that a request is about as features see it, with the latest text of every
    buffer.
    """
    return await ls.worker.run(ls.trees.tree_context, root)
