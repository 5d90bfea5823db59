"""Which tree a request of ours, or a command, is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.lsp.refusal import refusal

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Site
    from synapse_ls.lsp.roots import Root


async def root_of(ls: Server, uri: str | None) -> Root:
    """The tree that a file or folder belongs to, the first one for None."""
    return (await place_of(ls, uri))[0]


async def place_of(ls: Server, uri: str | None) -> tuple[Root, str]:
    """The tree and the path in it; for None the folder of the first tree. Refused where none is."""
    if uri is None:
        root = await ls.trees.first()
        if root is None:
            raise refusal("There is no tree in the workspace.", "`synapse init` creates one.")
        return root, ""
    place = await ls.place_of(uri)
    if place is None:
        raise refusal(f"{uri} belongs to no tree.")
    return place


async def site_of(ls: Server, root: Root) -> Site:
    """A tree as features see it, with the latest text of every buffer."""
    return await ls.worker.run(ls.trees.site, root)
