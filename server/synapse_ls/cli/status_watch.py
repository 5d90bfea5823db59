"""``synapse status --watch``: the page again whenever it says something else."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from synapse_ls.cli.watching import folders_of, follow
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from synapse_ls.cli.console import Console
    from synapse_ls.workspace.watched import Spec


def watch(root: str, show: Callable[[Console], object], console: Console, *, apart: bool) -> None:
    """Write what ``show`` writes to a console, now and whenever it is another text, until
    interrupted.

    apart: empty lines stand between pages where there is no terminal. What cannot be told just now, such as a session that has gone, is said in its place.
    """
    before: tuple[str, str] | None = None

    def look() -> None:
        nonlocal before
        out, err = StringIO(), StringIO()
        _tell(show, console.beside(out, err))
        page = out.getvalue(), err.getvalue()
        if page != before:
            console.page(*page, apart=apart and before is not None)
            before = page

    def folders() -> frozenset[Spec]:
        return folders_of(root, Tree(load(root, Scope.PROMPT).index.snapshot()))

    follow(folders, look)


def _tell(show: Callable[[Console], object], console: Console) -> None:
    try:
        show(console)
    except Exception as error:
        sentence = getattr(error, "sentence", "")
        if not sentence:
            raise
        console.error(sentence, getattr(error, "remedy", ""))
