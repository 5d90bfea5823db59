"""This module reads compiled plans, which `plan_writer` writes, in the user's cache folder, and
keeps small derived values (memos) there; plans are validated by stat alone.

Never in the tree, never with a format that runs code when it is read. The folder must belong to
the user and be closed to others, since what is in it reaches an agent. Nothing is believed whose
digest is not right: head, core, and each part of the rest have one, looked at when they are read.
As in git's index, an input that is not older than the cached plan itself may have changed in the
same tick of the clock and counts as changed.
"""

from __future__ import annotations

import os
import sys
from marshal import dumps, loads

from synapse_ls.engine import compiled_plan
from synapse_ls.engine.packed_strings import DamagedPlanError, Slices, read_slices
from synapse_ls.text.digest import DIGEST_BYTES, digest_of, hash_text
from synapse_ls.workspace.regular_files import FOLDER, take_stamp
from synapse_ls.workspace.tree_folders import STATE_FOLDERS, TREE
from synapse_ls.workspace.user_folders import absolute_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from io import FileIO
    from mmap import mmap
    from typing import Any

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.packed_strings import Data
    from synapse_ls.storage.held_plans import HeldPlans
    from synapse_ls.workspace.regular_files import Stamp

    Stamps = Mapping[str, Stamp | None]

LENGTH_BYTES = 8  # bytes before the head of a plan's file that tell its length
CACHE_VERSION = (12, sys.hexversion, compiled_plan.FORMAT)
MAP_FROM_BYTES = 1_000_000  # bytes from which on it is quicker to map a file than to read it
EVERYBODY_WRITES, STICKY = 0o002, 0o1000
S_IFMT, S_IFLNK = 0o170000, 0o120000
CLOCK_TICK = 20_000_000  # nanoseconds in which two changes may carry one time


def cache_folder() -> str:
    """Returns the path of this user's cache folder, which has the cached plans;
    `prepare_cache_folder` creates it when something is written.

    Where others may write to it, or the file system does not tell who owns it (a share of SMB, one
    that knows no root), it is a folder of this machine that nobody else may write to.
    """
    path = wanted_cache_folder()
    try:
        return path if _is_private_folder(path) else local_cache_folder()
    except OSError:  # not there yet
        return path


def local_cache_folder() -> str:
    """Returns the path of the folder that stands in for a cache folder which is not the user's
    alone.
    """
    user = os.geteuid() if os.name != "nt" else 0  # on Windows the wanted one always counts
    return os.path.join(absolute_path("TMPDIR", "/tmp"), f"synapse-ls-{user}")


def wanted_cache_folder() -> str:
    """Returns the path of the cache folder that the environment names."""
    if given := os.environ.get("SYNAPSE_LS_CACHE"):
        return given
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
        return os.path.join(base, "synapse-ls", "cache")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/synapse-ls")
    base = absolute_path("XDG_CACHE_HOME", "~/.cache")
    return os.path.join(base, "synapse-ls")


def _is_private(status: os.stat_result) -> bool:
    """Returns whether what has this status is the user's own and nobody else may write there."""
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _is_private_folder(path: str) -> bool:
    """Returns whether a folder is the user's own, nobody else may write there, and nobody may put
    another one in its place.
    """
    if os.name == "nt":
        return True
    status, user = os.lstat(path), os.geteuid()
    is_link = status.st_mode & S_IFMT == S_IFLNK
    if status.st_uid != user or not _is_private(os.stat(path) if is_link else status):
        return False
    for place in {path, os.path.realpath(path)} if is_link else (path,):
        parent = os.stat(os.path.dirname(place) or os.curdir)
        # Many people share a group with nobody; a sticky folder lets nobody touch what others own.
        is_open = parent.st_mode & EVERYBODY_WRITES and not parent.st_mode & STICKY
        if is_open or parent.st_uid not in (0, user):
            return False
    return True


def _make_private_folder(path: str) -> None:
    """Creates a folder with the parents that it lacks, all of them for the user alone."""
    parent = os.path.dirname(path)
    if parent != path and not os.path.isdir(parent or os.curdir):
        _make_private_folder(parent)
    try:
        os.mkdir(path, mode=0o700)
    except FileExistsError:
        return  # it is there, or another process was faster


