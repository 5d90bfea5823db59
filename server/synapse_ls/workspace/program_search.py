"""Find programs on the search path, never inside the project, where anybody may have put them."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from synapse_ls.workspace.outside_links import folders_above, lies_in
from synapse_ls.workspace.user_folders import PROJECT_SIGNS

_LIBRARY_PATHS: Final = frozenset(
    (
        "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH",
        "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH", "DYLD_INSERT_LIBRARIES",
    )
)  # fmt: skip


def find_program(name: str, root: str, *, outside: str = "") -> str:
    """Find the absolute path of the program ``name``, "" where there is none. One inside of the
    project around ``root`` does not count, nor one in the folder ``outside``.
    """
    project = _project_folder(root)
    file = f"{name}.exe" if os.name == "nt" else name
    for folder in safe_search_path(root).split(os.pathsep):
        path = os.path.join(folder, file)
        is_program = os.path.isfile(path) and os.access(path, os.X_OK)
        if outside and _is_inside(os.path.abspath(folder), os.path.abspath(outside)):
            continue
        if folder and is_program and not _is_inside(os.path.realpath(path), project):
            return path
    return ""


def safe_search_path(root: str, program: str = "") -> str:
    """Return the search path of programs without its relative entries, and without those that lie
    in the project around ``root``, or whose ``program`` does.
    """
    project = _project_folder(root)
    suffixes = ("", *os.environ.get("PATHEXT", "").split(os.pathsep)) if program else ()
    return os.pathsep.join(
        entry
        for entry in _entries_outside(os.environ.get("PATH", os.defpath), project)
        if not any(
            _is_inside(os.path.realpath(os.path.join(entry, program + suffix)), project)
            for suffix in suffixes
        )
    )


def _entries_outside(value: str, project: str) -> Iterator[str]:
    """Yield the absolute entries of a search path that do not lie in a project. An empty one would
    mean the working directory.
    """
    for entry in (each.strip('"') for each in value.split(os.pathsep)):
        places = (os.path.abspath(entry), os.path.realpath(entry))
        if os.path.isabs(entry) and not any(_is_inside(place, project) for place in places):
            yield entry


def safe_environment(root: str, program: str = "") -> dict[str, str]:
    """Return this process's environment for a program that it starts, with `safe_search_path`: a
    program may be a script, whose interpreter is found by name. Libraries are looked for in the
    same way.
    """
    environment = {**os.environ, "NoDefaultCurrentDirectoryInExePath": "1"}  # of Windows
    environment["PATH"] = safe_search_path(root, program) or os.devnull
    for name in environment.keys() & _LIBRARY_PATHS:
        entries = environment.pop(name).replace(";", os.pathsep).replace(" ", os.pathsep)
        if value := os.pathsep.join(_entries_outside(entries, _project_folder(root))):
            environment[name] = value
    return environment


def _project_folder(root: str) -> str:
    """Return the outermost folder around ``root`` that is a repository or has a tree, else ``root``
    itself. A home folder is no project: programs of its user lie in it.
    """
    project = inner = os.path.realpath(root)
    home = os.path.realpath(os.path.expanduser("~"))
    for folder in folders_above(inner):
        if folder != inner and _is_inside(home, folder):
            break
        if any(os.path.lexists(os.path.join(folder, sign)) for sign in PROJECT_SIGNS):
            project = folder
    return project


def _is_inside(path: str, folder: str) -> bool:
    """Return whether an absolute path is that of a folder or leads into it, in any spelling."""
    if lies_in(os.path.normcase(path), os.path.normcase(folder)):
        return True
    try:
        status = os.stat(folder)
    except OSError:
        return False
    for above in folders_above(path):
        with suppress(OSError):
            if os.path.samestat(os.stat(above), status):
                return True
    return False
