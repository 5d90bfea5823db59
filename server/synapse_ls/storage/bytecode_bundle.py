"""Import the hook's modules from one bundle of bytecode, faster than from a hundred ``.pyc``.

The bundle is beside Python's own cache (PEP 3147) and is trusted like it. A module in it is valid
while the source has the same size and modification time, as for a ``.pyc``, and its digest is
right.
"""

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import SourceFileLoader
from _imp import source_hash
from marshal import loads

try:
    from posix import stat
except ImportError:
    from nt import stat  # type: ignore[attr-defined,no-redef]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any, NoReturn

    # Whether it is a package, time and size of the source.
    BundleSource = tuple[bool, int, int]
    # Where it begins, how long it is, and its digest.
    BundlePart = tuple[int, int, bytes]
    # The source of a module, and the part that has the modules that it imports, and its code.
    BundleEntry = tuple[bool, int, int, int, int, bytes]

PACKAGE, _, _ = __name__.partition(".")
PREFIX = f"{PACKAGE}."
# What stands before the name of the package in the path of a source: the folder with a slash.
PLACE = __file__.rpartition(PACKAGE)[0]
BUNDLE_FILE = f"{PLACE}{PACKAGE}/__pycache__/hook.{sys.implementation.cache_tag}.bundle"
_MAX_HEAD = 1_000_000  # bytes; it has some hundred for each of some hundred modules
BUNDLE_VERSION = (7, sys.hexversion, sys.flags.optimize)
LENGTH_BYTES = 8  # bytes before the head of the file that tell its length
DIGEST_BYTES = 8  # bytes of a digest; that of the head stands before it
_DIGEST_KEY = 0x53594E
_S_IFMT, _S_IFREG = 0o170000, 0o100000
# The global by which code in the bundle finds the modules of this package that it imports.
MODULES = "__modules__"


class _Modules(dict[str, "ModuleType"]):
    """The modules of this package by name; one that is not loaded is imported when it is asked
    for.
    """

    def __missing__(self, name: str) -> "ModuleType":
        __import__(name)
        module = self[name] = sys.modules[name]
        return module


_modules = _Modules()


class _BundleLoader(SourceFileLoader):
    """A source loader as Python's own, which takes the code from the bundle."""

    code: "CodeType | None" = None

    def get_code(self, _: str) -> "CodeType | None":
        return self.code

    def exec_module(self, module: "ModuleType") -> None:
        module.__dict__[MODULES] = _modules
        super().exec_module(module)


class SourceLoader(SourceFileLoader):
    """A source loader as Python's own, to which a ``.pyc`` that cannot be read is none."""

    def get_code(self, fullname: str) -> "CodeType | None":
        try:
            return super().get_code(fullname)
        except (ValueError, TypeError, EOFError, ImportError):
            code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
            return code


class Bundle:
    """A finder (``sys.meta_path``) for the modules of this package: from the bundle file, or from
    their sources where the file cannot be read or does not have them.

    loads_ahead: whether what a module imports is loaded before it. That takes no locks, so no other
    thread may import anything. is_complete: whether all that was asked for was in it.
    """

    def __init__(self, *, loads_ahead: bool = False) -> None:
        self.is_complete = True
        self._loads_ahead = loads_ahead
        self._entries: dict[str, BundleEntry] = {}
        self._begun: set[str] = set()
        try:
            # Open as long as something is imported.
            self._file = open(BUNDLE_FILE, "rb", buffering=0)  # noqa: SIM115
            self._start = int.from_bytes(self._file.read(LENGTH_BYTES), "little") + LENGTH_BYTES
            digest = self._file.read(DIGEST_BYTES)
            head = self._file.read(min(self._start, _MAX_HEAD) - LENGTH_BYTES - DIGEST_BYTES)
            if digest_of(head) == digest:
                version, entries = loads(head)
                if version == BUNDLE_VERSION:
                    self._entries = entries
        except (OSError, ValueError, TypeError, EOFError, MemoryError):
            pass

    def find_spec(self, name: str, *_: "Any") -> ModuleSpec | None:
        """Return the spec of the module ``name`` of this package: from the bundle, or from its
        source if it is not in it, is damaged, or its source has changed. None for all other
        modules.
        """
        if not is_ours(name):
            return None
        entry = self._entries.get(name)
        if (
            entry is not None
            and is_current(entry, source := source_file(name, entry[0]))
            and (code := self._code_after_imports(name)) is not None
        ):
            loader = _BundleLoader(name, source)
            loader.code = code
            spec = _make_spec(name, loader, is_package=entry[0])
            spec.cached = BUNDLE_FILE
            return spec
        for is_package in (False, True):
            source = source_file(name, is_package)
            if is_file(source):
                self.is_complete = False
                return _make_spec(name, SourceLoader(name, source), is_package=is_package)
        return None

    def load(self, name: str) -> None:
        """Load the module ``name`` without the locks and lookups of an ``import``. What cannot be
        loaded is left to the statement that imports it, which tells why.
        """
        if name not in self._entries or name in self._begun or name in sys.modules:
            return
        if name != PACKAGE:
            self.load(name.rpartition(".")[0])
        if (code := self._code_after_imports(name)) is not None:
            self._execute(name, code)

    def _code_after_imports(self, name: str) -> "CodeType | None":
        """Return the code of a module that the bundle has, None if it is damaged; where this
        process loads ahead, what it imports at its top is loaded then.
        """
        self._begun.add(name)
        data = self._read_part(*self._entries[name][3:])
        if not data:
            return None
        imported: tuple[str, ...]
        code: CodeType
        imported, code = loads(data)
        for member in imported if self._loads_ahead else ():
            self.load(member)
        return code

    def _execute(self, name: str, code: "CodeType") -> None:
        """Make a module of ``code``, unless it is loaded, its package is not, or its source has
        changed.

        It has no spec: to make one takes as long as to make the module.
        """
        modules = sys.modules
        held = self._entries[name]
        parent, _, own_name = name.rpartition(".")
        source = source_file(name, held[0])
        if name in modules or parent not in modules or not is_current(held, source):
            return
        module = modules[name] = type(sys)(name)
        content = module.__dict__
        content["__file__"], content["__cached__"] = source, BUNDLE_FILE
        content["__package__"], content[MODULES] = parent, _modules
        if held[0]:
            content["__package__"], content["__path__"] = name, [source.rpartition("/")[0]]
        try:
            exec(code, content)
        except Exception:
            del modules[name]
            return
        setattr(modules[parent], own_name, module)

    def is_damaged(self) -> bool:
        """Return whether there is a bundle file that cannot be read, or something in it that is not
        what was written.
        """
        if not self._entries:
            return is_file(BUNDLE_FILE)
        return not all(self._read_part(*entry[3:]) for entry in self._entries.values())

    def held_parts(self) -> "dict[str, tuple[BundleSource, bytes]]":
        """Return what is held of modules whose sources have not changed."""
        return {
            name: (entry[:3], data)
            for name, entry in self._entries.items()
            if is_current(entry, source_file(name, entry[0]))
            and (data := self._read_part(*entry[3:]))
        }

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._entries:
            self._file.close()

    def _read_part(self, start: int, length: int, digest: bytes) -> bytes:
        """Return a part of the file; b"" if it is damaged."""
        try:
            self._file.seek(self._start + start)
            data = self._file.read(length)
        except OSError:
            return b""
        return data if digest_of(data) == digest else b""


