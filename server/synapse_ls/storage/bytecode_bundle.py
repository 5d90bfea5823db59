"""This module keeps the bytecode of all modules that a hook imports in one bundle file, so that the
hook starts faster.

To find and open a hundred small ``.pyc`` files takes as long as to run what is in them. The bundle
lies beside Python's own cache (PEP 3147) and is trusted as that is. What it holds of a module
counts while the source has the same size and modification time, as in a ``.pyc``. A process that
had to import modules from elsewhere adds them to the bundle when it is done.
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

    BundleEntry = tuple[bool, int, int, int, int]
    """Whether it is a package, time and size of the source, where its code begins and how long it is."""

PACKAGE, _, _ = __name__.partition(".")
FOLDER = path.dirname(path.dirname(path.abspath(__file__)))
BUNDLE_FILE = path.join(FOLDER, "__pycache__", f"hook.{sys.implementation.cache_tag}.bundle")
BUNDLE_VERSION = (1, sys.hexversion, sys.flags.optimize)
LENGTH_BYTES = 8  # bytes before the head of the file that tell its length


class _BundleLoader(SourceFileLoader):
    """A source loader as Python's own, which takes the code from the bundle."""

    code = b""

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            found: CodeType = loads(self.code)
        except (ValueError, TypeError, EOFError):
            return super().get_code(fullname)
        return found


class Bundle:
    """A finder (``sys.meta_path``) for the modules in the bundle file; it finds none where the file
    cannot be read.
    """

    def __init__(self) -> None:
        self._entries: dict[str, BundleEntry] = {}
        try:
            self._file = open(BUNDLE_FILE, "rb", buffering=0)  # noqa: SIM115 - as long as something is imported
            self._start = int.from_bytes(self._file.read(LENGTH_BYTES), "little") + LENGTH_BYTES
            version, held = loads(self._file.read(self._start - LENGTH_BYTES))
            if version == BUNDLE_VERSION:
                self._entries = held
        except (OSError, ValueError, TypeError, EOFError, MemoryError):
            pass

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """Returns the spec of the module ``name`` from the bundle, None if it is not in it or its
        source has changed.
        """
        held = self._entries.get(name)
        if held is None:
            return None
        is_package, written, size = held[:3]
        inner = name.partition(".")[2].replace(".", "/")
        source = f"{FOLDER}/{inner}/__init__.py" if is_package else f"{FOLDER}/{inner}.py"
        try:
            status = stat(source)
            if (status.st_mtime_ns, status.st_size) != (written, size):
                return None
            code = self._read_code(held)
        except OSError:
            return None
        loader = _BundleLoader(name, source)
        loader.code = code
        spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
        spec.has_location, spec.cached = True, BUNDLE_FILE
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(f"{FOLDER}/{inner}")
        return spec

    def _read_code(self, held: BundleEntry) -> bytes:
        start, length = held[3:]
        self._file.seek(self._start + start)
        return self._file.read(length)

    def save_imported(self) -> None:
        """Adds the modules that were imported from elsewhere to the bundle file.

        Without them all works, if slower: nothing is raised.
        """
        if sys.dont_write_bytecode:
            return
        ours = (name for name in tuple(sys.modules) if name.startswith(f"{PACKAGE}."))
        found = {name: made for name in ours if (made := _read_module(name))}
        if not found:
            return
        from synapse_ls.storage.atomic_files import ANYWHERE, StorageError, atomic_write

        try:
            kept = {name: (held[:3], self._read_code(held)) for name, held in self._entries.items()}
            if kept:
                self._file.close()  # Windows replaces no file that is open
            atomic_write(
                BUNDLE_FILE, _encode_bundle({**kept, **found}), within=ANYWHERE, mode=0o644
            )
        except (OSError, StorageError):
            return


def _encode_bundle(modules: Mapping[str, tuple[tuple[bool, int, int], bytes]]) -> bytes:
    """Returns the content of the bundle file for ``modules``: name -> (package, time, size) and
    bytecode.
    """
    held: dict[str, BundleEntry] = {}
    start = 0
    for name, (source, code) in modules.items():
        held[name] = (*source, start, len(code))
        start += len(code)
    head = dumps((BUNDLE_VERSION, held))
    return b"".join(
        (len(head).to_bytes(LENGTH_BYTES, "little"), head, *(c for _, c in modules.values()))
    )


def run_bundled(name: str, arguments: list[str], *more: str) -> int:
    """Imports the module ``name`` with the bundle in place, calls its ``main`` with ``arguments``
    and ``more``, and returns the exit code.
    """
    bundle = Bundle()
    sys.meta_path.insert(0, bundle)
    __import__(name)
    status: int = sys.modules[name].main(arguments, *more)
    bundle.save_imported()
    return status


def run_and_exit(name: str, arguments: list[str], *more: str) -> NoReturn:
    """Does what `run_bundled` does and ends the process at once. It frees nothing, which would take a
    fifth of its time.
    """
    status = run_bundled(name, arguments, *more)
    sys.stdout.flush()
    sys.stderr.flush()
    _exit(status)


def _read_module(name: str) -> tuple[tuple[bool, int, int], bytes] | None:
    """Returns (package, time, size) and bytecode of an imported module; None if it came from the
    bundle or cannot be put into it.
    """
    spec = sys.modules[name].__spec__
    # This module and its packages are imported before the bundle is there, each time.
    if __name__.startswith(name) or spec is None or not spec.origin:
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
