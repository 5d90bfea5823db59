"""Match paths with the globs of ``{D}_PATHS``.

``*`` and ``?`` stay within a folder, ``**`` crosses folders. Paths are relative to the root, with
``/``.
"""

from __future__ import annotations

import posixpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def first_matching_path(patterns: Iterable[str], paths: Iterable[str]) -> str:
    """Return the first of ``paths`` that one of ``patterns`` matches, or the empty string."""
    split = [_split(pattern) for pattern in patterns]
    for path in paths:
        parts = path.strip("/").split("/")
        if any(_matches(pattern, parts, "**", _match_name) for pattern in split):
            return path
    return ""


def _split(pattern: str) -> list[str]:
    """Return the pieces of a glob, without the stars that only repeat those before them."""
    pieces: list[str] = []
    for piece in pattern.strip("/").split("/"):
        if piece != "**":
            pieces.append(_name_glob(piece))
        elif pieces[-1:] != ["**"]:
            pieces.append(piece)
    return pieces


def _name_glob(piece: str) -> str:
    while "**" in piece:
        piece = piece.replace("**", "*")
    return piece


def _matches(
    pattern: Sequence[str], parts: Sequence[str], any_parts: str, is_alike: Callable[..., bool]
) -> bool:
    """Check whether parts match those of a pattern, in which ``any_parts`` is any number of them,
    in time of their product.
    """
    reached = {0}
    for piece in pattern:
        if not reached:
            return False
        if piece == any_parts:
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {i + 1 for i in reached if i < len(parts) and is_alike(piece, parts[i])}
    return len(parts) in reached


def _match_name(pattern: str, name: str) -> bool:
    if "*" not in pattern and "?" not in pattern:
        return pattern == name
    if len(pattern) - pattern.count("*") > len(name):
        return False
    return _matches(pattern, name, "*", lambda char, letter: char in ("?", letter))


def relative_path(path: str, root: str, cwd: str = "") -> str:
    """Return a path that globs are to match, as a client or a person spells it, relative to
    ``root``; "" for what lies outside.

    Separators of Windows are read too, and there letters of either case are the same. A
    relative path is one of the folder ``cwd`` where that is inside the root, else of the root.
    """
    windows = _is_windows_path(root)
    written, base = _with_slashes(path.removeprefix("file://")), _with_slashes(root).rstrip("/")
    if windows and written[:1] == "/" and _is_windows_path(written[1:]):
        written = written[1:]  # file:///C:/…
    if not (written.startswith("/") or _is_windows_path(written)):
        below = _path_below(_with_slashes(cwd), base, windows) if cwd else ""
        written = f"{base}/{below}/{written}" if below else f"{base}/{written}"
    return _path_below(_normalize_path(written), base, windows)


def _is_windows_path(path: str) -> bool:
    return path[1:2] == ":" and path[:1].isalpha()


def _with_slashes(path: str) -> str:
    return path.replace("\\", "/")


def _path_below(path: str, base: str, windows: bool) -> str:
    head = path[: len(base) + 1]
    same = head.lower() == f"{base}/".lower() if windows else head == f"{base}/"
    return path[len(base) + 1 :].strip("/") if same else ""


def _normalize_path(path: str) -> str:
    """Return ``path`` without ``.`` and ``..`` and doubled slashes."""
    if "/." not in path and "//" not in path:
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return "/".join(("", *parts)) if path.startswith("/") else "/".join(parts)


def resolve_inside(folder: str, target: str) -> str | None:
    """Return where ``target``, as a file of ``folder`` names it, leads: a path relative to the root
    as ``folder`` is, "" for the root itself; None where it leads out of it.
    """
    target = target.replace("\\", "/")
    if target.startswith(("/", "~")) or target[1:2] == ":" or "\0" in target:
        return None
    path = posixpath.normpath(posixpath.join(folder, target))
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else path
