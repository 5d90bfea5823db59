"""This module keeps the bytecode of all modules that a hook imports in one bundle file, so that the
hook starts faster.

To find and open a hundred small ``.pyc`` files takes as long as to run what is in them. The bundle
lies beside Python's own cache (PEP 3147) and is trusted as that is. What it holds of a module
counts while the source has the same size and modification time, as in a ``.pyc``, and its digest
is right. A process that had to import modules from elsewhere puts them into the bundle when it is
done, compiled from their sources: a ``.pyc`` has no digest that would tell whether it is damaged.
Docstrings and annotations of functions, which no hook reads, are left out.
"""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import SourceFileLoader
from _imp import source_hash
from marshal import dumps, loads
from os import _exit, path, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import CodeType
    from typing import Any, NoReturn

    BundleEntry = tuple[bool, int, int, int, int, bytes]
    """Whether it is a package, time and size of the source, where its code begins, how long it is, and
    its digest."""

PACKAGE, _, _ = __name__.partition(".")
FOLDER = path.dirname(path.dirname(path.abspath(__file__)))
BUNDLE_FILE = path.join(FOLDER, "__pycache__", f"hook.{sys.implementation.cache_tag}.bundle")
_PREFIX = f"{PACKAGE}."
_MAX_HEAD = 1_000_000  # bytes; it has some hundred for each of some hundred modules
BUNDLE_VERSION = (3, sys.hexversion, sys.flags.optimize)
LENGTH_BYTES = 8  # bytes before the head of the file that tell its length
DIGEST_BYTES = 8  # bytes of a digest; that of the head stands before it
_DIGEST_KEY = 0x53594E


class _BundleLoader(SourceFileLoader):
    """A source loader as Python's own, which takes the code from the bundle."""

    code = b""

    def get_code(self, _: str) -> CodeType | None:
        found: CodeType = loads(self.code)
        return found


class _SourceLoader(SourceFileLoader):
    """A source loader as Python's own, to which a ``.pyc`` that cannot be read is none."""

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            return super().get_code(fullname)
        except (ValueError, TypeError, EOFError, ImportError):
            return self.compile_source()

    def compile_source(self) -> CodeType:
        """Returns the code of the module, whatever bytecode there is of it."""
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


class Bundle:
    """A finder (``sys.meta_path``) for the modules of this package: from the bundle file, or from
    their sources where the file cannot be read or does not have them.
    """

    def __init__(self) -> None:
        self._entries: dict[str, BundleEntry] = {}
        try:
            self._file = open(BUNDLE_FILE, "rb", buffering=0)  # noqa: SIM115 - as long as something is imported
            self._start = int.from_bytes(self._file.read(LENGTH_BYTES), "little") + LENGTH_BYTES
            digest = self._file.read(DIGEST_BYTES)
            head = self._file.read(min(self._start, _MAX_HEAD) - LENGTH_BYTES - DIGEST_BYTES)
            if _digest_of(head) == digest:
                version, held = loads(head)
                if version == BUNDLE_VERSION:
                    self._entries = held
        except (OSError, ValueError, TypeError, EOFError, MemoryError):
            pass

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """Returns the spec of the module ``name`` of this package: from the bundle, or from its source
        if it is not in it, is damaged, or its source has changed. None for all other modules.
        """
        if not name.startswith(_PREFIX):
            return None
        inner = name[len(_PREFIX) :].replace(".", "/")
        held = self._entries.get(name)
        if held is not None:
            source = _source_file(inner, is_package=held[0])
            if code := self._current_code(held, source):
                loader = _BundleLoader(name, source)
                loader.code = code
                return _make_spec(name, loader, inner, is_package=held[0], cached=BUNDLE_FILE)
        for is_package in (False, True):
            source = _source_file(inner, is_package=is_package)
            if path.isfile(source):
                return _make_spec(name, _SourceLoader(name, source), inner, is_package=is_package)
        return None

    def _current_code(self, held: BundleEntry, source: str) -> bytes:
        """Returns the code of an entry; b"" if its source has changed, or it is damaged."""
        try:
            status = stat(source)
            if (status.st_mtime_ns, status.st_size) != held[1:3]:
                return b""
            code = self._read_code(held)
        except OSError:
            return b""
        return code if _digest_of(code) == held[5] else b""

    def is_damaged(self) -> bool:
        """Returns whether there is a bundle file that cannot be read, or code in it that is not what
        was written.
        """
        if not self._entries:
            return path.isfile(BUNDLE_FILE)
        try:
            return any(_digest_of(self._read_code(e)) != e[5] for e in self._entries.values())
        except OSError:
            return True

    def _read_code(self, held: BundleEntry) -> bytes:
        start, length = held[3:5]
        self._file.seek(self._start + start)
        return self._file.read(length)

    def save_imported(self) -> None:
        """Adds the modules that were imported from elsewhere to the bundle file.

        Without them all works, if slower: nothing is raised.
        """
        if sys.dont_write_bytecode:
            return
        ours = (name for name in tuple(sys.modules) if name.startswith(_PREFIX))
        found = {name: made for name in ours if (made := _compile_module(name))}
        if not found:
            return
        from synapse_ls.storage.atomic_files import ANYWHERE, StorageError, atomic_write

        try:
            kept = {
                name: (held[:3], code)
                for name, held in self._entries.items()
                if name not in found and (code := self._held_code(name, held))
            }
            if self._entries:
                self._file.close()  # Windows replaces no file that is open
            atomic_write(
                BUNDLE_FILE, _encode_bundle({**kept, **found}), within=ANYWHERE, mode=0o644
            )
        except (OSError, StorageError):
            return

    def _held_code(self, name: str, held: BundleEntry) -> bytes:
        inner = name[len(_PREFIX) :].replace(".", "/")
        return self._current_code(held, _source_file(inner, is_package=held[0]))


