"""Find programs on the search path, never inside the project, where anybody may have put them."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from synapse_ls.workspace.linked_work_trees import project_roots
from synapse_ls.workspace.outside_links import folders_above, lies_in
from synapse_ls.workspace.user_folders import PROJECT_SIGNS, folders_in_use

# Where linkers look; in those, other signs than that of the system part the entries as well.
_LINKER_PATHS: Final = frozenset(
    (
        "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH",
        "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH", "DYLD_INSERT_LIBRARIES",
    )
)  # fmt: skip
# Where the C library, OpenSSL, shells and interpreters look for what they load.
_LIBRARY_PATHS: Final = _LINKER_PATHS | frozenset(
    (
        "GCONV_PATH", "LOCPATH", "GIO_EXTRA_MODULES", "OPENSSL_CONF", "OPENSSL_ENGINES",
        "OPENSSL_MODULES", "BASH_ENV", "NODE_PATH", "PERL5LIB", "RUBYLIB",
    )
)  # fmt: skip


def find_program(name: str, root: str, *, outside: str = "", search_path: str = "") -> str:
    """Find the absolute path of the program ``name``, "" where there is none. One inside of the
    project around ``root`` does not count, nor one in the folder ``outside``. search_path: that of
    `safe_search_path` where it is known.
    """
    project = _project_folders(root)
    file = f"{name}.exe" if os.name == "nt" else name
    for folder in (search_path or safe_search_path(root)).split(os.pathsep):
        path = os.path.join(folder, file)
        is_program = os.path.isfile(path) and os.access(path, os.X_OK)
        if outside and _is_inside(os.path.abspath(folder), (os.path.abspath(outside),)):
            continue
        if folder and is_program and not _is_inside(os.path.realpath(path), project):
            return path
    return ""


def safe_search_path(root: str, program: str = "") -> str:
    """Return the search path of programs without its relative entries, and without those that lie
    in the project around ``root``, or whose ``program`` does.
    """
    project = _project_folders(root)
    suffixes = ("", *os.environ.get("PATHEXT", "").split(os.pathsep)) if program else ()
    return os.pathsep.join(
        entry
        for entry in _entries_outside(os.environ.get("PATH", os.defpath), project)
        if not any(
            _is_inside(os.path.realpath(os.path.join(entry, program + suffix)), project)
            for suffix in suffixes
        )
    )


def _entries_outside(value: str, project: tuple[str, ...]) -> Iterator[str]:
    """Yield the absolute entries of a search path that do not lie in a project. An empty one would
    mean the working directory.
    """
    for entry in (each.strip('"') for each in value.split(os.pathsep)):
        places = {os.path.abspath(entry), os.path.realpath(entry)}
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
        entries = environment.pop(name)
        if name in _LINKER_PATHS:
            entries = entries.replace(";", os.pathsep).replace(" ", os.pathsep)
        if value := os.pathsep.join(_entries_outside(entries, _project_folders(root))):
            environment[name] = value
    return environment


def _project_folders(root: str) -> tuple[str, ...]:
    """Return ``root`` and the folders in use that are projects, with those around each of them and
    the working directory that are a repository or have a tree, each with those that stand for it in
    other work trees; of those inside others the outermost. A home folder is no project: programs of
    its user lie in it.
    """
    home = os.path.realpath(os.path.expanduser("~"))
    names = ("PATH", *_LIBRARY_PATHS)
    entries = [e for name in names for e in os.environ.get(name, "").split(os.pathsep)]
    folders = {os.path.realpath(root)}
    starts = sorted({**folders_in_use, root: True}.items(), key=lambda start: not start[1])
    for start, is_project in starts:
        try:
            inner = os.path.realpath(start)
        except FileNotFoundError:  # the working folder is gone
            continue
        if not is_project and any(lies_in(inner, folder) for folder in folders):
            if start != os.curdir:  # it may be another one the next time
                folders_in_use.pop(start, None)
            continue
        for folder in folders_above(inner):
            if folder not in folders and _is_inside(home, (folder,)):
                break
            if (is_project and folder == inner) or any(
                os.path.lexists(os.path.join(folder, sign)) for sign in PROJECT_SIGNS
            ):
                folders.update(
                    place
                    for place in project_roots(folder, entries)
                    if not _is_inside(home, (place,))
                )
    outermost: list[str] = []
    for folder in sorted(folders, key=len):
        if not any(lies_in(folder, place) for place in outermost):
            outermost.append(folder)
    return tuple(outermost)


def _is_inside(path: str, folders: Sequence[str]) -> bool:
    """Return whether an absolute path is that of a folder or leads into it, in any spelling."""
    if any(lies_in(os.path.normcase(path), os.path.normcase(folder)) for folder in folders):
        return True
    places = []
    for folder in folders:
        with suppress(OSError):
            places.append(os.stat(folder))
    for above in folders_above(path) if places else ():
        with suppress(OSError):
            status = os.stat(above)
            if any(os.path.samestat(status, place) for place in places):
                return True
    return False
