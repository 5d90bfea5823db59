"""Remember the files that an agent reads or edits, as paths inside the tree that domains' path
patterns match.
"""

from __future__ import annotations

import os

from synapse_ls.workspace.tree_folders import STATE_FOLDERS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.formats.window_state import WindowState
    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.integrations.hook_event import Event

MAX_FILES = 50  # files that a window remembers; the oldest go first


def event_files(root: str, event: Event) -> tuple[str, ...]:
    """Return the files that ``event`` touches inside ``root``, relative to it and with ``/``, each
    once.
    """
    if not event.files and not event.edited:
        return ()
    paths = (path_in_root(root, path, event.cwd) for path in (*event.files, *event.edited))
    return tuple(dict.fromkeys(path for path in paths if path))


def is_rule_file(path: str) -> bool:
    """Return whether a path, however it is spelled, may be a rule file of a tree."""
    *folders, name = path.replace("\\", "/").split("/")
    if TREE in folders:
        return not any(folder in STATE_FOLDERS for folder in folders)
    return name in ("squad.yaml", "config.yaml") and "squads" in folders


def edited_rule_files(call: HookCall) -> list[str]:
    """Return the touched files that the tool has edited and that may be rule files; none where the
    agent cannot be told of them.
    """
    if not call.takes_context:
        return []
    return [path for path in call.event.edited if is_rule_file(path)]


def path_in_root(root: str, path: str, cwd: str = "") -> str:
    """Return the path of a touched file relative to ``root``; "" for what lies outside.

    A relative path is one of ``cwd``, where that is inside the root, and otherwise of the root.
    """
    from synapse_ls.engine.path_globs import relative_path

    if relative := relative_path(path, root, cwd):
        return relative
    try:
        real = os.path.realpath(os.path.join(cwd or root, path))
        return relative_path(real, os.path.realpath(root))
    except (OSError, ValueError):
        return ""


def remember_files(window: WindowState, files: Iterable[str], turn: int) -> None:
    """Note that ``files`` were touched in ``turn``."""
    files_by_turn = dict(window.files)
    for path in files:
        files_by_turn.pop(path, None)
        files_by_turn[path] = turn
    window.files = dict(list(files_by_turn.items())[-MAX_FILES:])


def recent_files(window: WindowState, turn: int) -> tuple[str, ...]:
    """Return the files that an agent has touched since the prompt before ``turn``; how long their
    rules stay is recall's.
    """
    return tuple(path for path, at in window.files.items() if turn - 1 <= at <= turn)
