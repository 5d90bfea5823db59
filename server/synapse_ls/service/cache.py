"""Compiled plans in the user's cache folder, validated by stat alone.

Never in the tree, never with a format that runs code when it is read. The folder must belong to
the user and be closed to others, since what is in it reaches an agent. As in git's index, an
input that is not older than the cached plan itself may have changed in the same tick of the
clock and counts as changed.
"""

from __future__ import annotations

import os
import sys
from marshal import dumps, loads

from synapse_ls.engine import plan as plans
from synapse_ls.engine.hashing import text_hash
from synapse_ls.workspace.folders import NOTES, TREE
from synapse_ls.workspace.stamps import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from io import FileIO
    from mmap import mmap
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.slices import Data
    from synapse_ls.workspace.stamps import Stamp

    Stamps = Mapping[str, Stamp | None]

EMPTY = dumps({})
SIZE = 8  # bytes before the head of a plan's file that tell its length
VERSION = (8, sys.hexversion, plans.FORMAT)
MAPPED = 1_000_000  # bytes from which on it is quicker to map a file than to read it
TICK = 20_000_000  # nanoseconds in which two changes may carry one time


def folder() -> str:
    """The cache folder of this user; created by ``prepared`` when something is written."""
    if given := os.environ.get("SYNAPSE_LS_CACHE"):
        return given
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
        return os.path.join(base, "synapse-ls", "cache")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/synapse-ls")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "synapse-ls")


def _trusted(path: str) -> bool:
    """Whether ``path`` is the user's own and nobody else may write there."""
    if os.name == "nt":
        return True
    status = os.stat(path)
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def prepared() -> str:
    """The cache folder, made if need be; "" where it cannot be trusted."""
    path = folder()
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path if _trusted(path) else ""


class Stamped:
    """What a cached plan was made from.

    always: stamps of inputs that every prompt depends on. content: folder -> the packed stamps of its
    rule files, looked at only when a domain of such a file takes part. paths: the patterns of every
    ``{D}_PATHS``. guards: the guard's mode, and what its boundaries are about. names: the identity of
    what lies in the tree's own folder. written: time of the cache file in nanoseconds.
    """

    __slots__ = ("always", "content", "guards", "names", "paths", "root", "written")

    def __init__(
        self,
        root: str,
        always: Stamps,
        content: Mapping[str, bytes],
        paths: tuple[str, ...],
        guards: tuple[str, ...],
        names: str,
        written: int,
    ) -> None:
        self.root = root
        self.always = always
        self.content = content
        self.paths = paths
        self.guards = guards
        self.names = names
        self.written = written

    def holds(self) -> bool:
        """Whether every input that every prompt depends on is as it was."""
        return self._same(self.always.items())

    def holds_for(self, files: Iterable[str]) -> bool:
        """Whether these rule files are as they were."""
        folders: dict[str, Stamps] = {}
        stamps: dict[str, Stamp | None] = {}
        for path in files:
            folder = path.rpartition("/")[0]
            if folder not in folders:
                folders[folder] = loads(self.content.get(folder, EMPTY))
            if path in folders[folder]:
                stamps[path] = folders[folder][path]
        return self._same(stamps.items())

    def holds_for_all(self) -> bool:
        """Whether every rule file is as it was."""
        return all(self._same(loads(packed).items()) for packed in self.content.values())

    def _same(self, stamps: Iterable[tuple[str, Stamp | None]]) -> bool:
        # A tree of a thousand squads has thousands of files: their paths are looked up from the root on,
        # and `stamp_of` is asked in parts.
        base = _opened(self.root)
        prefix = "" if base is not None else f"{self.root}/"
        safe, stat = self.written - TICK, os.stat
        try:
            for path, stamp in stamps:
                try:
                    now = stat(prefix + path, dir_fd=base)
                except (OSError, ValueError):
                    if stamp is None:
                        continue
                else:
                    if (
                        stamp is not None
                        and now.st_mtime_ns == stamp[0] < safe
                        and now.st_ino == stamp[2]
                        and (now.st_size == stamp[1] or stamp[1] == FOLDER)
                    ):
                        continue
                # The first session makes a folder there: that is no reason to read all rules again.
                if path != TREE or stamp is None or names_in(self.root) != self.names:
                    return False
            return True
        finally:
            if base is not None:
                os.close(base)


def _opened(folder: str) -> int | None:
    """A descriptor that paths can be relative to; None where there can be none."""
    try:
        return os.open(folder, os.O_RDONLY) if os.stat in os.supports_dir_fd else None
    except OSError:
        return None


def names_in(root: str) -> str:
    """The identity of what lies in the tree's own folder, but for what is noted there."""
    try:
        names = os.listdir(f"{root}/{TREE}")
    except OSError:
        return ""
    return text_hash("\n".join(sorted(n for n in names if n[0] != "." and n not in NOTES)))


_HEAD = ("root", "always", "content", "paths", "guards", "names", "written")


