"""The paths of memories, and the counts of their uses.

``.synapse/memory/{shared|agents/ID}/{session|daily|durable}/mem-….md``, in a tree of Chati.dev
``.chati/memories/{shared|ID}/{session|daily|durable}/mem-….md``; deleted and expired ones at the
same path below ``archive/`` (``.archive/``). Uses change too often for a repository, so they are
counted in a ledger beside the sessions' metrics and added to a count in the file.
"""

import os
from collections.abc import Iterable, Iterator

from synapse_ls.formats.memory_file import STORAGES
from synapse_ls.memory.memory_record import PERSON, Record
from synapse_ls.storage import atomic_files, session_store
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.workspace.outside_links import find_outside_link
from synapse_ls.workspace.tree_folders import CHATI_MEMORIES, TREE

Uses = dict[str, list[int | str]]  # id -> [count, time of the last]

MEMORY = f"{TREE}/memory"
# What is read for memories of Chati.dev passes over hidden folders.
ARCHIVES = {MEMORY: f"{MEMORY}/archive", CHATI_MEMORIES: f"{CHATI_MEMORIES}/.archive"}
SHARED = "shared"
AGENTS = "agents"
EXTENSION = ".md"
# Who was told what, how often and when: a ledger of one machine (see `count_uses`).
USES_PATH = ".synapse/metrics/memory.json"


def record_folder(scope: str, agent: str, storage: str, home: str = MEMORY) -> str:
    """Return the path of the folder inside the store ``home`` that a memory's record belongs in."""
    owner = (
        f"{_agents(home)}{session_store.session_file_stem(agent)}" if scope == "private" else SHARED
    )
    return f"{owner}/{storage}"


def _agents(home: str) -> str:
    """Return what stands before the id of an agent in the paths of a store."""
    return "" if CHATI_MEMORIES in home else f"{AGENTS}/"


def iter_folders(root: str, home: str, reader: str = PERSON) -> Iterator[tuple[str, str]]:
    """Yield the paths (inside the store ``home``, in full) of the folders that may hold memories
    of ``reader``.

    Folders of other agents are not looked at. Links are not followed: a record is where it is. Only
    the store itself may be behind one.
    """
    if find_outside_link(root, home):
        return
    folder = f"{root}/{home}"
    owners, agents = [SHARED], _agents(folder)
    if reader == PERSON:
        names = _folder_names(f"{folder}/{agents}")
        owners += [f"{agents}{name}" for name in names if agents or name != SHARED]
    elif reader:
        owners.append(f"{agents}{session_store.session_file_stem(reader)}")
    for owner in owners:
        if os.path.islink(f"{folder}/{owner}"):
            continue
        for storage in STORAGES:
            inner = f"{owner}/{storage}"
            full = f"{folder}/{inner}"
            if os.path.isdir(full) and not os.path.islink(full):
                yield inner, full


def record_files(full: str) -> list[str]:
    """Return the names of the files in a folder that are records of memories."""
    return [name for name in _folder_names(full) if is_record_file(name)]


def next_free_id(date: str, root: str, homes: Iterable[str] = (MEMORY,)) -> str:
    """Return the next id of a day for a memory in the stores at ``root``, archives included: none
    is ever used twice.
    """
    start = f"mem-{date}-"
    last = 0
    for folder in (folder for home in homes for folder in (home, ARCHIVES[home])):
        for _, full in iter_folders(root, folder):
            for name in record_files(full):
                number = name.removeprefix(start).removesuffix(EXTENSION)
                if name.startswith(start) and number.isascii() and number.isdecimal():
                    last = max(last, int(number))
    return f"{start}{last + 1:03}"


def is_record_file(name: str) -> bool:
    """Tell by its name whether a file is the record of a memory; templates and hidden files are
    none.
    """
    return name.endswith(EXTENSION) and name[0] not in "._" and name.isprintable()


def _folder_names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


LOCK_PATIENCE = 2.0  # seconds that a count waits for others to be done
_LIMIT = 4_000_000  # bytes; a use has about 60
_MOST_USES = 1_000_000_000


def read_uses(root: str) -> Uses:
    """Read the ledger that counts the uses of memories; one that cannot be read counts as empty,
    since it only weighs.
    """
    ledger = session_store.read_object(os.path.join(root, USES_PATH), _LIMIT, root)
    return {
        id: use
        for id, use in ledger.items()
        if isinstance(use, list)
        and [type(value) for value in use] == [int, str]
        and use[0] < _MOST_USES
    }


def count_uses(root: str, ids: Iterable[str], *, now: float) -> None:
    """Count that these memories were used; raise StorageError where that cannot be written."""
    if not (used := sorted(set(ids))):
        return
    path = os.path.join(root, USES_PATH)
    session_store.create_private_folder(os.path.dirname(path), root)
    at = format_timestamp(now)
    with atomic_files.FileLock(path, LOCK_PATIENCE, within=root):
        uses = read_uses(root)
        for memory_id in used:
            before = uses.get(memory_id, [0, ""])
            uses[memory_id] = [int(before[0]) + 1, max(at, str(before[1]))]
        session_store.write_object(path, uses, root)


def add_uses(record: Record, uses: Uses) -> Record:
    """Return the record of a memory with the uses that are counted for it."""
    if not (use := uses.get(record.id)):
        return record
    times, last = int(use[0]), str(use[1])
    return record.with_fields(
        access_count=record.access_count + times, accessed=max(record.accessed, last)
    )
