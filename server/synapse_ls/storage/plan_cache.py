"""The user's cache: compiled plans, valid by stat alone, and small derived values (memos).

The content reaches an agent, so the folder must be the user's and closed to others, digests are
checked, and the format cannot run code. As in git's index, an input not older than the cached plan
may have changed in the same clock tick and counts as changed.
"""

from __future__ import annotations

import os
import sys
from _collections_abc import Mapping, Sequence
from _thread import allocate_lock
from marshal import dumps, loads

from synapse_ls.storage.atomic_files import (
    ANYWHERE,
    PRIVATE_FILE,
    StorageError,
    append_line,
    atomic_write,
)
from synapse_ls.text.digest import DIGEST_BYTES, digest_of, hash_text
from synapse_ls.text.lazy_import import load_module
from synapse_ls.workspace import user_folders
from synapse_ls.workspace.regular_files import FOLDER, Stamp, take_stamp
from synapse_ls.workspace.tree_folders import STATE_FOLDERS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, ValuesView
    from typing import Any

    from synapse_ls.engine.compiled_plan import Plan

    Stamps = Mapping[str, Stamp | None]

LENGTH_BYTES = 8  # bytes before a value in a file of the cache that tell its length
OFFSET_BYTES = 4  # bytes of an offset, or a length, of a part of a plan
ENTRY_BYTES = 2 * OFFSET_BYTES + DIGEST_BYTES
GROUP_KEYS = 16  # keys in a group of a stored table, about
# Domains from which on a plan has parts that are read when they are asked for.
LARGE_PLAN = 200
# Counted up whenever the shape of a plan, or of a file here, changes.
CACHE_VERSION = (47, sys.hexversion)
EVERYBODY_WRITES, STICKY = 0o002, 0o1000
S_IFMT, S_IFLNK = 0o170000, 0o120000
KNOWN_SESSIONS = "sessions"  # kind of the file with the ids of the user's sessions …
MAX_KNOWN = 1_000_000  # … in bytes, after which it starts anew beside its predecessor
# Nanoseconds in which two changes may carry one time: Linux counts up to 10 ms at once, Windows 16.
CLOCK_TICK = 20_000_000 if os.name == "nt" else 10_000_000


def cache_folder() -> str:
    """Return the path of this user's cache folder, which has the cached plans;
    `prepare_cache_folder` creates it when something is written.

    Where others may write to it, or the file system does not tell who owns it (a share of SMB, one
    that knows no root), it is a folder of this machine that nobody else may write to.
    """
    path = user_folders.wanted_cache_folder()
    try:
        return path if _is_private_folder(path) else user_folders.local_cache_folder()
    except OSError:  # not there yet
        return path


