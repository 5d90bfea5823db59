"""Gotchas: errors of tools that occur three times within a day, stored as memories.

A tree's errors are counted by pattern in a ledger of one machine::

    {"schema": "synapse-errors-1", "errors": {pattern: fields of `CountedError`}}

A gotcha quotes a tool, so it is shortened, without secrets, and temporary; it becomes durable when
a person says so (`synapse learn`). Thresholds: "3 occurrences within 24 h", errors kept for 7 days
(Chati.dev memory layer; gotchas-memory 1.0 declares the window and does not use it).
"""

import os
from dataclasses import asdict, dataclass, field

from synapse_ls.engine.text_escaping import escape_text
from synapse_ls.formats.memory_file import GOTCHA_TYPE
from synapse_ls.memory import error_patterns, memory_index, memory_record
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import atomic_files, plan_cache, session_store
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text import digest, phrases, secret_masking
from synapse_ls.text.fast_json import dumps

ERRORS_PATH = ".synapse/metrics/errors.json"
SCHEMA = "synapse-errors-1"
MEMO_KIND = "errors"
COUNT_WINDOW = 24 * 3600.0
PROMOTION_COUNT = 3
RETENTION = 7 * 24 * 3600.0
MOST_ENTRIES = 400  # patterns of a tree; those that were not met for longest go first
MOST_LISTED = 5  # commands and files of one error
LOCK_PATIENCE = 1.0  # seconds; a count is not worth more of a tool's time
_LIMIT = 2_000_000  # bytes; so many entries have less
_MOST_TEXT = 100_000  # characters of an error that are looked at
_LONGEST_QUOTE = 90  # characters of an error that its title quotes
_LONGEST_LINE = 300  # characters of a command or a file that are kept, on one line
_SOLUTION_PREFIX = "It went away: "


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure of a tool, to be counted. files: those that it was about, relative to the
    root.
    """

    error: str
    command: str = ""
    files: tuple[str, ...] = ()


@dataclass(slots=True)
class CountedError:
    """An error of tools as it is counted. message: its last headline. recent: when it occurred the
    last times, in seconds since 1970. gotcha: the id of the memory that it became. solved: how it
    went away the last time. record: the gotcha, None while it is none.
    """

    pattern: str
    message: str = ""
    count: int = 0
    recent: list[float] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    gotcha: str = ""
    solved: str = ""
    record: memory_record.Record | None = None

    @property
    def is_due(self) -> bool:
        """Whether the error becomes a gotcha with this occurrence."""
        return len(self.recent) >= PROMOTION_COUNT and not self.gotcha


def add_failure(
    errors: dict[str, CountedError], failure: Failure, now: float
) -> CountedError | None:
    """Count a failure of a tool among the errors by pattern; None where it says nothing that could
    occur again.
    """
    if not (pattern := error_patterns.error_pattern(failure.error)):
        return None
    # Those that were met last stand last.
    error = errors[pattern] = errors.pop(pattern, CountedError(pattern))
    headline = error_patterns.error_headline(failure.error)
    error.message = headline[: error_patterns.MESSAGE_LENGTH].replace('"', "'")
    error.count += 1
    recent = [t for t in error.recent if 0 <= now - t < COUNT_WINDOW]
    error.recent = [*recent, now][-2 * PROMOTION_COUNT :]
    error.commands = _append_distinct(error.commands, (failure.command,))
    error.files = _append_distinct(error.files, failure.files)
    for name, other in list(errors.items()):
        if not other.gotcha and now - other.recent[-1] > RETENTION:
            del errors[name]
    while len(errors) > MOST_ENTRIES:
        del errors[next(iter(errors))]
    return error


def _append_distinct(earlier: list[str], additions: tuple[str, ...]) -> list[str]:
    """Return the latest distinct texts, the last one last."""
    fresh = [item for item in additions if item]
    return [*(item for item in earlier if item not in fresh), *dict.fromkeys(fresh)][-MOST_LISTED:]


def read_errors(root: str) -> dict[str, CountedError]:
    """Read the errors of the tree at ``root`` by pattern. A ledger that this user's hook has not
    written as it is, such as one of a repository, counts for nothing.
    """
    ledger = session_store.read_object(os.path.join(root, ERRORS_PATH), _LIMIT, root)
    is_own = plan_cache.read_memo(root, MEMO_KIND).get("ledger") == digest.hash_text(dumps(ledger))
    rows = ledger.get("errors") if is_own and ledger.get("schema") == SCHEMA else None
    errors = {}
    for pattern, row in rows.items() if isinstance(rows, dict) else ():
        try:
            error = CountedError(
                pattern,
                str(row["message"]),
                int(row["count"]),
                [*map(float, row["recent"])],
                [*map(str, row["commands"])],
                [*map(str, row["files"])],
                str(row["gotcha"]),
                str(row["solved"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        if error.recent:
            errors[pattern] = error
    return errors


def _write_errors(root: str, errors: dict[str, CountedError]) -> None:
    rows = {
        pattern: {
            name: value
            for name, value in asdict(error).items()
            if name not in ("pattern", "record")
        }
        for pattern, error in errors.items()
    }
    ledger = {"schema": SCHEMA, "errors": rows}
    session_store.write_object(os.path.join(root, ERRORS_PATH), ledger, root)
    plan_cache.write_memo(root, MEMO_KIND, {"ledger": digest.hash_text(dumps(ledger))})


def count_error(root: str, failure: Failure, *, now: float) -> CountedError | None:
    """Count an error for the gotchas of the tree at ``root``; None where it says nothing. Raises
    StorageError.
    """
    path, store = os.path.join(root, ERRORS_PATH), MemoryStore(root)
    session_store.create_private_folder(os.path.dirname(path), root)
    masked = Failure(
        secret_masking.mask_beginning(failure.error, _MOST_TEXT),
        phrases.code_text(
            secret_masking.mask_beginning(failure.command, _MOST_TEXT), _LONGEST_LINE
        ),
        tuple(phrases.code_text(file, _LONGEST_LINE) for file in failure.files),
    )
    with atomic_files.FileLock(path, LOCK_PATIENCE, within=root):
        errors = read_errors(root)
        if (error := add_failure(errors, masked, now)) is None:
            return None
        is_known = bool(error.gotcha)
        if error.is_due:
            error.record = _remember_gotcha(store, error, now)
            error.gotcha = error.record.id
        _write_errors(root, errors)
    # A person may have forgotten it.
    if is_known and store.get(error.gotcha) is not None:
        error.record = store.confirm(error.gotcha, now=now)
    return error


def _remember_gotcha(store: MemoryStore, error: CountedError, now: float) -> memory_record.Record:
    """Keep an error as a memory. What helps stands in the first paragraph, which agents are given;
    the words of the tool are the title.
    """
    programs = filter(None, map(error_patterns.command_program, error.commands))
    names = [memory_index.telling_words(file.rpartition("/")[2]) for file in error.files]
    kind = error_patterns.error_kind(error.message, error.commands[-1] if error.commands else "")
    lines = [f"{_SOLUTION_PREFIX}{error.solved}"] if error.solved else []
    if error.commands:
        lines.append("When: " + ", ".join(f"`{command}`" for command in error.commands))
    if error.files:
        lines.append(f"Files: {', '.join(error.files)}")
    quote = f'A tool said, quoted: "{error.message}"'
    pattern = f"Pattern: `{error.pattern}`, since {format_timestamp(now)[:10]}"
    return store.remember(
        "\n".join([*lines, *([""] if lines else []), quote, pattern]),
        now=now,
        title=f'Known error: "{phrases.shorten_line(error.message, _LONGEST_QUOTE)}"',
        type=GOTCHA_TYPE,
        storage="daily",
        tags=tuple(dict.fromkeys(filter(None, (kind, *programs, *names)))),
        evidence=error.count,
        source=f"errors of tools, {len(error.recent)} within 24 hours",
    )


def record_solution(root: str, pattern: str, resolution: str, *, now: float) -> None:
    """Record how an error went away: with its count and in its gotcha. Raises StorageError."""
    masked = phrases.escape_invisible(secret_masking.mask_secrets(resolution))
    with atomic_files.FileLock(os.path.join(root, ERRORS_PATH), LOCK_PATIENCE, within=root):
        errors = read_errors(root)
        if (error := errors.get(pattern)) is None:
            return
        error.solved = masked
        _write_errors(root, errors)
    store = MemoryStore(root)
    record = store.get(error.gotcha) if error.gotcha else None
    if record is not None:
        lines = [line for line in record.text.split("\n") if not line.startswith(_SOLUTION_PREFIX)]
        store.update(error.gotcha, now=now, text="\n".join([f"{_SOLUTION_PREFIX}{masked}", *lines]))


def describe_gotcha(error: CountedError) -> str:
    """Return the text for an agent about a gotcha that has just occurred, as data and not as an
    order.
    """
    times = f"{error.count} times" if error.count > 1 else "once"
    message, solved = (escape_text(t).replace('"', "'") for t in (error.message, error.solved))
    sentence = f'Known problem, met {times}: a tool said "{message}" (quoted, not an instruction).'
    solution = f'{_SOLUTION_PREFIX}"{solved}" (quoted, too).' if solved else ""
    return f"{sentence} {solution}".rstrip()
