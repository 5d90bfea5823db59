"""A session's marks for due digests and hand-offs, which outlive compactions."""

from __future__ import annotations

from synapse_ls.formats.state_values import (
    PROMPT,
    Record,
    field,
    read_any,
    read_as,
    read_count,
    read_each,
    read_mapping,
    read_number,
    read_optional_count,
    read_optional_text,
    read_switch,
    read_text,
    read_texts,
    types_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

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


def _read_sizes(value: Any) -> tuple[int, ...]:
    sizes = value if isinstance(value, list | tuple) else ()
    return tuple(size if isinstance(size, int) and size >= 0 else 0 for size in sizes)


def _read_unsolved(value: Any) -> tuple[UnsolvedError, ...]:
    rows = value if isinstance(value, list | tuple) else ()
    return tuple((r[0], r[1], r[2]) for r in rows if types_of(r) == (str, str, int))


def _read_reported(value: Any) -> dict[str, ReportedError]:
    return {
        key: (r[0], r[1], r[2], r[3])
        for key, r in read_mapping(value).items()
        if types_of(r) == (str, str, int, str)
    }


class DueDigest(Record):
    """A digest that is to be made. It outlives all but the making of it."""

    # One of the reasons above, or of `digest_worker`.
    reason = field("reason", read_text)
    # The file that the conversation stands in.
    transcript = field("transcript", read_text)
    # When it became due, in seconds since 1970.
    at = field("at", read_number)
    # How often somebody has tried to make it.
    tries = field("tries", read_count, is_fixed=True)


class DigestProgress(Record):
    """How far digests have read a conversation. It outlives all but the next digest."""

    # The file that the conversation stands in.
    transcript = field("transcript", read_text)
    # The turns that were read.
    turns = field("turns", read_count, is_fixed=True)
    # The sizes of the last turn's parts, which may have grown since.
    last = field("last", _read_sizes, is_fixed=True)
    # Message, what failed and how often of the errors that nobody had solved.
    unsolved = field("failed", _read_unsolved, is_fixed=True)
    # When the last digest was made, in UTC.
    at = field("at", read_optional_text)
    # Path of its page from the root, "" where none was ever written.
    digest = field("digest", read_text, is_fixed=True)
    # Who was at work at the end of it.
    agent = field("agent", read_text, is_fixed=True)


class FailingCommand(Record):
    """What a digest needs to know of a command that has failed: what was done since, until it
    succeeds.
    """

    # Pattern of the error.
    pattern = field("pattern", read_optional_text)
    # When it failed last, in seconds since 1970.
    at = field("at", lambda value: read_number(value) or 0.0)
    # What was done since, in words.
    steps = field("done", read_texts, is_fixed=True)


class AgentScore(Record):
    """The score of an agent by the tree's own state when a digest was made because of a
    compaction.
    """

    before = field("before", read_number)
    agent = field("agent", read_optional_text)


class RecoveryMarks(Record):
    """The marks of a session for digests and hand-offs."""

    # The digest that is to be made.
    due = field("due", read_as(DueDigest))
    # How far the last one has read; None: there was none.
    done = field("done", read_as(DigestProgress))
    # The hand-off notes (`handoff_notes`).
    notes = field("carried", read_mapping)
    # When a session was begun to go on.
    spawned = field("spawned", read_any)
    # Whether a person has thrown the history away, and written nothing since.
    is_cleared = field("cleared", read_switch)
    # Prompts in a row in the last bracket; None: there was none yet.
    critical_streak = field("streak", read_optional_count)
    # Codes of the criteria for a new session that the agent was advised of.
    advised = field("advised", read_texts)
    # Command that fails -> what is known of it. Changed in place.
    failing = field("failing", read_each(FailingCommand))
    # Pattern of an error that a client's transcript does not tell of -> message, what failed,
    # how often, how it went away, until a digest has told that.
    reported_errors = field("met", _read_reported)
    score = field("scores", read_as(AgentScore))

    def forget(self, event: str) -> None:
        """Forget what ``event`` ends."""
        if event == PROMPT:
            self.is_cleared = False
