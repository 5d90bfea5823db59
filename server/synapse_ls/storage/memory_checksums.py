"""Note checksums of what the program itself wrote as memories, so that a memory's file that is not
so any more can be pointed out to its person: somebody edited it, or it was damaged.

The notes are private, of one machine, and no memory depends on them. A memory that the program
never wrote is not in them: nobody knows how that one should be. What git has in the same words, a
person has committed or pulled, so it counts as an edit.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Final

from synapse_ls.storage import session_store
from synapse_ls.storage.atomic_files import FileLock, StorageError, read_bytes, remove_file
from synapse_ls.text.digest import digest_of
from synapse_ls.text.lazy_import import load_module
from synapse_ls.workspace.tree_folders import METRICS

Digests = dict[str, list[str]]

DIGESTS_PATH: Final = f"{METRICS}/memory-digests.json"
_LOCK_PATIENCE: Final = 2.0  # seconds that a note waits for others to be done
_MOST_MEMORIES: Final = 10_000  # memories that are noted, those that were written last
_LIMIT: Final = 4_000_000  # bytes of the notes
_GIT_PATIENCE: Final = 2.0  # seconds
_FILE_LIMIT: Final = 1_000_000  # bytes of a memory
_MOST_NAMED: Final = 3  # memories that a sentence names


def compute_digest(data: bytes) -> str:
    """Return the checksum of a memory's file; it is the same whichever line breaks git gives it."""
    return digest_of(data.replace(b"\r\n", b"\n")).hex()


def note_written(root: str, path: str, data: bytes, *, known_only: bool = False) -> None:
    """Note the checksum of what is about to be written as a memory, before it is: a writer that is
    killed in between leaves a file that is as it was noted.

    known_only: only if what stands there is as it was noted. Never raises: a memory is worth more
    than the note about it.
    """
    try:
        session_store.create_private_folder(f"{root}/{METRICS}", root)
        with FileLock(f"{root}/{DIGESTS_PATH}", _LOCK_PATIENCE, within=root):
            digests = read_digests(root)
            before = (
                compute_digest(_read_file(root, path)) if os.path.lexists(f"{root}/{path}") else ""
            )
            digest = digests.pop(_name_of(path), [])
            if before not in digest:
                if known_only:
                    return
                before = ""
            new = compute_digest(data)
            digests[_name_of(path)] = [new, before] if before not in ("", new) else [new]
            latest = dict(list(digests.items())[-_MOST_MEMORIES:])
            session_store.write_object(f"{root}/{DIGESTS_PATH}", latest, root)
    except StorageError:
        return


def forget_written(root: str, paths: Iterable[str]) -> None:
    """Drop the checksums of memories that are gone; with the last one goes the file. Never
    raises.
    """
    gone = set(map(_name_of, paths))
    if not gone or not os.path.lexists(f"{root}/{DIGESTS_PATH}"):
        return
    try:
        with FileLock(f"{root}/{DIGESTS_PATH}", _LOCK_PATIENCE, within=root):
            digests = {id: rows for id, rows in read_digests(root).items() if id not in gone}
            if digests:
                session_store.write_object(f"{root}/{DIGESTS_PATH}", digests, root)
                return
            for path in (DIGESTS_PATH, f"{DIGESTS_PATH}.lock"):
                remove_file(f"{root}/{path}", within=root)
        session_store.remove_idle_folder(f"{root}/{METRICS}", root)
    except StorageError:
        return


def read_digests(root: str) -> Digests:
    """Return the checksums of memories that were noted; nothing where they cannot be read."""
    noted = session_store.read_object(f"{root}/{DIGESTS_PATH}", _LIMIT, root)
    return {id: digests for id, digests in noted.items() if isinstance(digests, list)}


def find_changes(root: str, digests: Mapping[str, str]) -> dict[str, str]:
    """Return those of some memories, path → checksum of its file, that are not as they were
    noted.
    """
    if not digests:
        return {}
    known = read_digests(root)
    return {
        path: digest
        for path, digest in digests.items()
        if digest and digest not in known.get(_name_of(path), (digest,))
    }


def leave_out_committed(root: str, paths: Iterable[str]) -> list[str]:
    """Return those of the changed memories that git has not in the same words, as far as it
    says.
    """
    changed = list(paths)
    if not changed:
        return []
    git = load_module("synapse_ls.workspace.git_runner")
    try:
        listed = git.list_files(root, ("--stage", "--", *changed), _GIT_PATIENCE)
    except git.GitError:
        return changed
    committed = {}
    for line in listed:
        attributes, _, path = line.partition("\t")
        committed[path] = attributes.split(" ")[1]
    from hashlib import sha1  # seldom wanted, and the import is not free

    different = []
    for path in changed:
        data = _read_file(root, path)
        # The names under which git would have a file's content, or that without CRLF.
        names = [
            sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()
            for content in (data, data.replace(b"\r\n", b"\n"))
        ]
        if committed.get(path) not in names:
            different.append(path)
    return different


def describe_changes(paths: list[str]) -> tuple[str, str]:
    """Return what is to be said about memories whose checksums are not as they were noted, without
    its full stop, and what to do.
    """
    named, rest = paths[:_MOST_NAMED], len(paths) - _MOST_NAMED
    command = f"synapse memory confirm {' '.join(_name_of(path) for path in named)}"
    listed = ", ".join(named) + (f" and {rest:,} more" if rest > 0 else "")
    if len(paths) == 1:
        predicate, rest_of_it = "is not as Synapse LS wrote it", "it as it is"
    else:
        predicate, rest_of_it = "are not as Synapse LS wrote them", "them as they are"
    remedy = f"`{command}` takes {rest_of_it}, and so does a commit."
    return f"{listed} {predicate}: edited by hand, or damaged", remedy


def _name_of(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _read_file(root: str, path: str) -> bytes:
    try:
        return read_bytes(f"{root}/{path}", _FILE_LIMIT, within=root) or b""
    except StorageError:
        return b""
