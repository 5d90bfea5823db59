"""A session's marks for due digests and hand-offs, which outlive compactions."""

from __future__ import annotations

from synapse_ls.formats.state_values import (
    PROMPT,
    put_values,
    read_count,
    read_mapping,
    read_number,
    read_optional_count,
    read_optional_text,
    read_record,
    read_text,
    read_texts,
    types_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.formats.state_values import Document

    UnsolvedError = tuple[str, str, int]
    ReportedError = tuple[str, str, int, str]

# Why a digest is due.
COMPACTION_REASON: Final = "compact"
ENDED_REASON: Final = "ended"
CRITICAL_REASON: Final = "critical"
# From how many on a new session is better (Chati Context Engine, "Spawn Decision Criteria").
MAX_COMPACTIONS: Final = 3
MAX_CRITICAL_STREAK: Final = 3  # prompts in a row in the last bracket
MAX_TRIES: Final = 3  # times that a digest is tried to be made


class DueDigest:
    """A digest that is to be made. It outlives all but the making of it."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        # One of the reasons above, or of `digest_worker`.
        self.reason = read_text(find("reason"))
        # The file that the conversation stands in.
        self.transcript = read_text(find("transcript"))
        # When it became due, in seconds since 1970.
        self.at = read_number(find("at"))
        # How often somebody has tried to make it.
        self.tries = read_count(find("tries"))

    def to_document(self) -> Document:
        values = {"reason": self.reason, "transcript": self.transcript}
        return put_values({**self._document, "tries": self.tries}, values, {"at": self.at})


class DigestProgress:
    """How far digests have read a conversation. It outlives all but the next digest."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        # The file that the conversation stands in.
        self.transcript = read_text(find("transcript"))
        # The turns that were read.
        self.turns = read_count(find("turns"))
        # The sizes of the last turn's parts, which may have grown since.
        value = find("last")
        sizes = value if isinstance(value, list | tuple) else ()
        self.last = tuple(size if isinstance(size, int) and size >= 0 else 0 for size in sizes)
        # Message, what failed and how often of the errors that nobody had solved.
        unsolved_value = find("failed")
        rows = unsolved_value if isinstance(unsolved_value, list | tuple) else ()
        self.unsolved = tuple((r[0], r[1], r[2]) for r in rows if types_of(r) == (str, str, int))
        # When the last digest was made, in UTC.
        self.at = read_optional_text(find("at"))
        # Path of its page from the root, "" where none was ever written.
        self.digest = read_text(find("digest"))
        # Who was at work at the end of it.
        self.agent = read_text(find("agent"))

    def to_document(self) -> Document:
        document = {
            **self._document,
            "turns": self.turns,
            "last": [*self.last],
            "failed": [*self.unsolved],
            "digest": self.digest,
            "agent": self.agent,
        }
        return put_values(document, {"transcript": self.transcript, "at": self.at}, {})


class FailingCommand:
    """What a digest needs to know of a command that has failed: what was done since, until it
    succeeds.
    """

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        # Pattern of the error.
        self.pattern = read_optional_text(document.get("pattern"))
        # When it failed last, in seconds since 1970.
        self.at = read_number(document.get("at")) or 0.0
        # What was done since, in words.
        self.steps = read_texts(document.get("done"))

    def to_document(self) -> Document:
        values = {"pattern": self.pattern, "at": self.at}
        return put_values({**self._document, "done": [*self.steps]}, values, {})


class AgentScore:
    """The score of an agent by the tree's own state when a digest was made because of a
    compaction.
    """

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        self.before = read_number(document.get("before"))
        self.agent = read_optional_text(document.get("agent"))

    def to_document(self) -> Document:
        return put_values({**self._document}, {"agent": self.agent}, {"before": self.before})


class RecoveryMarks:
    """The marks of a session for digests and hand-offs."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        # The digest that is to be made.
        due = read_record(find("due"))
        self.due = DueDigest(due) if due else None
        # How far the last one has read; None: there was none.
        done = read_record(find("done"))
        self.done = DigestProgress(done) if done else None
        # The hand-off notes (`handoff_notes`).
        self.notes = read_mapping(find("carried"))
        # When a session was begun to go on.
        self.spawned: Any = find("spawned")
        # Whether a person has thrown the history away, and written nothing since.
        self.is_cleared = find("cleared") is True
        # Prompts in a row in the last bracket; None: there was none yet.
        self.critical_streak = read_optional_count(find("streak"))
        # Codes of the criteria for a new session that the agent was advised of.
        self.advised = read_texts(find("advised"))
        # Command that fails -> what is known of it. Changed in place.
        value = find("failing")
        items = value.items() if isinstance(value, dict) else ()
        self.failing = {
            key: FailingCommand(entry) for key, entry in items if isinstance(entry, dict)
        }
        # Pattern of an error that a client's transcript does not tell of -> message, what failed,
        # how often, how it went away, until a digest has told that.
        reported_value = find("met")
        reported_items = reported_value.items() if isinstance(reported_value, dict) else ()
        shape = (str, str, int, str)
        self.reported_errors = {
            key: (r[0], r[1], r[2], r[3]) for key, r in reported_items if types_of(r) == shape
        }
        score = read_record(find("scores"))
        self.score = AgentScore(score) if score else None

    def to_document(self) -> Document:
        values = {
            "due": self.due and self.due.to_document(),
            "done": self.done and self.done.to_document(),
            "carried": self.notes,
            "cleared": self.is_cleared,
            "advised": self.advised,
            "failing": {key: entry.to_document() for key, entry in self.failing.items()},
            "met": self.reported_errors,
            "scores": self.score and self.score.to_document(),
        }
        numbers = {"spawned": self.spawned, "streak": self.critical_streak}
        return put_values({**self._document}, values, numbers)

    def forget(self, event: str) -> None:
        """Forget what ``event`` ends."""
        if event == PROMPT:
            self.is_cleared = False
