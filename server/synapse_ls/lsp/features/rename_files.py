"""``workspace/willRenameFiles`` and ``workspace/didRenameFiles``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.file_rename import follow
from synapse_ls.lsp.uris import path_of
from synapse_ls.lsp.workspace_edit import workspace_edit

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Site
    from synapse_ls.lsp.roots import Root

logger = logging.getLogger(__name__)

Moves = list[tuple[str, str]]


async def handle(
    ls: Server, method: str, params: types.RenameFilesParams
) -> types.WorkspaceEdit | None:
    """Before files are renamed: the changes of what names them. Afterwards: look at them again."""
    paths = [(path_of(file.old_uri), path_of(file.new_uri)) for file in params.files]
    moves = [(old, new) for old, new in paths if old is not None and new is not None]
    if method == types.WORKSPACE_DID_RENAME_FILES:
        for path in {path for move in moves for path in move}:
            ls.trees.on_disk(path)
        return None
    edits = [
        edit
        for root, inside in (await _by_root(ls, moves)).items()
        if (edit := await _followed(ls, root, inside))
    ]
    if len(edits) < 2:
        return edits[0] if edits else None
    return types.WorkspaceEdit(
        document_changes=[change for edit in edits for change in edit.document_changes or ()],
    )


async def _by_root(ls: Server, moves: Moves) -> dict[Root, Moves]:
    """The moves inside a tree, with paths relative to it."""
    await ls.trees.found.wait()
    found: dict[Root, Moves] = {}
    for old, new in moves:
        place = ls.trees.roots.of(old)
        target = place[0].relative(new) if place else None
        if place and place[1] and target:
            found.setdefault(place[0], []).append((place[1], target))
    return found


async def _followed(ls: Server, root: Root, moves: Moves) -> types.WorkspaceEdit | None:
    site = await ls.worker.run(ls.trees.site, root)
    return await ls.reader.run(_edit, ls, site, moves)


def _edit(ls: Server, site: Site, moves: Moves) -> types.WorkspaceEdit | None:
    plan, refused = follow(site.view.tree, moves)
    for reason in refused:
        logger.warning("not followed: %s", reason)
    return workspace_edit(ls, site, plan) if plan else None
