"""The files that an agent works on, as patterns of a tree see them."""

from __future__ import annotations

import os

from synapse_ls.engine.globs import relative
from synapse_ls.workspace.folders import NOTES, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from synapse_ls.hosts.event import Event

MOST = 50  # files that a window remembers; the oldest go first
FIELD = "files"


def touched(root: str, event: Event) -> tuple[str, ...]:
    """The files of ``event`` inside ``root``, relative to it and with ``/``, each once."""
    if not event.files and not event.edited:
        return ()
    found = (within(root, path, event.cwd) for path in (*event.files, *event.edited))
    return tuple(dict.fromkeys(path for path in found if path))


def is_rule_file(path: str) -> bool:
    """Whether a path, however it is spelled, may be a file of a tree."""
    *folders, name = path.replace("\\", "/").split("/")
    if TREE in folders:
        return not any(folder in NOTES for folder in folders)
    return name == "squad.yaml" and "squads" in folders


def within(root: str, path: str, cwd: str = "") -> str:
    """``path`` relative to ``root``; "" for what lies outside.

    A relative path is one of ``cwd``, where that is inside the root, and otherwise of the root.
    """
    if found := relative(path, root, cwd):
        return found
    try:
        real = os.path.realpath(os.path.join(cwd or root, path))
        return relative(real, os.path.realpath(root))
    except (OSError, ValueError):
        return ""


def remember(window: dict[str, Any], files: Iterable[str], turn: int) -> None:
    """Note that ``files`` were touched in ``turn``."""
    kept = _kept(window)
    for path in files:
        kept.pop(path, None)
        kept[path] = turn
    if kept:
        window[FIELD] = dict(list(kept.items())[-MOST:])


def recent(window: dict[str, Any], turn: int) -> tuple[str, ...]:
    """The files touched since the prompt before ``turn``; how long their rules stay is recall's."""
    return tuple(path for path, at in _kept(window).items() if turn - 1 <= at <= turn)


def known(window: dict[str, Any]) -> tuple[str, ...]:
    """All files that the window remembers."""
    return tuple(_kept(window))


def _kept(window: dict[str, Any]) -> dict[str, int]:
    kept = window.get(FIELD)
    if not isinstance(kept, dict):
        return {}
    return {path: at for path, at in kept.items() if isinstance(at, int)}
