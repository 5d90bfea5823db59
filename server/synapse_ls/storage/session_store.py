"""The session store: one JSON file per session, changed by one process at a time.

Every change is lock, read, change, write, unlock, so no count is lost between concurrent hooks.

A session id becomes a file name: unique, stable, and never outside the folder. Lower-case letters,
digits, ``-``, ``_`` and ``.`` stay. Every other character is written as the ``%xx`` of its UTF-8
bytes, as are:

* a capital letter, because ``A`` and ``a`` are the same file on Windows and macOS;
* a first character that is no letter or digit, which would hide the file or mark a special one;
* a dot at the end;
* the first letter of a name that Windows reserves for a device, such as ``nul``.

A name beyond 128 characters is cut, followed by ``~`` and a digest of the id.

CARL's session of the same id, ``.carl/sessions/{id}.json``, is read for its overrides (words or
booleans, null for none) and never written; our session's overrides come first.
"""

from __future__ import annotations

import errno
import os
import time

from synapse_ls.formats import session_file
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.storage import atomic_files
from synapse_ls.text.digest import DIGEST_BYTES, digest_of
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.record import Record
from synapse_ls.workspace.tree_folders import SESSIONS, STATE_FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

_INNER_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789-_."
_OUTER_CHARACTERS: Final = _INNER_CHARACTERS[:-3]
_DEVICES: Final = frozenset(
    ("con", "prn", "aux", "nul", *map("com{}".format, range(10)), *map("lpt{}".format, range(10)))
)
_MAX_LENGTH: Final = 128
_HEAD_LENGTH: Final = 80


