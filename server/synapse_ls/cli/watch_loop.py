"""Watch the disk for ``--watch`` and ``--follow`` until interrupted, and redraw a changed page."""

import asyncio
from collections.abc import Callable
from io import StringIO

from synapse_ls.cli.console import Console
from synapse_ls.workspace import file_watching
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree


def watched_folders(root: str, tree: Tree) -> frozenset[file_watching.WatchedFolder]:
    """Return the folders that are watched since something can happen in them that concerns the
    tree.
    """
    squads = (squad.path for squad in tree.squads)
    above = (path.rpartition("/")[0] for path in tree.snapshot.files_above)
    links = tuple(f"{root}/{path}" for path in (*squads, *above))
    return file_watching.folders_to_watch(
        [file_watching.WatchedRoot(root, tree.snapshot.config.paths, links)], [root]
    )


def follow_changes(
    folders: Callable[[], frozenset[file_watching.WatchedFolder]],
    refresh: Callable[[], bool],
    *,
    concerns: Callable[[str], bool] = lambda _: True,
) -> None:
    """Watch ``folders`` in a loop: calls ``refresh`` now, and after each burst of changes, until it
    returns that nobody reads any more, or until interrupted.

    An event says no more than that something may be different. concerns: whether a change of the
    file at a path is one.
    """
    try:
        asyncio.run(_follow_disk(folders, refresh, concerns))
    except KeyboardInterrupt:
        return


async def _follow_disk(
    folders: Callable[[], frozenset[file_watching.WatchedFolder]],
    refresh: Callable[[], bool],
    concerns: Callable[[str], bool],
) -> None:
    happened = asyncio.Event()
    disk = file_watching.DiskWatcher(lambda path: happened.set() if concerns(path) else None)
    try:
        while refresh():
            disk.update(folders())
            await _await_burst(happened)
    finally:
        disk.stop()


async def _await_burst(happened: asyncio.Event) -> None:
    """Wait for a first event, and then until it is quiet again or a limit of time has passed."""
    await happened.wait()
    loop = asyncio.get_running_loop()
    end = loop.time() + file_watching.MAX_WAIT_SECONDS
    while happened.is_set() and loop.time() < end:
        happened.clear()
        try:
            await asyncio.wait_for(happened.wait(), file_watching.QUIET_SECONDS)
        except TimeoutError:
            break
    happened.clear()


def watch_page(
    root: str, show: Callable[[Console], object], console: Console, *, is_spaced: bool
) -> None:
    """Watch a page in a loop: write what ``show`` writes to a console, now and whenever it is
    another text, until interrupted.

    is_spaced: empty lines stand between pages where there is no terminal. What cannot be shown just
    now, such as a session that has gone, is said in its place.
    """
    before: tuple[str, str] | None = None

    def refresh() -> bool:
        nonlocal before
        out, err = StringIO(), StringIO()
        color = "always" if console.paints_output else "never"
        page_console = Console(out, err, color=color, quiet=console.quiet)
        try:
            show(page_console)
        except Exception as error:
            if not (sentence := getattr(error, "sentence", "")):
                raise
            page_console.error(sentence, getattr(error, "remedy", ""))
        page = out.getvalue(), err.getvalue()
        if page != before:
            console.show_page(*page, is_spaced=is_spaced and before is not None)
            before = page
        return console.is_read

    def folders() -> frozenset[file_watching.WatchedFolder]:
        return watched_folders(root, load_tree(root, LoadScope.PROMPT).tree)

    follow_changes(folders, refresh)
