"""Following what happens on disk, for as long as nobody ends it.

An event says no more than that something may be different: whoever follows looks for himself.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from synapse_ls.workspace.disk_watch import DiskWatch
from synapse_ls.workspace.watched import LIMIT, QUIET, Watched, specs

if TYPE_CHECKING:
    from collections.abc import Callable

    from synapse_ls.workspace.tree import Tree
    from synapse_ls.workspace.watched import Spec


def folders_of(root: str, tree: Tree) -> frozenset[Spec]:
    """The folders in which something can happen that concerns the tree."""
    squads = (squad.path for squad in tree.squads)
    above = (path.rpartition("/")[0] for path in tree.snapshot.above)
    links = tuple(f"{root}/{path}" for path in (*squads, *above))
    return specs([Watched(root, tree.snapshot.config.paths, links)], [root])


def follow(
    folders: Callable[[], frozenset[Spec]],
    look: Callable[[], object],
    *,
    concerns: Callable[[str], bool] = lambda _: True,
) -> None:
    """Call ``look`` now, and after each burst of changes in ``folders``, until interrupted.

    concerns: whether a change of the file at a path is one.
    """
    try:
        asyncio.run(_follow(folders, look, concerns))
    except KeyboardInterrupt:
        return


async def _follow(
    folders: Callable[[], frozenset[Spec]],
    look: Callable[[], object],
    concerns: Callable[[str], bool],
) -> None:
    happened = asyncio.Event()
    disk = DiskWatch(lambda path: happened.set() if concerns(path) else None)
    try:
        while True:
            look()
            disk.update(folders())
            await _burst(happened)
    finally:
        disk.stop()


async def _burst(happened: asyncio.Event) -> None:
    """Until something has happened and it is quiet again, or has gone on for long."""
    await happened.wait()
    loop = asyncio.get_running_loop()
    end = loop.time() + LIMIT
    while happened.is_set() and loop.time() < end:
        happened.clear()
        try:
            await asyncio.wait_for(happened.wait(), QUIET)
        except TimeoutError:
            break
    happened.clear()