def session_file_stem(session_id: str) -> str:
    """Return the name of the file of ``session_id``, without its extension; "" for the empty id."""
    device = session_id.partition(".")[0] in _DEVICES
    # strip() leaves nothing exactly when every character is one of those given.
    if (
        not session_id.strip(_INNER_CHARACTERS)
        and session_id[:1] in _OUTER_CHARACTERS
        and session_id[-1:] != "."
        and len(session_id) <= _MAX_LENGTH
        and not device
    ):
        return session_id
    last = len(session_id) - 1
    parts: list[str] = []
    for place, character in enumerate(session_id):
        allowed = _OUTER_CHARACTERS if place == 0 else _INNER_CHARACTERS
        is_dot_at_end = place == last and character == "."
        if character in allowed and not is_dot_at_end and not (place == 0 and device):
            parts.append(character)
        else:
            parts.extend(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    escaped = "".join(parts)
    if len(escaped) <= _MAX_LENGTH:
        return escaped
    from hashlib import sha256  # only here: ids this long are rare, and the import is not free

    digest = sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{escaped[:_HEAD_LENGTH]}~{digest[:32]}"


def is_named_after(stem: str, session_id: str) -> bool:
    """Return whether a file of that name, without its extension, is one of ``session_id``. Other
    programs name files after ids as they are. A file that does not say whose it is may be
    anybody's.
    """
    if not session_id or stem == session_file_stem(session_id):
        return True
    # What looks like one of our names may be the file of another id.
    return stem == session_id and "%" not in stem and "~" not in stem


LOCK_TIMEOUT: Final = 5.0  # seconds
STALE_HOURS: Final = 168.0
ARCHIVE: Final = "archive"
EXTENSION: Final = ".json"

_LIMIT: Final = 4_000_000  # bytes; a session has a few thousand

# What stands at the path is no session, though nothing is wrong with the disk or the rights.
_NOT_A_SESSION: Final = frozenset((errno.EFBIG, errno.EINVAL, errno.EISDIR, errno.ELOOP))

# What becomes of a file that cannot be gone on with as it is: the first part of the name under
# which it is kept, and what is said about it; by whether a session could be read from it.
_ASIDE_NAMES: Final = {
    False: ("unreadable", "the session begins anew"),
    True: ("older", "it was converted"),
}

GITIGNORE: Final = ".gitignore"
_IGNORE_ALL: Final = b"""\
# What tools keep here about one person's work is for no repository.
*
"""
IGNORE_BOOKKEEPING: Final = b"""\
# The memories beside this belong in the repository; what the program keeps for itself does not.
.gitignore
migrated.json
**/session/
*.lock
.synapse-*.tmp
"""
_MAX_DIGITS: Final = 9  # of the number of a copy
_MOST_ASIDE: Final = 3  # copies of one file that are kept, those of the last times

# The last line of a session file as it is written here. What other programs write, which do not end
# a file like this, is taken as it is.
_CHECKSUM_START: Final = f',\n  "{session_file.CHECKSUM}": "'.encode()
_CHECKSUM_END: Final = b'"\n}\n'
_CHECKSUM_LENGTH: Final = len(_CHECKSUM_START) + 2 * DIGEST_BYTES + len(_CHECKSUM_END)

_GITIGNORE: Final = b"""\
# What tools keep here about one person's work. The rules beside it belong in the repository.
sessions/
cache/
metrics/
continuation/
memory/**/session/
memory/**/digests/
*.lock
.synapse-*.tmp
"""


def sessions_folder(root: str) -> str:
    """Return the folder of a tree's sessions."""
    return os.path.join(root, SESSIONS)


def project_of(folder: str) -> str:
    """Return the project that a folder of sessions belongs to: that of its tree."""
    return os.path.dirname(os.path.dirname(folder))


def format_timestamp(now: float) -> str:
    """Write the time ``now`` as sessions record it, in UTC with milliseconds:
    "2026-11-21T20:46:22.468Z".
    """
    seconds, milliseconds = divmod(round(now * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{milliseconds:03d}Z"


class SessionStore:
    """The sessions of one tree, in ``folder`` (``.synapse/sessions``), which need not exist yet.

    ``now`` is in seconds since the epoch. Every method may raise StorageError.
    """

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder)

    def path(self, session_id: str) -> str:
        """Return the file of ``session_id``, inside the folder whatever the id is (see
        ``session_file_names``).
        """
        if not (stem := session_file_stem(session_id)):
            raise atomic_files.StorageError("A session id is empty.", "Give the id of a session.")
        return os.path.join(self.folder, stem + EXTENSION)

    def load(self, session_id: str) -> session_file.SessionState | None:
        """Return the session, or None if there is none that can be read. Changes nothing on
        disk.
        """
        return self.inspect(session_id)[0]

    def inspect(self, session_id: str) -> tuple[session_file.SessionState | None, str]:
        """Return the session and what is wrong with its file, "" for nothing. Changes nothing on
        disk.
        """
        file = read_session(self.path(session_id), project_of(self.folder))
        return file.session, file.problem

    def transaction(
        self,
        session_id: str,
        *,
        cwd: str,
        now: float,
        timeout: float = LOCK_TIMEOUT,
        check: Callable[[Transaction], None] | None = None,
    ) -> Transaction:
        """Return a transaction on the session; ``cwd`` and ``now`` are those of a session that
        begins. check: called with the transaction once its session is read; where one begins,
        before it is first written, or at the end.

        The hook writes its reply inside and commits after, so that a crash between the two repeats
        rules and loses none::

            with store.transaction(session_id, cwd=cwd, now=now) as transaction:
                reply(transaction.session)
                record_prompt(transaction.session, prompt, now)
                transaction.commit()
        """
        return Transaction(self.path(session_id), session_id, cwd, now, timeout, check)

    def update(
        self,
        session_id: str,
        change: Callable[[session_file.SessionState], object],
        *,
        cwd: str,
        now: float,
    ) -> Transaction:
        """Apply ``change`` to the session, begun if need be, and write it; return the ended
        transaction.
        """
        with self.transaction(session_id, cwd=cwd, now=now) as transaction:
            change(transaction.session)
            transaction.commit()
        return transaction

    def has_stale(self, now: float, hours: float = STALE_HOURS) -> bool:
        """Return whether ``archive_stale`` may find something to do: it looks at the times of
        files, not into them.
        """
        before = now - hours * 3600
        try:
            with os.scandir(self.folder) as entries:
                return any(
                    is_session_file(entry.name)
                    and entry.stat(follow_symlinks=False).st_mtime < before
                    for entry in entries
                )
        except OSError:
            return False  # no folder, or another process archived a file in this instant


class Transaction:
    """A session under its lock; what is not committed did not happen.

    session: its state, to be changed in place. is_new: it begins here, because there was none or
    none that can be read. notes: sentences about files that stood in the way, and where they are.
    """

    def __init__(
        self,
        path: str,
        session_id: str,
        cwd: str,
        now: float,
        timeout: float,
        check: Callable[[Transaction], None] | None = None,
    ) -> None:
        self.session: session_file.SessionState
        self.is_new = False
        self.notes: tuple[str, ...] = ()
        self._path = path
        self._within = project_of(os.path.dirname(path))
        self._begin = (session_id, cwd, now)
        self._check = check
        self._lock = atomic_files.FileLock(path, timeout, within=self._within)
        self._is_locked = False
        self._found = MISSING_FILE
        self._aside = ""  # where the file that stands at the path goes before it is replaced
        self._archived = ""  # the file in the archive that comes back with the next commit

    def __enter__(self) -> Transaction:
        try:
            self._lock.__enter__()
        except atomic_files.StorageError as error:
            if error.errno != errno.ENOENT:
                raise
            create_folder(os.path.dirname(self._path), self._within)
            self._lock.__enter__()
        self._is_locked = True
        try:
            file = read_session(self._path, self._within)
            if file is MISSING_FILE:
                # One that was archived as stale goes on now.
                path = archived_path(self._path)
                archived = read_session(path, self._within)
                if archived.session is not None:
                    file = SessionFile(None, archived.session, "")
                    if not archived.problem:  # what had to be converted stays there as it was
                        self._archived = path
            elif file.problem:
                kind, fate = _ASIDE_NAMES[file.session is not None]
                self._aside = free_name(f"{self._path}.{kind}")
                name, aside = os.path.basename(self._path), os.path.basename(self._aside)
                self.notes = (f"{name} {file.problem}: {fate}, and the file is kept as {aside}.",)
            self._found = file
            session_id, cwd, now = self._begin
            if file.session is None:
                self.session = session_file.new_session(session_id, cwd, format_timestamp(now))
                self.is_new = True
            else:
                self.session = file.session
                self.session.id = self.session.id or session_id
            if not self.is_new:
                self._check_once()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        try:
            if self.is_new:
                self._check_once()
        finally:
            self._is_locked = False
            self._lock.__exit__()

    def _check_once(self) -> None:
        check, self._check = self._check, None
        if check is not None:
            check(self)

    def commit(self) -> None:
        """Write the session as it is now; may be called again after further changes."""
        if not self._is_locked:
            raise RuntimeError("commit() outside of the transaction")
        data = encode_session(self.session)
        if data == self._found.data:
            return
        if self._aside:
            # Keep what stands at the path under another name, byte for byte, before it is replaced.
            if self._found.session is None or self._found.data is None:
                # Moved, not copied: it may be anything, a folder or gigabytes.
                atomic_files.move_path(self._path, self._aside, within=self._within)
            else:
                atomic_files.atomic_write(
                    self._aside,
                    self._found.data,
                    within=self._within,
                    durable=True,
                    mode=atomic_files.PRIVATE_FILE,
                )
            self._aside = ""
            # Remove all but the last copies that were kept aside of the file at `path`.
            for kind, _ in _ASIDE_NAMES.values():
                for _, copy in sorted(_copies(f"{self._path}.{kind}"))[:-_MOST_ASIDE]:
                    atomic_files.remove_quietly(copy, within=self._within)
        if self.is_new:
            self._check_once()
            # Before the session, so that no end of this process leaves one that git would take.
            try:
                folder = os.path.dirname(self._path)
                ignore_in_git(folder, self._within)
                keep_out_of_git(folder, self._within)
            except atomic_files.StorageError as error:
                self.notes += (str(error),)
        atomic_files.atomic_write(
            self._path, data, within=self._within, mode=atomic_files.PRIVATE_FILE
        )
        if self._archived:
            atomic_files.remove_quietly(self._archived, within=self._within)
            self._archived = ""
        self._found = SessionFile(data, self.session, "")


class SessionFile(Record):
    """What the file of a session holds. problem: why it is no session, or that it had to be
    converted.
    """

    data: bytes | None
    session: session_file.SessionState | None
    problem: str


MISSING_FILE: Final = SessionFile(None, None, "")


def read_session(path: str, within: str) -> SessionFile:
    """Return what stands at ``path`` in the project ``within``, MISSING_FILE for nothing; raise
    StorageError if the file cannot be read.
    """
    try:
        data = atomic_files.read_bytes(path, _LIMIT, within=within)
    except atomic_files.StorageError as error:
        if error.errno in _NOT_A_SESSION:
            reason = error.sentence.rpartition(": ")[2].removesuffix(".")
            return SessionFile(None, None, f"is no session, because {reason}")
        raise
    if data is None:
        return MISSING_FILE
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return SessionFile(data, None, f"is not UTF-8 at byte {error.start}")
    written = data[-_CHECKSUM_LENGTH:][len(_CHECKSUM_START) : -len(_CHECKSUM_END)]
    if has_checksum(data) and written != digest_of(data[:-_CHECKSUM_LENGTH]).hex().encode():
        # One bit is enough to make another agent of an agent, so nothing of it is believed.
        return SessionFile(data, None, "is not as it was written")
    session, problem = session_file.parse(text)
    stem = os.path.basename(path).removesuffix(EXTENSION)
    if session is not None and not is_named_after(stem, session.id):
        return SessionFile(data, None, "is that of another session")
    return SessionFile(data, session, problem)


def has_checksum(data: bytes) -> bool:
    """Return whether a session file says what was written, as all do that we write."""
    last = data[-_CHECKSUM_LENGTH:]
    return last.startswith(_CHECKSUM_START) and last.endswith(_CHECKSUM_END)


def encode_session(session: session_file.SessionState) -> bytes:
    """Return the bytes of a session file."""
    try:
        content = dumps(session.to_document()).encode().removesuffix(b"\n}")
        return content + _CHECKSUM_START + digest_of(content).hex().encode() + _CHECKSUM_END
    except ValueError as error:
        raise atomic_files.StorageError(
            f"The session cannot be written: {error}.", "Remove what was added to it."
        ) from error


def is_session_file(name: str) -> bool:
    """Return whether a file of that name in the folder is a session; ``_active-agent.json`` is
    none.
    """
    return name.endswith(EXTENSION) and not name.startswith(("_", "."))


def archived_path(path: str) -> str:
    """Return where the session file at ``path`` is, once it is stale."""
    folder, name = os.path.split(path)
    return os.path.join(folder, ARCHIVE, name)


def free_name(stem: str, extension: str = "") -> str:
    """Return the name under which a file is kept aside: ``{stem}-N``, where N is one more than that
    of the last copy there is, with the extension.
    """
    number = max((number for number, _ in _copies(stem, extension)), default=0) + 1
    while os.path.lexists(f"{stem}-{number}{extension}"):
        number += 1
    return f"{stem}-{number}{extension}"


def _copies(stem: str, extension: str = "") -> list[tuple[int, str]]:
    """Return number and path of every ``{stem}-N``; a longer number is none of this program's."""
    folder, start = os.path.split(f"{stem}-")
    try:
        names = [n for n in os.listdir(folder or ".") if n.startswith(start)]
    except OSError:
        return []
    numbers = (n[len(start) :].removesuffix(extension) for n in names if n.endswith(extension))
    return [
        (int(n), f"{stem}-{n}{extension}")
        for n in numbers
        if n.isascii() and n.isdigit() and len(n) <= _MAX_DIGITS
    ]


def create_folder(folder: str, within: str) -> None:
    """Create the folder of a session store in the project ``within`` for this user alone, if it is
    missing; raise StorageError.
    """
    parent = os.path.dirname(folder)
    # The tree itself is one that others may read.
    if not (os.path.isdir(parent) or os.path.basename(parent).startswith(".")):
        create_folder(parent, within)
    atomic_files.make_folders(folder, within=within, mode=atomic_files.PRIVATE_FOLDER)


def ignore_in_git(folder: str, within: str) -> None:
    """Write the ``.gitignore`` beside the folder of the sessions, unless there is one."""
    path = os.path.join(os.path.dirname(folder), GITIGNORE)
    if not os.path.lexists(path):
        atomic_files.atomic_write(path, _GITIGNORE, within=within)


def remove_idle_gitignore(tree: str, within: str) -> None:
    """Remove the ``.gitignore`` that `ignore_in_git` wrote into the folder ``tree``, once nothing
    of what it leaves out is there.
    """
    path = os.path.join(tree, GITIGNORE)
    if any(os.path.lexists(os.path.join(tree, name)) for name in STATE_FOLDERS):
        return
    try:
        if atomic_files.read_bytes(path, _LIMIT, within=within) == _GITIGNORE:
            atomic_files.remove_file(path, within=within)
    except atomic_files.StorageError:
        return  # it stays, as one of the person's own does


def remove_idle_folder(folder: str, within: str) -> None:
    """Remove a folder of notes in which nothing is left but the ``.gitignore`` of
    `keep_out_of_git`.
    """
    try:
        if set(os.listdir(folder)) <= {GITIGNORE}:
            path = os.path.join(folder, GITIGNORE)
            if atomic_files.read_bytes(path, _LIMIT, within=within) == _IGNORE_ALL:
                atomic_files.remove_file(path, within=within)
            atomic_files.remove_folder(folder, within=within)
    except (OSError, atomic_files.StorageError):
        return  # it stays, and does no harm


def keep_out_of_git(folder: str, within: str, ignored: bytes = _IGNORE_ALL) -> None:
    """Write a ``.gitignore`` into ``folder`` that leaves all of it, or what ``ignored`` says, out
    of the repository, whatever the tree's own file says. One that is there stays. Raises
    StorageError.
    """
    path = os.path.join(folder, GITIGNORE)
    if not os.path.lexists(path):
        # Beside what belongs in the repository, others who share the checkout read it, too.
        mode = atomic_files.PRIVATE_FILE if ignored is _IGNORE_ALL else None
        atomic_files.atomic_write(path, ignored, within=within, mode=mode)


def create_private_folder(folder: str, within: str) -> None:
    """Create the folder of a store like that of sessions, for this user alone and for no
    repository; raise StorageError.
    """
    create_folder(folder, within)
    keep_out_of_git(folder, within)


def read_object(path: str, limit: int, within: str) -> dict[str, Any]:
    """Return the JSON object in a file of notes; {} where there is none, or it cannot be read:
    nothing depends on such a file.
    """
    try:
        data = atomic_files.read_bytes(path, limit, within=within)
        value = loads(data.decode("utf-8", "surrogatepass")) if data else {}
    except (atomic_files.StorageError, JsonError, UnicodeDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def write_object(path: str, value: dict[str, Any], within: str) -> None:
    """Write the JSON object that `read_object` reads, for this user alone; raise StorageError."""
    data = dumps(value, None).encode("utf-8", "surrogatepass")
    atomic_files.atomic_write(path, data, within=within, mode=atomic_files.PRIVATE_FILE)


CARL_SESSIONS = ".carl/sessions"
_MAX_BYTES = 1_000_000  # bytes; a session of CARL has a few hundred


def has_carl_session(root: str, session_id: str) -> bool:
    """Return whether CARL has a session of this id."""
    return (
        bool(session_id)
        and session_file_stem(session_id) == session_id
        and os.path.isfile(_session_path(root, session_id))
    )


def with_carl_overrides(root: str, session: session_file.SessionState) -> session_file.SessionState:
    """Return ``session`` with what CARL's session of its id overrides."""
    if not has_carl_session(root, session.id or ""):
        return session
    # What cannot be read overrides nothing.
    overrides = read_object(_session_path(root, session.id or ""), _MAX_BYTES, root).get(
        "overrides"
    )
    if not isinstance(overrides, dict):
        return session
    ours = {key: value for key, value in session.overrides.items() if value is not None}
    theirs = {str(key): parse_switch(v) for key, v in overrides.items() if v is not None}
    session = session.copy()
    session.overrides = {**{key: v for key, v in theirs.items() if v is not None}, **ours}
    return session


def _session_path(root: str, session_id: str) -> str:
    return f"{root}/{CARL_SESSIONS}/{session_id}.json"
