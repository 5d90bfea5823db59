"""Resolve paths that files name, without a look at the disk."""

import posixpath


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