def prepare_cache_folder() -> str:
    """Creates the cache folder if need be and returns its path; "" where it cannot be trusted."""
    path = cache_folder()
    if os.path.isdir(path) and path == wanted_cache_folder():
        return path  # it was looked at just now
    _make_private_folder(path)
    path = cache_folder()  # what has just been made may turn out to belong to nobody
    if path == local_cache_folder():
        _make_private_folder(path)
        if os.path.islink(path):  # somebody else may have been first to take the name
            return ""
    return path if _is_private_folder(path) else ""


class PlanStamps:
    """The stamps of the files that a cached plan was made from.

    always: stamps of inputs that every prompt depends on. content: the stamps of rule files by
    folder, in shelves (a hash of the folder says in which), looked at only when a domain of such a
    file takes part; with those of a folder stands the stamp of the folder itself, where only they
    depend on it. paths: the patterns of every ``{D}_PATHS``. guards: the guard's mode, and what its
    boundaries are about. names: the identity of what lies in the tree's own folder. written: time
    of the cache file in nanoseconds. made, looked: when the plan was made, and when ``always`` was
    last known to hold; both are ``written`` at first.
    """

    __slots__ = (
        "always",
        "content",
        "guards",
        "looked",
        "made",
        "names",
        "paths",
        "root",
        "written",
    )

    def __init__(
        self,
        root: str,
        always: Stamps,
        content: Sequence[bytes] | Slices,
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
        self.written = self.made = self.looked = written

    def is_current(self) -> bool:
        """Returns whether every input that every prompt depends on is as it was."""
        return self._are_same(self.always.items(), self.looked)

    def is_current_for(self, files: Iterable[str]) -> bool:
        """Returns whether these rule files are as they were."""
        try:
            return self._are_same(self._content_stamps(files).items(), self.made)
        except DamagedPlanError:
            return False

    def changed_files(self, files: Iterable[str] | None) -> list[str]:
        """Returns those of these rule files that are not as they were; None stands for all of them."""
        stamps = self.all_content() if files is None else self._content_stamps(files)
        return list(self._changed_ones(stamps.items(), self.made))

    def all_content(self) -> dict[str, Stamp | None]:
        """Returns the stamps of all rule files."""
        return {
            path: stamp
            for shelf in self.content
            for stamps in loads(shelf).values()
            for path, stamp in stamps.items()
        }

    def _content_stamps(self, files: Iterable[str]) -> Stamps:
        folders: dict[str, Stamps] = {}
        stamps: dict[str, Stamp | None] = {}
        for path in files:
            folder = path.rpartition("/")[0]
            if folder not in folders and len(self.content):
                shelf = loads(self.content[compiled_plan.shelf_of(folder, len(self.content))])
                folders[folder] = known = shelf.get(folder, {})
                if folder in known:
                    stamps[folder] = known[folder]
            if path in folders.get(folder, ()):
                stamps[path] = folders[folder][path]
        return stamps

    def is_current_for_all(self) -> bool:
        """Returns whether every rule file is as it was."""
        try:
            return self._are_same(self.all_content().items(), self.made)
        except DamagedPlanError:
            return False

    def changed_inputs(self, limit: int) -> list[str]:
        """Returns the inputs that every prompt depends on and that are not as they were, or as many
        of them that they are more than ``limit``.
        """
        found: list[str] = []
        for path in self._changed_ones(self.always.items(), self.looked):
            found.append(path)
            if len(found) > limit:
                break
        return found

    def _are_same(self, stamps: Iterable[tuple[str, Stamp | None]], read: int) -> bool:
        """Returns whether all are as stamped; read: as for `_changed_ones`."""
        return next(self._changed_ones(stamps, read), None) is None

    def _changed_ones(self, stamps: Iterable[tuple[str, Stamp | None]], read: int) -> Iterator[str]:
        """Yields the paths of those that are not as stamped; read: the time in nanoseconds at which
        they were read.
        """
        # A tree of a thousand squads has thousands of files: their paths are looked up from the root on,
        # and their stamps are compared in parts.
        base = _open_folder(self.root)
        prefix = "" if base is not None else f"{self.root}/"
        safe, stat = read - CLOCK_TICK, os.stat
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
                if path != TREE or stamp is None or tree_identity(self.root) != self.names:
                    yield path
        finally:
            if base is not None:
                os.close(base)


def _open_folder(folder: str) -> int | None:
    """Returns a descriptor that paths can be relative to; None where there can be none."""
    try:
        return os.open(folder, os.O_RDONLY) if os.stat in os.supports_dir_fd else None
    except OSError:
        return None


def tree_identity(root: str) -> str:
    """Returns a hash of the names in the tree's own folder by which a cached plan is validated, but
    for those of sessions, caches and other notes.
    """
    try:
        names = os.listdir(f"{root}/{TREE}")
    except OSError:
        return ""
    return hash_text("\n".join(sorted(n for n in names if n[0] != "." and n not in STATE_FOLDERS)))


_STAMP_FIELDS = ("root", "always", "content", "paths", "guards", "names", "written")


class CachedPlan(PlanStamps):
    """A plan with the stamps of what it was made from.

    states: what `plan_state_update` knows of the workflow states that this plan says, {} before any of
    them has changed.
    """

    __slots__ = ("plan", "states")

    def __init__(self, plan: Plan, stamped: PlanStamps) -> None:
        super().__init__(*(getattr(stamped, name) for name in _STAMP_FIELDS))
        self.plan = plan
        self.states: dict[str, Any] = {}

    def renew(self, stamps: Stamps, read: int, states: dict[str, Any]) -> None:
        """Has the plan be one of inputs that were read again at the time ``read`` (nanoseconds),
        when all others were as they had been.

        It is another plan then: who was told what the one before said has not been told this one.
        """
        self.always = {**self.always, **stamps}
        self.written = self.looked = read
        self.states = states


holder: list[HeldPlans] = []
"""What keeps the plans that this process reads; empty where it answers one event."""


def holds_plans() -> bool:
    """Returns whether this process keeps plans in memory."""
    return bool(holder)


def cache_file_name(root: str, profile: str, kind: str) -> str:
    """Returns the name under which something about a tree is kept in the cache folder."""
    return f"{hash_text(root)}-{hash_text(profile)}.{kind}"


def read_stamps(root: str, profile: str = "") -> PlanStamps | None:
    """Returns the stamps of a tree's cached plan, without the plan; None where there is none."""
    if holder:
        return read_plan(root, profile)
    found = _read_plan_file(root, profile, with_plan=False)
    return found[0] if found else None


def read_plan(root: str, profile: str) -> CachedPlan | None:
    """Returns the cached plan of a tree, or None; what cannot be read or trusted is as good as
    absent.
    """
    if not holder:
        return _load_plan(root, profile)
    held = holder[0].find(root, profile)
    if held is None:
        stamp = take_stamp(plan_file(root, profile))
        held = None if stamp is None else _load_plan(root, profile)
        if stamp is not None and held is not None:
            holder[0].keep(root, profile, stamp, held)
    return held


def _load_plan(root: str, profile: str) -> CachedPlan | None:
    found = _read_plan_file(root, profile, with_plan=True)
    if found is None:
        return None
    stamped, core, data = found
    try:
        plan = compiled_plan.load_plan(core, data)
    except (ValueError, TypeError, EOFError, KeyError):
        return None
    return None if plan is None or plan.root != root else CachedPlan(plan, stamped)


def _read_plan_file(
    root: str, profile: str, *, with_plan: bool
) -> tuple[PlanStamps, bytes, Data] | None:
    """Returns the stamps in the head of a plan's file and, where the plan is wanted too, the plan
    as it was dumped.
    """
    try:
        path = plan_file(root, profile)
        with open(path, "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if not _is_private_folder(os.path.dirname(path)) or not _is_private(status):
                return None
            length = int.from_bytes(file.read(LENGTH_BYTES), "little")
            if length > status.st_size:
                return None
            head = without_digest(file.read(length))
            version, size, always, ends, paths, guards, names, core_size = loads(head)
            if version != CACHE_VERSION or LENGTH_BYTES + length + size != status.st_size:
                return None
            content = read_slices(file.read, ends)
            plan, data = (
                (without_digest(file.read(core_size)), _read_rest(file, status.st_size))
                if with_plan
                else (b"", b"")
            )
    except (OSError, ValueError, TypeError, EOFError, MemoryError):
        return None
    stamped = PlanStamps(root, always, content, paths, guards, names, status.st_mtime_ns)
    return stamped, plan, data


def plan_file(root: str, profile: str = "") -> str:
    """Returns the path of the file of a tree's cached plan."""
    return os.path.join(cache_folder(), cache_file_name(root, profile, "plan"))


def with_digest(data: bytes) -> bytes:
    return digest_of(data) + data


def without_digest(data: bytes) -> bytes:
    """Returns what `with_digest` was given; ValueError where it is not that any more."""
    content = data[DIGEST_BYTES:]
    if digest_of(content) != data[:DIGEST_BYTES]:
        raise ValueError("the digest is not that of the content")
    return content


def _read_rest(file: FileIO, size: int) -> Data:
    """Returns what comes after the current place of ``file``; a large file is mapped, so that only
    what somebody looks at is read.
    """
    at = file.tell()
    if size - at < MAP_FROM_BYTES or os.name == "nt":  # where what is mapped could not be replaced
        return file.read()
    from mmap import ACCESS_READ, mmap

    return _MappedFile(mmap(file.fileno(), 0, access=ACCESS_READ), at)


class _MappedFile:
    """A file that is mapped into memory, seen from ``start`` on."""

    __slots__ = ("_data", "_start")

    def __init__(self, data: mmap, start: int) -> None:
        self._data = data
        self._start = start

    def __getitem__(self, place: slice) -> bytes:
        return self._data[place.start + self._start : place.stop + self._start]


def read_memo(root: str, kind: str) -> dict[str, Any]:
    """Returns small derived values of a tree by key, such as parsed task files; {} where there are
    none.
    """
    try:
        path = os.path.join(cache_folder(), cache_file_name(root, "", kind))
        with open(path, "rb") as file:
            if not _is_private_folder(os.path.dirname(path)):
                return {}
            version, values = loads(without_digest(file.read()))
    except (OSError, ValueError, TypeError, EOFError):
        return {}
    return values if version == CACHE_VERSION and isinstance(values, dict) else {}


def read_parts(root: str, kind: str) -> tuple[bytes, Data, float] | None:
    """Returns values of a tree that are read in parts: their head, all that comes after it, and the
    time that `note_time` noted or they were written at, in seconds. None where there are none.
    """
    try:
        path = os.path.join(cache_folder(), cache_file_name(root, "", kind))
        with open(path, "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if not _is_private_folder(os.path.dirname(path)):
                return None
            length = int.from_bytes(file.read(LENGTH_BYTES), "little")
            if length > status.st_size:
                return None
            head = without_digest(file.read(length))
            return head, _read_rest(file, status.st_size), status.st_mtime
    except (OSError, ValueError, MemoryError):
        return None


def write_parts(root: str, kind: str, head: bytes, parts: bytes) -> None:
    """Writes the values that `read_parts` reads; each part has a digest of its own."""
    head = with_digest(head)
    data = b"".join((len(head).to_bytes(LENGTH_BYTES, "little"), head, parts))
    write_cache_file(cache_file_name(root, "", kind), data)


def note_time(root: str, kind: str, now: int) -> None:
    """Notes a time, in nanoseconds, with the values that `read_parts` reads, if there are any."""
    try:
        os.utime(os.path.join(cache_folder(), cache_file_name(root, "", kind)), ns=(now, now))
    except OSError:
        return  # there are none, or another process has just removed them


def write_memo(root: str, kind: str, values: dict[str, Any]) -> None:
    """Writes the values that ``read_memo`` reads."""
    data = with_digest(dumps((CACHE_VERSION, values)))
    write_cache_file(cache_file_name(root, "", kind), data)


def write_cache_file(name: str, data: bytes) -> bool:
    from synapse_ls.storage.atomic_files import ANYWHERE, PRIVATE_FILE, StorageError, atomic_write

    try:
        base = prepare_cache_folder()
        if base:
            atomic_write(os.path.join(base, name), data, within=ANYWHERE, mode=PRIVATE_FILE)
    except (OSError, StorageError):
        return False
    return bool(base)
