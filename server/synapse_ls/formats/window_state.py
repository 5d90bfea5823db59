"""The state of a window: what one agent (client, session and sub-agent) has in context, and how.

In the session file under ``windows.{client}`` or ``windows.{client}:{agent}``. Values are replaced
and not mutated, unless a field says otherwise; unknown fields stay unchanged.
"""

from __future__ import annotations

from synapse_ls.formats.session_values import (
    COMPACTION,
    PROMPT,
    SESSION,
    Record,
    field,
    optional_field,
    read_all,
    read_as,
    read_count,
    read_each,
    read_mapping,
    read_number,
    read_shape,
    read_text,
    read_texts,
    read_whole,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    StandingEntries = dict[str, dict[str, str]]  # heading -> hash -> record, as `write_record`
    RecalledDomains = dict[str, tuple[str, tuple[str, ...]]]
    SeenMatch = tuple[int, tuple[str, ...], str]
    LastPrompt = tuple[str, str, float, str]
    MemoryFile = tuple[str, int]

# Why a domain came in -> why it is still there some prompts later.
RECALLED_CODES: Final = {
    "recall": "recalled",
    "turns": "recalled-turns",
    "paths": "recalled-paths",
    "memory": "recalled-memory",
}

_NO_RULES: Final[tuple[int, tuple[str, ...]]] = (0, ())
_NO_TRANSCRIPT: Final[tuple[str, int | None]] = ("", None)
_READ_TRANSCRIPT: Final = read_shape((str, int), (str, type(None)))
_READ_NUMBERED: Final = read_shape((int, list), (int, tuple))


# Fields of a window that a compaction ends, and a session that begins anew.
_DELIVERY: Final = (
    *("standing", "doubtful", "passing", "full_block_prompt", "full_block_bracket", "agents"),
    *("full_block_remaining", "full_block_source", "told_bracket", "owes_rules", "used"),
    *("usage_source", "owes_memories", "memory_files", "deliveries", "newest_message"),
    *("settled_turn", "sources", "session_hash", "next_change"),
)


# What the last full block leaves in a window.
FULL_BLOCK: Final = (
    *("full_block_prompt", "full_block_bracket", "full_block_remaining", "full_block_source"),
    "told_bracket",
)


def _read_standing(value: object) -> StandingEntries:
    """Return entries that stand in a window, {} where anything is wrong with them."""
    if not isinstance(value, dict):
        return {}
    for entries in value.values():
        if not isinstance(entries, dict):
            return {}
    return value


def _read_matches(value: object) -> dict[str, SeenMatch]:
    matches: dict[str, SeenMatch] = {}
    for label, match in read_mapping(value).items():
        if not isinstance(match, list | tuple) or len(match) != 3:
            continue
        at, words, code = match
        if isinstance(at, int) and isinstance(words, list | tuple) and code in RECALLED_CODES:
            matches[label] = (at, tuple(map(str, words)), code)
    return matches


def _read_numbered_texts(value: Any) -> tuple[int, tuple[str, ...]] | None:
    row = _READ_NUMBERED(value)
    return (row[0], read_texts(row[1])) if row else None


class Delivery(Record):
    """The record of a reply that was sent into a window, or of a compaction of it."""

    # `hash_text` of the reply, "" for a compaction.
    hash = field(("hash", read_text))
    # When it was sent, as `format_timestamp`; what the transcript has from before is another.
    since = field(("since", read_text))
    # Prompts in a row that were answered without it.
    missed = field(("missed", read_count))
    # Whether the transcript has shown it on the conversation's own branch.
    has_arrived = field(("arrived", bool))
    # What it changed in `standing`: heading -> hash -> the record before, "" for none.
    undo = field(("undo", _read_standing))
    # What was in `doubtful` before it and was no more behind it, in the same form as there.
    doubts = field(("doubts", _read_standing))
    # The agents that came into the window with it.
    agents = field(("agents", read_texts))
    # The fields of the last full block and the last bracket before it, by name.
    full_block = field(("before", read_mapping))


class WindowState(Record):
    """The record of one agent's window."""

    # Delivery. A compaction ends all of it, and so does a session that begins anew.
    # What the agent was told and still has: heading -> hash -> what to call the entry.
    standing = field(("stands", _read_standing))
    # What it may have beside that, in the same form; it is taken back once it is not wanted.
    doubtful = field(("maybe", _read_standing))
    # What stands for this turn, and may stand later; in the same form.
    passing = field(("passes", _read_standing))
    # The last full block: number of its prompt (None: none was sent) …
    full_block_prompt = optional_field(("prompt", read_whole))
    # … name of the bracket then …
    full_block_bracket = field(("bracket", read_text))
    # … percent of the window that were left …
    full_block_remaining = optional_field(("remaining", read_number))
    # … by figures of this source (`Usage.source`).
    full_block_source = field(("figures", read_text))
    # Name of the bracket at the last reply that said anything.
    told_bracket = field(("told_in", read_text))
    # Whether the last reply left something out, which follows.
    owes_rules = field(("owes", bool))
    # Usage at the last reply: tokens, or percent where a client tells those; None: not known …
    used = optional_field(("used", read_number))
    # … and the source of that figure (`Usage.source`).
    usage_source = field(("source", read_text))
    # Whether memories that begin a window were cut from the last reply, or late for it.
    owes_memories = field(("owed", bool))
    # The agents that have come into it and were told what they have to know.
    agents = field(("agents", read_texts))
    # Identity of a memory that was told -> its file, and the time of that in nanoseconds.
    memory_files: dict[str, MemoryFile] = field(("memories", read_each(read_shape((str, int)))))
    # The last replies, the oldest first. Each may be changed in place.
    deliveries: tuple[Delivery, ...] = field(("deliveries", read_all(read_as(Delivery))))
    # The client's id of the newest message when the transcript was last looked at, one that
    # stays whatever becomes of a prompt without an answer.
    newest_message = field(("newest", read_text))
    # The client's name for the turn whose place in the conversation is known.
    settled_turn = field(("settled", read_text))
    # What the last reply was made of: time of the plan in the cache, rule files.
    sources = optional_field(("made", _read_numbered_texts))
    # Who was at work on what then, as the session said, in a hash.
    session_hash = field(("state", read_text))
    # Tokens in use at which something changes by itself; None: never.
    next_change = optional_field(("until", read_whole))
    # The transcript and its bytes at the last reply. Where the conversation stands is known for
    # good; how long it was says nothing of a history that was compacted.
    transcript: tuple[str, int | None] = field(
        ("transcript", lambda value: _READ_TRANSCRIPT(value) or _NO_TRANSCRIPT)
    )

    # Whether its history was compacted and nothing was told since.
    is_compacted = field(("compacted", bool))

    # The turn. The replies of this turn by which a reply followed that left something out;
    # until the next prompt.
    follow_ups = field(("followed", read_count))
    # The star-commands of the prompt that is worked on; until it is answered.
    commands = field(("commands", read_texts))
    # The reply of this turn, of a client that keeps nothing; until anything happens.
    turn_reply: str | None = optional_field(
        ("text", lambda value: value if isinstance(value, str) else None)
    )
    # Number of a prompt, and the rules of which the agent was warned since; as long.
    warned = field(("warned", lambda value: _read_numbered_texts(value) or _NO_RULES))

    # Work; until the session begins anew.
    # What the guard could not tell when a tool was about to be used, until it was told.
    warnings = field(("warnings", read_texts))
    # Label of a domain -> prompt, words and code of its last match.
    recalled = field(("recall", _read_matches))
    # Path of a file that the agent touched -> the prompt then, the oldest first.
    files: dict[str, int] = field(("files", read_each(read_whole)))

    # What outlives all.
    # Hash of the last prompt, the client's name for the turn, time, stamp.
    last_prompt: LastPrompt | None = field(
        ("asked", read_shape((str, str, float, str), (str, str, int, str)))
    )
    # Which sub-agent it is, where not every event says it.
    agent = field(("agent", read_text))
    # Prompts of a sub-agent; those of the main window are the session's.
    prompts = field(("prompts", read_count))
    # Whether all was told again because a reply was missing, and none has arrived since.
    has_repeated = field(("doubted", bool))
    # Bytes of the client's record of the conversation when it was last looked through for a
    # summary, and what names the last one, ""; None: never.
    history: tuple[int, str] | None = optional_field(("history", read_shape((int, str))))

    def forget(self, event: str) -> None:
        """Forget what ``event`` ends: `TURN`, `PROMPT`, `COMPACTION` or `SESSION`."""
        self.turn_reply = None
        self.warned = _NO_RULES
        if event in (PROMPT, SESSION):
            self.follow_ups = 0
        if event != COMPACTION:
            self.commands = ()
        if event == SESSION:
            self.warnings = ()
            self.recalled = {}
            self.files = {}
        if event in (COMPACTION, SESSION):
            deliveries = self.deliveries
            compaction = Delivery()
            compaction.undo, compaction.doubts = self.standing, self.doubtful
            compaction.full_block = self.full_block()
            blank = vars(WindowState())
            vars(self).update((name, blank[name]) for name in _DELIVERY)
            self.transcript = self.transcript[0], None
        if event == COMPACTION:
            self.is_compacted = True
            is_counted = bool(deliveries) and not (deliveries[-1].hash or compaction.undo)
            if is_counted:  # its beginning and its end are two events
                self.deliveries = deliveries
            elif any(delivery.undo for delivery in deliveries):
                self.deliveries = (*deliveries, compaction)

    def full_block(self) -> dict[str, object]:
        """Return what is known of the last full block, by the names of the fields."""
        return {name: getattr(self, name) for name in FULL_BLOCK}

    def copy(self) -> WindowState:
        """Return a record with the same values, which can be replaced without changing this one."""
        same = object.__new__(WindowState)
        vars(same).update(vars(self))
        return same

    def recalled_domains(self, turn: int, prompts: int) -> RecalledDomains:
        """Return the domains that came in at most ``prompts`` prompts ago for what lasts a while,
        and why.
        """
        return {
            label: (code, words)
            for label, (at, words, code) in self.recalled.items()
            if 0 <= turn - at <= prompts
        }