def _is_private(status: os.stat_result) -> bool:
    """Return whether what has this status is the user's own and nobody else may write there."""
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _is_private_folder(path: str) -> bool:
    """Return whether a folder is the user's own, nobody else may write there, and nobody may put
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
    """Create a folder with the parents that it lacks, all of them for the user alone."""
    parent = os.path.dirname(path)
    if parent != path and not os.path.isdir(parent or os.curdir):
        _make_private_folder(parent)
    try:
        os.mkdir(path, mode=0o700)
    except FileExistsError:
        return  # it is there, or another process was faster


def prepare_cache_folder() -> str:
    """Create the cache folder if need be and return its path; "" where it cannot be trusted."""
    path = cache_folder()
    if os.path.isdir(path) and path == user_folders.wanted_cache_folder():
        return path  # it was looked at just now
    _make_private_folder(path)
    path = cache_folder()  # what has just been made may turn out to belong to nobody
    if path == user_folders.local_cache_folder():
        _make_private_folder(path)
        if os.path.islink(path):  # somebody else may have been first to take the name
            return ""
    return path if _is_private_folder(path) else ""


class DamagedPlanError(Exception):
    """A part of a cached plan is not what was written. The plan is removed, so that who tries again
    gets one that is made anew.
    """


class StoredParts(Sequence[bytes]):
    """Byte strings at the end of a file, each read when it is asked for.

    index: for each of them how far before the end of the file it begins, its length and its digest,
    in `OFFSET_BYTES`, as many, and `DIGEST_BYTES`.
    """

    def __init__(self, path: str, index: bytes) -> None:
        self._path = path
        self._index = index

    def __len__(self) -> int:
        return len(self._index) // ENTRY_BYTES

    def __getitem__(self, position: Any) -> Any:
        return next(self._read(position, position + 1))

    def __iter__(self) -> Iterator[bytes]:
        return self._read(0, len(self))

    def _read(self, first: int, end: int) -> Iterator[bytes]:
        """Yield the parts from ``first`` to before ``end``; raise DamagedPlanError."""
        try:
            with open(self._path, "rb", buffering=0) as file:
                for at in range(first * ENTRY_BYTES, end * ENTRY_BYTES, ENTRY_BYTES):
                    entry = self._index[at : at + ENTRY_BYTES]
                    file.seek(-int.from_bytes(entry[:OFFSET_BYTES], "little"), os.SEEK_END)
                    part = file.read(int.from_bytes(entry[OFFSET_BYTES:-DIGEST_BYTES], "little"))
                    if digest_of(part) != entry[-DIGEST_BYTES:]:
                        os.unlink(self._path)
                        raise DamagedPlanError(self._path)
                    yield part
        except OSError as error:
            raise DamagedPlanError(self._path) from error


class StoredTable(Mapping[str, object]):
    """A table in the parts of a file, each of which has a group of its keys."""

    def __init__(self, groups: Sequence[bytes]) -> None:
        self._groups = groups

    def __len__(self) -> int:
        return len(self.restore())

    def __getitem__(self, key: str) -> Any:
        return loads(self._groups[_group_of(key, len(self._groups))])[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.restore())

    def values(self) -> ValuesView[Any]:
        return self.restore().values()

    def restore(self) -> dict[str, Any]:
        """Return the whole table."""
        return {key: value for group in self._groups for key, value in loads(group).items()}


def _group_of(key: str, count: int) -> int:
    return int.from_bytes(digest_of(key.encode("utf-8", "surrogatepass")), "little") % count


def _group_table(table: Mapping[str, Any]) -> list[bytes]:
    count = len(table) // GROUP_KEYS + 1
    groups: list[dict[str, Any]] = [{} for _ in range(count)]
    for key, value in table.items():
        groups[_group_of(key, count)][key] = value
    return list(map(dumps, groups))


class PlanStamps:
    """The stamps of the files that a cached plan was made from.

    always: of inputs that every prompt depends on. content: by folder, the stamps of its rule files
    and, where only they depend on it, of the folder itself; looked at when a domain of such a file
    takes part. guarded: of what decides on the guard's verdicts, the rule
    files of the tree itself, those of squads that have boundaries, and the folders of the others.
    paths: the patterns of every ``{D}_PATHS``. guards: the guard's mode, and what its boundaries
    are about. names: the identity of what lies in the tree's own folder. written: the time in
    nanoseconds from which on what was read may have changed unseen, that of the plan's file.
    """

    def __init__(self, root: str, written: int, fields: tuple[Any, ...]) -> None:
        self.root = root
        self.written = written
        self.always: Stamps
        self.content: Mapping[str, Stamps]
        self.guarded: Stamps
        self.paths: tuple[str, ...]
        self.guards: tuple[str, ...]
        self.names: str
        self.always, self.content, self.guarded, self.paths, self.guards, self.names = fields
        self.fields = fields  # what the file of the plan has of its stamps

    def is_current(self) -> bool:
        """Return whether every input that every prompt depends on is as it was."""
        return not any(self.changed_inputs())

    def is_current_for(self, files: Iterable[str] | None) -> bool:
        """Return whether these rule files are as they were; None stands for all of them."""
        return not any(self.changed_files(files))

    def is_current_for_guard(self) -> bool:
        """Return whether all is as it was that decides on the guard's verdicts.

        What is written into a rule file of a squad that had no boundaries counts from the prompt on
        in which its domain takes part: a large tree has thousands of them.
        """
        return not any(changed_paths(self.root, self.guarded.items(), self.names, self.written))

    def changed_inputs(self) -> Iterator[str]:
        """Yield the inputs that every prompt depends on and that are not as they were. Policies are
        among them, whatever the file of the plan has.
        """
        yield from changed_paths(self.root, self.always.items(), self.names, self.written)
        for path in user_folders.policy_files():
            if path not in self.always and user_folders.is_there(path):
                yield path

    def changed_files(self, files: Iterable[str] | None) -> Iterator[str]:
        """Yield those of these rule files, and of their folders, that are not as they were; None
        stands for all of them.
        """
        if files is None:
            stamps = self.all_content()
        else:
            stamps = {}
            folders: dict[str, Stamps] = {}
            for path in files:
                folder = path.rpartition("/")[0]
                if folder not in folders:
                    folders[folder] = self.content.get(folder, {})
                    if folder in folders[folder]:
                        stamps[folder] = folders[folder][folder]
                if path in folders[folder]:
                    stamps[path] = folders[folder][path]
        return changed_paths(self.root, stamps.items(), self.names, self.written)

    def all_content(self) -> dict[str, Stamp | None]:
        """Return the stamps of all rule files, and of folders of them."""
        stamps: dict[str, Stamp | None] = {}
        for folder in self.content.values():
            stamps.update(folder)
        return stamps


class CachedPlan(PlanStamps):
    """A plan with the stamps of what it was made from."""

    def __init__(self, plan: Plan, written: int, fields: tuple[Any, ...]) -> None:
        super().__init__(plan.root, written, fields)
        self.plan = plan


def changed_paths(
    root: str, stamps: Iterable[tuple[str, Stamp | None]], names: str, read: int
) -> Iterator[str]:
    """Yield the paths in a tree that are not as stamped.

    names: the identity of what lay in the tree's own folder. read: when it was read, in
    nanoseconds.
    """
    # Paths are looked up from the root on, and stamps compared in parts: there may be thousands.
    try:
        base = os.open(root, os.O_RDONLY) if os.stat in os.supports_dir_fd else None
    except OSError:
        base = None
    prefix = "" if base is not None else f"{root}/"
    safe, stat = read - CLOCK_TICK, os.stat
    try:
        for path, stamp in stamps:
            try:
                # Policies have absolute paths, as do files that settings come from: their time is
                # that of `take_change_stamp`.
                full = path if base is None and os.path.isabs(path) else prefix + path
                now = stat(full, dir_fd=base)
            except (OSError, ValueError):
                if stamp is None:
                    continue
            else:
                changed = now.st_ctime_ns if path[:1] == "/" else now.st_mtime_ns
                if (
                    stamp is not None
                    and changed == stamp[0] < safe
                    and now.st_ino == stamp[2]
                    and (now.st_size == stamp[1] or stamp[1] == FOLDER)
                ):
                    continue
            # The first session makes a folder there: that is no reason to read all rules again.
            if path != TREE or stamp is None or tree_identity(root) != names:
                yield path
    finally:
        if base is not None:
            os.close(base)


def tree_identity(root: str) -> str:
    """Return a hash of the names in the tree's own folder, and of which of them are folders, by
    which a cached plan is validated; but for those of sessions, caches and other notes.
    """
    try:
        with os.scandir(f"{root}/{TREE}") as entries:
            names = sorted(
                f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name
                for entry in entries
                if entry.name[0] != "." and entry.name not in STATE_FOLDERS
            )
    except OSError:
        return ""
    return hash_text("\n".join(names))


class HeldPlans:
    """The plans that a process which answers many events keeps in memory, as long as their files
    are those that were read: the latest ``limit`` of them.
    """

    def __init__(self, limit: int) -> None:
        self.own_sessions: set[tuple[str, str]] = set()  # of which is known that they are known
        self._limit = limit
        self._held: dict[tuple[str, str], tuple[Stamp, CachedPlan] | None] = {}
        self._lock = allocate_lock()

    def read(self, root: str, profile: str) -> CachedPlan | None:
        """Return the plan of a tree, read where it is not held or its file is another one."""
        stamp = take_stamp(plan_file(root, profile))
        with self._lock:
            entry = self._held.get((root, profile))
        if entry is None or entry[0] != stamp:
            cached = _load_plan(root, profile, whole=True) if stamp is not None else None
            entry = (stamp, cached) if stamp is not None and cached is not None else None
        with self._lock:
            self._held.pop((root, profile), None)
            self._held[root, profile] = entry
            while len(self._held) > self._limit:
                del self._held[next(iter(self._held))]
        return entry[1] if entry else None

    def keep(self, cached: CachedPlan, profile: str) -> None:
        """Keep an updated plan in the place of the one that was read, without writing it."""
        with self._lock:
            if entry := self._held.get((cached.root, profile)):
                self._held[cached.root, profile] = entry[0], cached

    def names(self) -> list[tuple[str, str]]:
        """Return (root, profile) of the plans that were asked for last, the latest at the end."""
        with self._lock:
            return list(self._held)


# What keeps the plans that this process reads; empty where it answers one event.
holder: list[HeldPlans] = []


def hold_plans(limit: int) -> HeldPlans:
    """Have this process keep the plans that it reads: for one that answers many events."""
    holder[:] = [HeldPlans(limit)]
    return holder[0]


def holds_plans() -> bool:
    """Return whether this process keeps plans in memory."""
    return bool(holder)


def read_plan(root: str, profile: str, *, whole: bool = True) -> CachedPlan | None:
    """Return the cached plan of a tree, or None; what cannot be read or trusted is as good as
    absent. Unless it is read as a whole, a large one may raise DamagedPlanError when it is used.
    """
    return holder[0].read(root, profile) if holder else _load_plan(root, profile, whole=whole)


def _load_plan(root: str, profile: str, *, whole: bool) -> CachedPlan | None:
    if (content := _read_cache_file(cache_file_name(root, profile, "plan"), 2)) is None:
        return None
    ((always, folders, *others), values), written = content
    if isinstance(folders, bytes):
        path = plan_file(root, profile)
        domains = StoredParts(path, values["packed"])
        folders, keywords, labels = (
            StoredTable(StoredParts(path, index))
            for index in (folders, values["keywords"], values["labels"])
        )
        try:
            values["packed"] = tuple(domains) if whole else domains
            values["keywords"] = keywords.restore() if whole else keywords
            values["labels"] = labels.restore() if whole else labels
            folders = folders.restore() if whole else folders
        except DamagedPlanError:
            return None
    plan: Plan = load_module("synapse_ls.engine.compiled_plan").Plan(values)
    return CachedPlan(plan, written, (always, folders, *others)) if plan.root == root else None


def read_stamps(root: str) -> PlanStamps | None:
    """Return the stamps of a tree's cached plan, without the plan; None where there is none."""
    if holder:
        return read_plan(root, "")
    if (content := _read_cache_file(cache_file_name(root, "", "plan"), 1)) is None:
        return None
    ((always, folders, *others),), written = content
    if isinstance(folders, bytes):
        folders = StoredTable(StoredParts(plan_file(root), folders))
    return PlanStamps(root, written, (always, folders, *others))


