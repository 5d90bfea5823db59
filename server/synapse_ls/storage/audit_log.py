"""The audit log, which is optional: JSON lines with a hash chain in the user's state folder.

A line for each reply that injected something and each verdict of the guard. It has the previous
line's hash (``previous``) and, last, the SHA-256 of all before (``hash``), so changed, removed and
inserted lines are found. ``head``, which is there before the first line, has number and hash of the
last one and the number of the first, so missing lines at either end are found. Nothing is signed:
appended lines, a log rewritten with its head, or a removed folder leave no trace unless the last
hash is kept elsewhere.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from time import gmtime, strftime
from typing import TYPE_CHECKING, Any, BinaryIO

from synapse_ls.guard.agent_action import UNKNOWN_FILE
from synapse_ls.storage import atomic_files, hook_log
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.iso_time import parse_instant
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.secret_masking import mask_beginning
from synapse_ls.text.sha256 import sha256
from synapse_ls.workspace import git_settings, user_folders
from synapse_ls.workspace.regular_files import open_stream

if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.guard.action_verdict import Verdict
    from synapse_ls.guard.agent_action import AgentAction
    from synapse_ls.integrations.hook_client import HookClient
    from synapse_ls.integrations.hook_event import Event

    Record = dict[str, Any]
    Head = tuple[int, str, int]

NAME = "audit.jsonl"
HEAD = "head"
FILE_BYTES = 4_000_000  # bytes, after which a file of the log is put beside the next one
MEGABYTE = 1_000_000  # bytes
LOCK_SECONDS = 0.5
WAITING = "waiting.jsonl"  # records that are no lines yet
TAKEN = f"{WAITING}.taken"  # those that are just made lines
_LAST_BYTES = 1_000_000  # no line is longer
_MOST_TEXT, _MOST_FILES = (
    20_000,
    200,
)  # characters of a command or of paths that are kept, and files
_HASH = b',"hash":"'
_ATTEMPTS = 9  # to list and open the files of the log between two rotations
_ARCHIVE = lazy_pattern(r"audit-(\d{9})\.jsonl")
FIRST = ""  # what stands before the first line


def record_reply(plan: Plan, injection: Record, text: str) -> None:
    """Add a reply that injected something; ``injection``: its line of the injection log."""
    if not text:
        return
    names = ("agent", "event", "window", "tokens", "why", "withdrawn")
    rules = [row for _, rows in injection["sections"] for row in rows.split("\n") if row]
    details = {name: injection[name] for name in names}
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    details.update(rules=rules, block=digest)
    _add_record(plan.root, plan.settings, "injected", injection, details)


def record_verdict(
    root: str,
    settings: Mapping[str, Any],
    host: HookClient,
    event: Event,
    verdict: Verdict,
    agent: str,
    use: AgentAction,
    now: float,
) -> None:
    """Add a verdict of the guard on what an agent was about to do, its secrets masked. settings:
    what the plan of the tree has under "guard", "policy" and "audit".
    """
    clause, enforces = verdict.clause, settings["guard"] == "enforce"
    files = [
        f"{verb} {' '.join(path.replace(UNKNOWN_FILE, '…').split())}"
        for verb, path in use.files[:_MOST_FILES]
    ]
    details = {
        "agent": agent,
        "event": event.name,
        "window": event.subagent,
        "decision": verdict.decision,
        "answer": host.final_decision(event, verdict.decision) if enforces else "warn",
        "mode": settings["guard"],
        "rule": clause.citation if clause is not None else "",
        "reason": verdict.reason,
        "tool": use.tool,
        "command": use.command,
        "files": mask_beginning("\n".join(files), _MOST_TEXT).split("\n") if files else [],
    }
    origin = {"time": now, "client": host.name, "session": event.session_id}
    _add_record(root, settings, "verdict", origin, details)


def _add_record(
    root: str, settings: Mapping[str, Any], kind: str, origin: Record, details: Record
) -> None:
    """Add a line, the secrets of its texts masked; a log that cannot be written is said in the
    hook's log.
    """
    record = {
        "kind": kind,
        "time": strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(origin["time"])),
        "person": _account(),
        "repository": _repository(root),
        "root": root,
        "client": origin["client"],
        "session": origin["session"],
        "policy": settings["policy"],
        **details,
    }
    for name, value in record.items():
        if isinstance(value, str):
            record[name] = mask_beginning(value, _MOST_TEXT)
    folder = user_folders.audit_folder()
    path = os.path.join(folder, NAME)
    try:
        atomic_files.make_folders(
            folder, within=atomic_files.ANYWHERE, mode=atomic_files.PRIVATE_FOLDER
        )
        try:
            with atomic_files.FileLock(path, LOCK_SECONDS, within=atomic_files.ANYWHERE):
                _add_lines(folder, record, settings["audit"] * MEGABYTE)
        except atomic_files.LockTimeoutError:  # a lock takes no right to write
            row = dumps(record, indent=None).encode("utf-8", "replace") + b"\n"
            atomic_files.append_line(os.path.join(folder, WAITING), row, sys.maxsize)
    except (OSError, atomic_files.StorageError) as error:
        hook_log.log_error(error, "the audit log lacks a line")


def _add_lines(folder: str, record: Record, most: int) -> None:
    """Add the records that wait, and ``record``, to the log, which is locked."""
    path, waiting = os.path.join(folder, NAME), os.path.join(folder, WAITING)
    taken, rows = os.path.join(folder, TAKEN), []
    if _read_head(folder) is None and not audit_files(folder):
        _write_head(folder, 0, FIRST, 1)
    if os.path.lexists(waiting) and not os.path.lexists(taken):  # which a crash may have left
        atomic_files.move_path(waiting, taken, within=atomic_files.ANYWHERE)
    with suppress(FileNotFoundError), open_stream(taken) as file:
        rows = file.read().splitlines()
    for row in (*rows, dumps(record, indent=None).encode("utf-8", "replace")):
        details = _read_row(row, record["time"])
        number, previous, first, separator = _last_line(folder)
        body = dumps({"number": number + 1, "previous": previous, **details}, indent=None)
        line, digest = _seal(body.encode("utf-8", "replace"))
        atomic_files.append_line(path, separator + line + b"\n", sys.maxsize)
        _write_head(folder, number + 1, digest, first)
        if os.stat(path).st_size > FILE_BYTES:
            _rotate(folder, number + 1, digest, most)
    if rows:
        atomic_files.remove_file(taken, within=atomic_files.ANYWHERE)


def _read_row(row: bytes, now: str) -> Record:
    """Return the record in a row, whoever wrote that; for none, one that has the row's text."""
    with suppress(JsonError, UnicodeDecodeError):
        details = loads(row.decode())
        if isinstance(details, dict) and {type(details.get(n)) for n in ("kind", "time")} == {str}:
            chain_fields = ("number", "previous", "hash")
            return {name: value for name, value in details.items() if name not in chain_fields}
    text = mask_beginning(row.decode("utf-8", "replace"), _MOST_TEXT)
    return {"kind": "unreadable", "time": now, "text": text}


