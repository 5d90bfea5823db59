"""The bytecode that a hook needs in one file: to find and open a hundred small ones takes as long as to
run what is in them.

It lies beside Python's own (PEP 3147) and is trusted as that is. What it holds of a module counts while the
source is as large and as old as it was, as in a ``.pyc``. A process that had to look elsewhere adds what it
found when it is done.
"""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import SourceFileLoader
from marshal import dumps, loads
from os import _exit, path, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import CodeType
    from typing import Any, NoReturn

    Held = tuple[bool, int, int, int, int]
    """Whether it is a package, time and size of the source, where its code begins and how long it is."""

PACKAGE, _, _ = __name__.rpartition(".")
FOLDER = path.dirname(path.abspath(__file__))
FILE = path.join(FOLDER, "__pycache__", f"hook.{sys.implementation.cache_tag}.bundle")
VERSION = (1, sys.hexversion, sys.flags.optimize)
SIZE = 8  # bytes before the head of the file that tell its length


class _Loader(SourceFileLoader):
    """Python's own, but for where the code comes from."""

    code = b""

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            found: CodeType = loads(self.code)
        except (ValueError, TypeError, EOFError):
            return super().get_code(fullname)
        return found


class Bundle:
    """A finder (``sys.meta_path``) for the modules in ``FILE``; it knows none where that cannot be read."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}
        try:
            self._file = open(FILE, "rb", buffering=0)  # noqa: SIM115 - as long as something is imported
            self._start = int.from_bytes(self._file.read(SIZE), "little") + SIZE
            version, held = loads(self._file.read(self._start - SIZE))
            if version == VERSION:
                self._held = held
        except (OSError, ValueError, TypeError, EOFError, MemoryError):
            pass

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """The module ``name`` as it is held, unless its source is another one by now."""
        held = self._held.get(name)
        if held is None:
            return None
        is_package, written, size = held[:3]
        inner = name.partition(".")[2].replace(".", "/")
        source = f"{FOLDER}/{inner}/__init__.py" if is_package else f"{FOLDER}/{inner}.py"
        try:
            status = stat(source)
            if (status.st_mtime_ns, status.st_size) != (written, size):
                return None
            code = self._code(held)
        except OSError:
            return None
        loader = _Loader(name, source)
        loader.code = code
        spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
        spec.has_location, spec.cached = True, FILE
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(f"{FOLDER}/{inner}")
        return spec

    def _code(self, held: Held) -> bytes:
        start, length = held[3:]
        self._file.seek(self._start + start)
        return self._file.read(length)

    def keep(self) -> None:
        """Add the modules that were found elsewhere. Without them all works, if slower: nothing is raised."""
        if sys.dont_write_bytecode:
            return
        ours = (name for name in tuple(sys.modules) if name.startswith(f"{PACKAGE}."))
        found = {name: made for name in ours if (made := _found(name))}
        if not found:
            return
        from synapse_ls.sessions.files import SessionError, atomic_write

        try:
            kept = {name: (held[:3], self._code(held)) for name, held in self._held.items()}
            if kept:
                self._file.close()  # Windows replaces no file that is open
            atomic_write(FILE, _dumped({**kept, **found}), mode=0o644)
        except (OSError, SessionError):
            return


def _dumped(modules: Mapping[str, tuple[tuple[bool, int, int], bytes]]) -> bytes:
    """The content of ``FILE``."""
    held: dict[str, Held] = {}
    start = 0
    for name, (source, code) in modules.items():
        held[name] = (*source, start, len(code))
        start += len(code)
    head = dumps((VERSION, held))
    return b"".join((len(head).to_bytes(SIZE, "little"), head, *(c for _, c in modules.values())))


def run(name: str, arguments: list[str]) -> int:
    """What ``main`` of the module ``name`` answers to ``arguments``."""
    bundle = Bundle()
    sys.meta_path.insert(0, bundle)
    __import__(name)
    status: int = sys.modules[name].main(arguments)
    bundle.keep()
    return status


def answer(name: str, arguments: list[str]) -> NoReturn:
    """Be the process of ``run``. It frees nothing when it ends, which would take a fifth of its time."""
    status = run(name, arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    _exit(status)


def _found(name: str) -> tuple[tuple[bool, int, int], bytes] | None:
    """The source and the code of a module that will be held; None for one that is, or cannot be."""
    spec = sys.modules[name].__spec__
    if name == __name__ or spec is None or not spec.origin:
        return None
    if type(spec.loader) is not SourceFileLoader:
        return None
    try:
        # Before the code is read: what changes in between is another one.
        status = stat(spec.origin)
        code = spec.loader.get_code(name)
    except (OSError, ImportError, SyntaxError):
        return None
    if code is None:
        return None
    is_package = spec.submodule_search_locations is not None
    return (is_package, status.st_mtime_ns, status.st_size), dumps(code)