def write_plan_file(cached: CachedPlan, profile: str) -> bool:
    """Write a plan with its stamps to the cache; return whether that could be done."""
    name = cache_file_name(cached.root, profile, "plan")
    values = cached.plan.to_values()
    if len(values["packed"]) < LARGE_PLAN:
        return _write_cache_file(name, cached.fields, values)
    always, folders, *others = cached.fields
    tables = (folders, values["keywords"], values["labels"])
    stored = [values["packed"], *map(_group_table, tables)]
    from_end = sum(len(part) for parts in stored for part in parts)
    indexes = []
    for parts in stored:
        index = b""
        for part in parts:
            index += from_end.to_bytes(OFFSET_BYTES, "little")
            index += len(part).to_bytes(OFFSET_BYTES, "little") + digest_of(part)
            from_end -= len(part)
        indexes.append(index)
    values["packed"], folders, values["keywords"], values["labels"] = indexes
    end = b"".join(part for parts in stored for part in parts)
    return _write_cache_file(name, (always, folders, *others), values, end=end)


def plan_file(root: str, profile: str = "") -> str:
    """Return the path of the file of a tree's cached plan."""
    return os.path.join(cache_folder(), cache_file_name(root, profile, "plan"))


def read_memo(root: str, kind: str) -> dict[str, Any]:
    """Return small derived values of a tree by key, such as parsed task files; {} where there are
    none.
    """
    content = _read_cache_file(cache_file_name(root, "", kind), 1)
    memo = content[0][0] if content else {}
    return memo if isinstance(memo, dict) else {}