def is_current(held: "BundleEntry", source: str) -> bool:
    """Return whether the source of an entry is the one that its code was made of."""
    try:
        status = stat(source)
    except OSError:
        return False
    return (status.st_mtime_ns, status.st_size) == held[1:3]


def digest_of(data: bytes) -> bytes:
    """Return the digest by which damage of a bundle entry is seen; it proves nothing else."""
    return source_hash(_DIGEST_KEY, data)


def is_ours(name: str) -> bool:
    """Return whether a module is one of this package, or the package itself."""
    return name.startswith(PREFIX) or name == PACKAGE


def source_file(name: str, is_package: bool) -> str:
    """Return the path of the source of a module of this package."""
    inner = name.replace(".", "/")
    return f"{PLACE}{inner}/__init__.py" if is_package else f"{PLACE}{inner}.py"


def is_file(path: str) -> bool:
    """Return whether there is a regular file."""
    try:
        return stat(path).st_mode & _S_IFMT == _S_IFREG
    except OSError:
        return False


def _make_spec(name: str, loader: SourceFileLoader, *, is_package: bool) -> ModuleSpec:
    spec = ModuleSpec(name, loader, origin=loader.path, is_package=is_package)
    spec.has_location = True
    if spec.submodule_search_locations is not None:
        spec.submodule_search_locations.append(loader.path.rpartition("/")[0])
    return spec


def install_bundle(*, loads_ahead: bool = False) -> Bundle:
    """Have Python ask a bundle for the modules of this package, and return it."""
    bundle = Bundle(loads_ahead=loads_ahead)
    sys.meta_path.insert(0, bundle)
    return bundle


def forget_half_loaded() -> None:
    """Have each module whose loading was interrupted be loaded anew where it is needed."""
    for name, module in list(sys.modules.items()):
        parent, _, own_name = name.rpartition(".")
        # A package gets a module when that is loaded; those of a bundle have no spec.
        is_waited_for = is_ours(parent) and getattr(sys.modules[parent], own_name, None) != module
        is_initializing = getattr(getattr(module, "__spec__", None), "_initializing", False)
        if name != __name__ and (is_waited_for or is_initializing):
            del sys.modules[name]
    _modules.clear()


def run_alone(name: str, *more: str) -> "NoReturn":
    """Call ``main`` of the module ``name``, as `run_and_exit` does, with the arguments of this
    process and ``more``.
    """
    bundle = install_bundle(loads_ahead=True)
    from synapse_ls.storage.program_start import run_and_exit

    run_and_exit(bundle, name, sys.argv[1:], *more)


def run_from_sources(*modules: str) -> "NoReturn":
    """Do what `run_alone` does, with modules of this package that are imported anew, where bytecode
    is damaged and none is read any more.
    """
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]
    from synapse_ls.storage.bytecode_bundle import run_alone

    run_alone(*modules)
