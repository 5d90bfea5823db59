"""This module keeps the bytecode of all modules that the hook of an event imports in one bundle
file, so that the hook starts faster.

To find and open a hundred small ``.pyc`` files takes as long as to run what is in them. A bundle
lies beside Python's own cache (PEP 3147) and is trusted as that is. What it holds of a module
counts while the source has the same size and modification time, as in a ``.pyc``, and its digest
is right. A process that had to import modules from elsewhere puts them into its bundle when it is
done, compiled from their sources: a ``.pyc`` has no digest that would tell whether it is damaged.

What each process of the event needs stands in the head of its bundle, which is read as one value;
what only some need is read when it is asked for. A process that does without much of the head
writes it anew. Docstrings and annotations of functions, which no hook reads, are left out.
"""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import SourceFileLoader
from _imp import source_hash
from marshal import dumps, loads
from os import _exit, listdir, path, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from types import CodeType
    from typing import Any, NoReturn

    SourceStamp = tuple[bool, int, int]
    """Whether a module is a package, and time and size of its source."""
    CommonEntry = tuple[bool, int, int, CodeType]
    """The stamp of the source, and the code."""
    RareEntry = tuple[bool, int, int, int, int, bytes]
    """The stamp of the source, where the code begins, how long it is, and its digest."""

PACKAGE, _, _ = __name__.partition(".")
FOLDER = path.dirname(path.dirname(path.abspath(__file__)))
BUNDLE_FOLDER = path.join(FOLDER, "__pycache__")
BUNDLE_ENDING = f".{sys.implementation.cache_tag}.bundle"
_PREFIX = f"{PACKAGE}."
_MAX_HEAD = 50_000_000  # bytes; it has some thousand for each of some hundred modules
_MAX_NAME = 40  # characters of the name of an event that has a bundle of its own
_WASTE = 4  # a head is written anew where a process needs less than all but the fourth part of it
BUNDLE_VERSION = (3, sys.hexversion, sys.flags.optimize)
LENGTH_BYTES = 8  # bytes before the head of the file that tell its length
DIGEST_BYTES = 8  # bytes of a digest; that of the head stands before it
_DIGEST_KEY = 0x53594E