def find_obstacle() -> str:
    """Return why no line can be added to the log that is there, "" where nothing shows."""
    folder = user_folders.audit_folder()
    if not os.path.lexists(folder):
        return ""
    path = os.path.join(folder, NAME)
    try:
        with atomic_files.FileLock(path, LOCK_SECONDS, within=atomic_files.ANYWHERE):
            _last_line(folder)
            for place in filter(os.path.exists, (folder, path)):
                if not os.access(place, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), place)
            with suppress(FileNotFoundError), open_stream(os.path.join(folder, TAKEN)):
                pass
    except (OSError, atomic_files.StorageError) as error:
        return str(error)
    return ""


def _seal(body: bytes) -> tuple[bytes, str]:
    """Return the line of a record, and its hash."""
    digest = sha256(body).hexdigest()
    return body[:-1] + _HASH + digest.encode() + b'"}', digest


def _last_line(folder: str) -> tuple[int, str, int, bytes]:
    """Return number and hash of the last line, 0 and `FIRST` where there is none, the number of the
    first that is there, and what the next one needs before it. Behind a line that a crash has cut
    short, and where the last ones are missing, the chain goes on by the head, which shows that.
    Where lines have no head, one number is left out, to show it.
    """
    head = _read_head(folder)
    try:
        with open_stream(os.path.join(folder, NAME)) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _LAST_BYTES))
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return (*(head or (0, FIRST, 1)), b"")
    record = parse_line(lines[-2]) if len(lines) > 1 else None
    if head is None:
        head = (record["number"] + 1 if record else 1, FIRST, 1)
    elif record and record["number"] >= head[0]:
        head = (record["number"], record["hash"], head[2])
    return (*head, b"\n" if lines[-1] else b"")