def _digest_of(data: bytes) -> bytes:
    return source_hash(_DIGEST_KEY, data)


def _source_file(inner: str, *, is_package: bool) -> str:
    return f"{FOLDER}/{inner}/__init__.py" if is_package else f"{FOLDER}/{inner}.py"


def _make_spec(
    name: str, loader: SourceFileLoader, inner: str, *, is_package: bool, cached: str = ""
) -> ModuleSpec:
    spec = ModuleSpec(name, loader, origin=loader.path, is_package=is_package)
    spec.has_location = True
    if cached:
        spec.cached = cached
    if spec.submodule_search_locations is not None:
        spec.submodule_search_locations.append(f"{FOLDER}/{inner}")
    return spec


def _encode_bundle(modules: Mapping[str, tuple[tuple[bool, int, int], bytes]]) -> bytes:
    """Returns the content of the bundle file for ``modules``: name -> (package, time, size) and
    bytecode.
    """
    held: dict[str, BundleEntry] = {}
    start = 0
    for name, (source, code) in modules.items():
        held[name] = (*source, start, len(code), _digest_of(code))
        start += len(code)
    head = dumps((BUNDLE_VERSION, held))
    length = (len(head) + DIGEST_BYTES).to_bytes(LENGTH_BYTES, "little")
    return b"".join((length, _digest_of(head), head, *(c for _, c in modules.values())))


def run_bundled(name: str, arguments: list[str], *more: str) -> int:
    """Imports the module ``name`` with the bundle in place, calls its ``main`` with ``arguments``
    and ``more``, and returns the exit code.
    """
    bundle = Bundle()
    sys.meta_path.insert(0, bundle)
    __import__(name)
    status: int = sys.modules[name].main(arguments, *more)
    try:
        bundle.save_imported()
    except Exception:
        # The reply stands; damaged bytecode of what writes the file must not add to it.
        return status
    return status


def run_and_exit(name: str, arguments: list[str], *more: str) -> NoReturn:
    """Does what `run_bundled` does and ends the process at once. It frees nothing, which would take a
    fifth of its time.
    """
    status = run_bundled(name, arguments, *more)
    sys.stdout.flush()
    sys.stderr.flush()
    _exit(status)


def _compile_module(name: str) -> tuple[tuple[bool, int, int], bytes] | None:
    """Returns (package, time, size) and bytecode of an imported module; None if it came from the
    bundle or cannot be put into it.
    """
    spec = sys.modules[name].__spec__
    if spec is None or not isinstance(spec.loader, _SourceLoader):
        return None
    try:
        # Before the source is read: what changes in between is another one.
        status = stat(spec.loader.path)
        code = dumps(_compile_slim(spec.loader))
    except (OSError, SyntaxError, ValueError):
        return None
    is_package = spec.submodule_search_locations is not None
    return (is_package, status.st_mtime_ns, status.st_size), code


def _compile_slim(loader: SourceFileLoader) -> CodeType:
    """Returns the code of a module without the docstrings and annotations of its functions and the
    docstrings of its classes.
    """
    from ast import (
        AsyncFunctionDef,
        ClassDef,
        FunctionDef,
        Pass,
        arg,
        fix_missing_locations,
        get_docstring,
        parse,
        walk,
    )

    tree = parse(loader.get_data(loader.path), loader.path)
    for node in walk(tree):
        if isinstance(node, arg):
            node.annotation = None
        elif isinstance(node, FunctionDef | AsyncFunctionDef | ClassDef):
            if get_docstring(node, clean=False) is not None:
                node.body[:1] = [] if node.body[1:] else [Pass()]
            if not isinstance(node, ClassDef):
                node.returns = None
    code: CodeType = compile(fix_missing_locations(tree), loader.path, "exec", dont_inherit=True)
    return code