def write_memo(root: str, kind: str, values: dict[str, Any]) -> None:
    """Write the values that ``read_memo`` reads; a cache that cannot be written is no failure."""
    _write_cache_file(cache_file_name(root, "", kind), values)


def add_names(root: str, kind: str, names: Iterable[str], most: int) -> list[str]:
    """Return the names that a memo does not have yet, and keep them there: the last ``most``."""
    stored = read_memo(root, kind).get("names", [])
    new = [name for name in names if name not in stored]
    if new:
        write_memo(root, kind, {"names": [*stored, *new][-most:]})
    return new


def is_known_session(root: str, session_id: str) -> bool:
    """Return whether `remember_session` has been told of a session."""
    if holder and (root, session_id) in holder[0].own_sessions:
        return True
    line = _session_line(session_id)
    is_known = any(p.startswith(line) or b"\n" + line in p for p in _known_sessions(root))
    if holder and is_known:
        holder[0].own_sessions.add((root, session_id))
    return is_known


def transcript_mark(session_id: str, transcript: str) -> str:
    """Return the name under which `remember_session` keeps a transcript of a session."""
    return hash_text(f"{session_id}\n{transcript}")


def remember_session(root: str, *names: str) -> bool:
    """Note that a session in the tree is this user's, by its id, and a transcript, by its mark;
    return False where that cannot be kept.
    """
    try:
        if not (folder := prepare_cache_folder()):
            return False
        path = os.path.join(folder, cache_file_name(root, "", KNOWN_SESSIONS))
        append_line(path, b"".join(map(_session_line, names)), MAX_KNOWN)
    except OSError:
        return False
    return True