def _write_head(folder: str, number: int, digest: str, first: int) -> None:
    atomic_files.atomic_write(
        os.path.join(folder, HEAD),
        f"{number} {digest} {first}\n".encode(),
        within=atomic_files.ANYWHERE,
        mode=atomic_files.PRIVATE_FILE,
        follow=False,
    )


def _read_head(folder: str) -> Head | None:
    """Return number and hash of the last line, and the number of the first, as they stand beside
    the log; None for none.
    """
    data = (
        atomic_files.read_bytes(os.path.join(folder, HEAD), 200, within=atomic_files.ANYWHERE)
        or b""
    )
    number, digest, first, *_ = (*data.decode("ascii", "replace").rstrip("\n").split(" "), "", "")
    if not number.isdecimal():
        return None
    return int(number), digest, int(first) if first.isdecimal() else 1


def _rotate(folder: str, number: int, digest: str, most: int) -> None:
    """Put the log beside the next one under the number of its last line; remove the oldest files
    beyond ``most`` bytes. number, digest: of the last line.
    """
    archive = os.path.join(folder, f"audit-{number:09}.jsonl")
    atomic_files.move_path(os.path.join(folder, NAME), archive, within=atomic_files.ANYWHERE)
    size, removed = 0, []
    for path in reversed(audit_files(folder)):
        size += os.stat(path).st_size
        if size > most:
            removed.append(path)
    if removed:  # said before it is done: a crash then leaves lines too many, and none missing
        last = int(removed[0].rpartition("-")[2].partition(".")[0])
        _write_head(folder, number, digest, last + 1)
    for path in removed:
        atomic_files.remove_file(path, within=atomic_files.ANYWHERE)


def audit_files(folder: str) -> list[str]:
    """Return the files of the log, the oldest first."""
    try:
        names = sorted(filter(_ARCHIVE.fullmatch, os.listdir(folder)))
    except FileNotFoundError:
        return []
    current = [NAME] if os.path.exists(os.path.join(folder, NAME)) else []
    return [os.path.join(folder, name) for name in (*names, *current)]


@contextmanager
def _opened_log(folder: str) -> Iterator[tuple[Head | None, list[tuple[str, BinaryIO]]]]:
    """Give the head of the log and its files, the oldest first, open, so that no rotation takes any
    of them away. Raises OSError.
    """
    for attempt in range(_ATTEMPTS):
        with ExitStack() as stack:
            paths = audit_files(folder)
            try:
                files = [(path, stack.enter_context(open_stream(path))) for path in paths]
            except FileNotFoundError:
                if attempt + 1 == _ATTEMPTS:
                    raise
                continue
            head = _read_head(folder)
            if audit_files(folder) == paths or attempt + 1 == _ATTEMPTS:
                yield head, files
                return