class _BundleLoader(SourceFileLoader):
    """A source loader as Python's own, which takes the code from the bundle."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, _: str) -> CodeType | None:
        return self._code


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

    def __init__(self, file: str) -> None:
        self.file = file
        self.common: dict[str, CommonEntry] = {}
        self.rare: dict[str, RareEntry] = {}
        self.start = 0  # where the code of rare modules begins
        self._used: set[str] = set()
        self._has_missed = False
        try:
            self.opened = open(file, "rb", buffering=0)  # noqa: SIM115 - as long as something is imported
            length = int.from_bytes(self.opened.read(LENGTH_BYTES), "little")
            digest = self.opened.read(DIGEST_BYTES)
            head = self.opened.read(min(length, _MAX_HEAD))
            if _digest_of(head) == digest:
                version, common, rare = loads(head)
                if version == BUNDLE_VERSION:
                    self.common, self.rare = common, rare
                    self.start = LENGTH_BYTES + DIGEST_BYTES + length
        except (OSError, ValueError, TypeError, EOFError, MemoryError):
            pass

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """Returns the spec of the module ``name`` of this package: from the bundle, or from its source
        if it is not in it, is damaged, or its source has changed. None for all other modules.
        """
        if not name.startswith(_PREFIX):
            return None
        self._used.add(name)
        inner = name[len(_PREFIX) :].replace(".", "/")
        if found := self.find_code(name):
            stamp, code = found
            is_package = stamp[0]
            loader = _BundleLoader(name, _source_file(inner, is_package=is_package), code)
            return _make_spec(name, loader, inner, is_package=is_package, cached=self.file)
        self._has_missed = True
        for is_package in (False, True):
            source = _source_file(inner, is_package=is_package)
            if path.isfile(source):
                return _make_spec(name, _SourceLoader(name, source), inner, is_package=is_package)
        return None

    def find_code(self, name: str) -> tuple[SourceStamp, CodeType] | None:
        """Returns what the bundle has of a module; None where it has nothing, its source has changed,
        or it is damaged.
        """
        held = self.common.get(name) or self.rare.get(name)
        if held is None:
            return None
        try:
            status = stat(_source_file(name[len(_PREFIX) :].replace(".", "/"), is_package=held[0]))
        except OSError:
            return None
        code = self.held_code(name) if (status.st_mtime_ns, status.st_size) == held[1:3] else None
        return (held[:3], code) if code else None

    def held_code(self, name: str) -> CodeType | None:
        """Returns the code of a module; None where it is not what was written."""
        if held := self.common.get(name):
            return held[3]
        *_, start, length, digest = self.rare[name]
        try:
            self.opened.seek(self.start + start)
            code = self.opened.read(length)
        except OSError:
            return None
        return loads(code) if _digest_of(code) == digest else None

    def save_imported(self) -> None:
        """Writes the bundle file where modules were imported from elsewhere, or much of its head was
        not needed.

        Without them all works, if slower: nothing is raised.
        """
        used = frozenset(self._used)
        needed = len(self.common.keys() & used)
        if self._has_missed or needed * _WASTE < len(self.common) * (_WASTE - 1):
            _write_bundle(self, used)


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


def bundle_file(arguments: list[str]) -> str:
    """Returns the path of the bundle of a process: that of the event in its ``arguments``."""
    event = ""
    for place, value in enumerate(arguments[1:]):
        option = arguments[place]
        if option == "--event" and value.isascii() and value.isalnum() and len(value) < _MAX_NAME:
            event = value
    return path.join(BUNDLE_FOLDER, (f"hook-{event}" if event else "hook") + BUNDLE_ENDING)


def find_damaged_bundles() -> list[str]:
    """Returns the paths of the bundle files of which something is not what was written."""
    try:
        names = sorted(listdir(BUNDLE_FOLDER))
    except OSError:
        return []
    files = (path.join(BUNDLE_FOLDER, name) for name in names if name.endswith(BUNDLE_ENDING))
    return [file for file in files if _is_damaged(Bundle(file))]


def _is_damaged(bundle: Bundle) -> bool:
    return not bundle.start or not all(map(bundle.held_code, bundle.rare))


def run_bundled(name: str, arguments: list[str], *more: str) -> int:
    """Imports the module ``name`` with the bundle in place, calls its ``main`` with ``arguments``
    and ``more``, and returns the exit code.
    """
    bundle = Bundle(bundle_file(arguments))
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


def _write_bundle(bundle: Bundle, used: AbstractSet[str]) -> None:
    """Writes the file of ``bundle`` with what it holds and the modules ``used`` by this process.

    What this process did without leaves the head. Where it cannot be written all works without.
    """
    if sys.dont_write_bytecode:
        return
    modules = {}
    for name in dict.fromkeys((*bundle.common, *bundle.rare, *sorted(used))):
        if made := _compile_module(name) or bundle.find_code(name):
            modules[name] = made
    # The first process of an event cannot know what others need.
    common = bundle.common.keys() & used if bundle.start else modules.keys()
    if bundle.start:
        bundle.opened.close()  # Windows replaces no file that is open
    from synapse_ls.storage.atomic_files import ANYWHERE, StorageError, atomic_write

    try:
        atomic_write(bundle.file, _encode_bundle(modules, common), within=ANYWHERE, mode=0o644)
    except (OSError, StorageError):
        return


def _encode_bundle(
    modules: Mapping[str, tuple[SourceStamp, CodeType]], common: AbstractSet[str]
) -> bytes:
    """Returns the content of the bundle file: that of ``modules``, of which those in ``common`` stand
    in the head.
    """
    rare: dict[str, RareEntry] = {}
    parts = []
    start = 0
    for name, (source, code) in modules.items():
        if name not in common:
            part = dumps(code)
            parts.append(part)
            rare[name] = (*source, start, len(part), _digest_of(part))
            start += len(part)
    held = {name: (*modules[name][0], modules[name][1]) for name in modules if name in common}
    head = dumps((BUNDLE_VERSION, held, rare))
    length = len(head).to_bytes(LENGTH_BYTES, "little")
    return b"".join((length, _digest_of(head), head, *parts))


def _compile_module(name: str) -> tuple[SourceStamp, CodeType] | None:
    """Returns stamp and code of an imported module; None if it came from the bundle or cannot be put
    into it.
    """
    spec = getattr(sys.modules.get(name), "__spec__", None)
    if spec is None or not isinstance(spec.loader, _SourceLoader):
        return None
    try:
        # Before the source is read: what changes in between is another one.
        status = stat(spec.loader.path)
        code = _compile_slim(spec.loader)
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