class Cached(Stamped):
    """A plan with what it was made from."""

    __slots__ = ("plan",)

    def __init__(self, plan: Plan, stamped: Stamped) -> None:
        super().__init__(*(getattr(stamped, name) for name in _HEAD))
        self.plan = plan


def file_name(root: str, profile: str, kind: str) -> str:
    """The name under which something about a tree is kept in the cache folder."""
    return f"{text_hash(root)}-{text_hash(profile)}.{kind}"


def stamps(root: str, profile: str = "") -> Stamped | None:
    """What the cached plan of a tree was made from, without the plan; None where there is none."""
    found = _read(root, profile, whole=False)
    return found[0] if found else None


def read(root: str, profile: str) -> Cached | None:
    """The cached plan of a tree, or None; what cannot be read or trusted is as good as absent."""
    found = _read(root, profile, whole=True)
    if found is None:
        return None
    stamped, core, data = found
    try:
        plan = plans.load(core, data)
    except (ValueError, TypeError, EOFError, KeyError):
        return None
    return None if plan is None or plan.root != root else Cached(plan, stamped)


def _read(root: str, profile: str, *, whole: bool) -> tuple[Stamped, bytes, Data] | None:
    """The head of a plan's file and, for the ``whole`` of it, the plan as it was dumped."""
    try:
        path = os.path.join(folder(), file_name(root, profile, "plan"))
        with open(path, "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if not _trusted(os.path.dirname(path)) or not _trusted(path):
                return None
            head = file.read(int.from_bytes(file.read(SIZE), "little"))
            version, always, content, paths, guards, names, size = loads(head)
            if version != VERSION:
                return None
            plan, data = (file.read(size), _rest(file, status.st_size)) if whole else (b"", b"")
    except (OSError, ValueError, TypeError, EOFError, MemoryError):
        return None
    stamped = Stamped(root, always, content, paths, guards, names, status.st_mtime_ns)
    return stamped, plan, data


def _rest(file: FileIO, size: int) -> Data:
    """What comes after the place of ``file``; of a large file only what somebody looks at is read."""
    at = file.tell()
    if size - at < MAPPED or os.name == "nt":  # where what is mapped could not be replaced
        return file.read()
    from mmap import ACCESS_READ, mmap

    return _Mapped(mmap(file.fileno(), 0, access=ACCESS_READ), at)


class _Mapped:
    """A file in memory from ``start`` on."""

    __slots__ = ("_data", "_start")

    def __init__(self, data: mmap, start: int) -> None:
        self._data = data
        self._start = start

    def __getitem__(self, place: slice) -> bytes:
        return self._data[place.start + self._start : place.stop + self._start]


def write(plan: Plan, profile: str, always: Stamps, content: Stamps, names: str) -> None:
    """Keep a plan; a cache that cannot be written is no reason to fail.

    names: what `names_in` said before the files were read.
    """
    paths = tuple(path for position in plan.periodic for path in plan.domain(position).paths)
    folders: dict[str, dict[str, Stamp | None]] = {}
    for path, stamp in content.items():
        folders.setdefault(path.rpartition("/")[0], {})[path] = stamp
    packed = {folder: dumps(stamps) for folder, stamps in folders.items()}
    kept = {path: stamp for path, stamp in always.items() if not _is_told(plan.root, path, always)}
    dumped, data = plan.dump()
    guards = (plan.settings["guard"], *plan.guarded)
    head = dumps((VERSION, kept, packed, paths, guards, names, len(dumped)))
    parts = (len(head).to_bytes(SIZE, "little"), head, dumped, data)
    _store(file_name(plan.root, profile, "plan"), b"".join(parts))


def _is_told(root: str, path: str, stamps: Stamps) -> bool:
    """Whether the folder of ``path`` tells when something comes to be there, where nothing is.

    What is there and cannot be reached does not change its folder when it can be.
    """
    if stamps[path] is not None or stamps.get(path.rpartition("/")[0]) is None:
        return False
    try:
        os.lstat(f"{root}/{path}")
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        pass
    return False


def read_memo(root: str, kind: str) -> dict[str, Any]:
    """Small derived values of a tree by key, such as parsed task files."""
    try:
        path = os.path.join(folder(), file_name(root, "", kind))
        with open(path, "rb") as file:
            if not _trusted(os.path.dirname(path)):
                return {}
            version, values = loads(file.read())
    except (OSError, ValueError, TypeError, EOFError):
        return {}
    return values if version == VERSION and isinstance(values, dict) else {}


def write_memo(root: str, kind: str, values: dict[str, Any]) -> None:
    """Keep what ``read_memo`` reads."""
    _store(file_name(root, "", kind), dumps((VERSION, values)))


def _store(name: str, data: bytes) -> None:
    from synapse_ls.sessions.files import PRIVATE_FILE, SessionError, atomic_write

    try:
        base = prepared()
        if base:
            atomic_write(os.path.join(base, name), data, mode=PRIVATE_FILE)
    except (OSError, SessionError):
        return