def _numbered_lines(files: Iterable[tuple[str, BinaryIO]]) -> Iterator[tuple[str, int, bytes]]:
    """Yield (file, line from 1, bytes) of the files of the log."""
    for path, file in files:
        for number, line in enumerate(file, 1):
            yield path, number, line.rstrip(b"\n")


def parse_line(line: bytes) -> Record | None:
    """Return the record on a line that is as it was written; None for any other."""
    head, mark, tail = line.rpartition(_HASH)
    if not mark or _seal(head + b"}")[0] != line:
        return None
    try:
        record = loads(line.decode("utf-8", "replace"))
    except JsonError:
        return None
    is_record = isinstance(record, dict) and type(record.get("number")) is int
    return record if is_record and tail else None


def records_since(since: float) -> Iterator[tuple[float, bytes, Record | None]]:
    """Yield when each line was written that is not older than ``since``, both in seconds since
    1970, the line, and its record; None for a damaged one.
    """
    with _opened_log(user_folders.audit_folder()) as (_, files):
        for _, _, line in _numbered_lines(files):
            record = parse_line(line)
            microseconds = parse_instant(record["time"]) if record else None
            moment = since if microseconds is None else microseconds / 1e6
            if moment >= since:
                yield moment, line, record


class BrokenChain(Exception):  # noqa: N818 - a finding about a log, not a fault
    """The first place where a log is not as it was written."""

    def __init__(self, path: str, line: int, what: str) -> None:
        super().__init__(f"{path}:{line}: {what}")


def verify(folder: str) -> tuple[int, str, int]:
    """Return how many lines there are, the hash of the last, and the number of the first, which is
    0 where there is no log, and more than 1 where older ones were removed. Raises BrokenChain, and
    OSError.
    """
    with _opened_log(folder) as (head, files):
        start = head[2] if head else 1
        count, first, number, previous = 0, 0, start - 1, FIRST
        path, at = os.path.join(folder, NAME), 0
        for path, at, line in _numbered_lines(files):
            if (record := parse_line(line)) is None:
                raise BrokenChain(path, at, "this line is not as it was written")
            if count and (record["number"], record["previous"]) != (number + 1, previous):
                raise BrokenChain(
                    path, at, f"line number {number + 1} of the chain is missing here"
                )
            if not count and record["number"] > start:
                raise BrokenChain(path, at, f"line number {start} of the chain is missing here")
            if not count and record["number"] == 1 and record["previous"] != FIRST:
                raise BrokenChain(path, at, "this is not the first line of a chain")
            count, first = count + 1, first or record["number"]
            number, previous = record["number"], record["hash"]
            if head and head[0] == number and head[1] != previous:
                raise BrokenChain(path, at, "this line is not as it was written")
        # The folder is made for the first line, and `head` written with it.
        if (head[0] > number) if head else os.path.isdir(folder):
            raise BrokenChain(path, at + 1, "lines at the end are missing")
        if not count and head:  # there is none left
            return 0, head[1], start
        return count, previous, first


def _account() -> str:
    """Return the name of the account, which no environment variable says."""
    try:
        if os.name == "nt":
            return os.getlogin()
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, OSError, KeyError):  # a browser's Python has no accounts
        return str(os.getuid()) if hasattr(os, "getuid") else ""


def _repository(root: str) -> str:
    """Return the address of the repository's origin, without a password; "" where none is known."""
    folder = root
    while not os.path.isdir(os.path.join(folder, ".git")):
        folder, before = os.path.dirname(folder), folder
        if folder == before:
            return ""
    config = os.path.join(folder, ".git", "config")
    if os.path.realpath(config) != os.path.join(os.path.realpath(folder), ".git", "config"):
        return ""  # it may be that of another repository
    address = git_settings.parse_section(config, 'remote "origin"').get("url", "")[:_MOST_TEXT]
    return re.sub(r"//(?:[^/@:]{0,200}:.{0,400}|[^/@]{0,200})@", "//", address)