def remembered_sessions(root: str) -> set[str]:
    """Return the ids of the sessions that `remember_session` has been told of, and marks."""
    return {
        line.decode("utf-8", "replace")
        for part in _known_sessions(root)
        for line in part.splitlines()
    }


def _session_line(session_id: str) -> bytes:
    return session_id.replace("\n", " ").encode("utf-8", "replace") + b"\n"


def _known_sessions(root: str) -> Iterator[bytes]:
    name = cache_file_name(root, "", KNOWN_SESSIONS)
    for part in (name, f"{name}.1"):
        try:
            folder = cache_folder()
            with open(os.path.join(folder, part), "rb", buffering=0) as file:
                if _is_private(os.fstat(file.fileno())) and _is_private_folder(folder):
                    yield file.read()
        except OSError:
            continue


def cache_file_name(root: str, profile: str, kind: str) -> str:
    """Return the name under which something about a tree is kept in the cache folder."""
    return f"{cache_file_prefix(root)}{hash_text(profile)}.{kind}"


def cache_file_prefix(root: str) -> str:
    """Return how the names of all files about a tree begin in the cache folder."""
    return f"{hash_text(root)}-"


def _read_cache_file(name: str, count: int) -> tuple[list[Any], int] | None:
    """Return the first ``count`` values in a file of the cache and the file's time in nanoseconds;
    None where it is not of this version, or cannot be read or trusted.
    """
    values = []
    try:
        folder = cache_folder()
        with open(os.path.join(folder, name), "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if not (_is_private(status) and _is_private_folder(folder)):
                return None
            for _ in range(count):
                length = int.from_bytes(file.read(LENGTH_BYTES), "little")
                digest = file.read(DIGEST_BYTES)
                content = file.read(length) if length <= status.st_size else b""
                if digest_of(content) != digest:
                    return None
                version, value = loads(content)
                if version != CACHE_VERSION:
                    return None
                values.append(value)
    except (OSError, ValueError, TypeError, EOFError, MemoryError):
        return None
    return values, status.st_mtime_ns


def _write_cache_file(name: str, *values: Any, end: bytes = b"") -> bool:
    parts: list[bytes] = []
    for value in values:
        content = dumps((CACHE_VERSION, value))
        parts += (len(content).to_bytes(LENGTH_BYTES, "little"), digest_of(content), content)
    try:
        if base := prepare_cache_folder():
            path = os.path.join(base, name)
            data = b"".join((*parts, end))
            atomic_write(path, data, within=ANYWHERE, mode=PRIVATE_FILE, follow=False)
    except (OSError, StorageError):
        return False
    return bool(base)
