"""The state of a window: what one agent (client, session and sub-agent) has in context, and how.

In the session file under ``windows.{client}`` or ``windows.{client}:{agent}``. Values are replaced
and not mutated, unless a field says otherwise; unknown fields stay unchanged.
"""

from __future__ import annotations

from synapse_ls.formats import state_values

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


class Delivery:
    """The record of a reply that was sent into a window, or of a compaction of it."""

    def __init__(self, document: state_values.Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        # `hash_text` of the reply, "" for a compaction.
        self.hash = state_values.read_text(find("hash"))
        # When it was sent, as `format_timestamp`; what the transcript has from before is another.
        self.since = state_values.read_text(find("since"))
        # Prompts in a row that were answered without it.
        self.missed = state_values.read_count(find("missed"))
        # Whether the transcript has shown it on the conversation's own branch.
        self.has_arrived = find("arrived") is True
        # What it changed in `standing`: heading -> hash -> the record before, "" for none.
        self.undo = _read_standing(find("undo"))
        # What was in `doubtful` before it and was no more behind it, in the same form as there.
        self.doubts = _read_standing(find("doubts"))
        # The agents that came into the window with it.
        self.agents = state_values.read_texts(find("agents"))
        # The fields of the last full block and the last bracket before it, by name.
        self.full_block = state_values.read_mapping(find("before"))

    def to_document(self) -> state_values.Document:
        values = {
            "hash": self.hash,
            "since": self.since,
            "missed": self.missed,
            "arrived": self.has_arrived,
            "undo": self.undo,
            "doubts": self.doubts,
            "agents": self.agents,
            "before": self.full_block,
        }
        return state_values.put_values({**self._document}, values, {})


class WindowState:
    """The record of one agent's window."""

    def __init__(self, document: state_values.Document | None = None) -> None:
        self._document = document = document if isinstance(document, dict) else {}
        find = document.get

        # Delivery. A compaction ends all of it, and so does a session that begins anew.
        # What the agent was told and still has: heading -> hash -> what to call the entry.
        self.standing = _read_standing(find("stands"))
        # What it may have beside that, in the same form; it is taken back once it is not wanted.
        self.doubtful = _read_standing(find("maybe"))
        # What stands for this turn, and may stand later; in the same form.
        self.passing = _read_standing(find("passes"))
        # The last full block: number of its prompt (None: none was sent) …
        self.full_block_prompt = state_values.read_whole(find("prompt"))
        # … name of the bracket then …
        self.full_block_bracket = state_values.read_text(find("bracket"))
        # … percent of the window that were left …
        self.full_block_remaining = state_values.read_number(find("remaining"))
        # … by figures of this source (`Usage.source`).
        self.full_block_source = state_values.read_text(find("figures"))
        # Name of the bracket at the last reply that said anything.
        self.told_bracket = state_values.read_text(find("told_in"))
        # Whether the last reply left something out, which follows.
        self.owes_rules = find("owes") is True
        # Usage at the last reply: tokens, or percent where a client tells those; None: not known …
        self.used = state_values.read_number(find("used"))
        # … and the source of that figure (`Usage.source`).
        self.usage_source = state_values.read_text(find("source"))
        # Whether memories that begin a window were cut from the last reply, or late for it.
        self.owes_memories = find("owed") is True
        # The agents that have come into it and were told what they have to know.
        self.agents = state_values.read_texts(find("agents"))
        # Identity of a memory that was told -> its file, and the time of that in nanoseconds.
        files = state_values.read_mapping(find("memories")).items()
        self.memory_files = {
            k: (v[0], v[1]) for k, v in files if state_values.types_of(v) == (str, int)
        }
        # The last replies, the oldest first. Each may be changed in place.
        rows: Any = find("deliveries")
        rows = rows if isinstance(rows, list | tuple) else ()
        self.deliveries = tuple(Delivery(row) for row in rows if isinstance(row, dict))
        # The client's id of the newest message when the transcript was last looked at, one that
        # stays whatever becomes of a prompt without an answer.
        self.newest_message = state_values.read_text(find("newest"))
        # The client's name for the turn whose place in the conversation is known.
        self.settled_turn = state_values.read_text(find("settled"))
        # What the last reply was made of: time of the plan in the cache, rule files.
        self.sources = _read_numbered_texts(find("made"))
        # Who was at work on what then, as the session said, in a hash.
        self.session_hash = state_values.read_text(find("state"))
        # Tokens in use at which something changes by itself; None: never.
        self.next_change = state_values.read_whole(find("until"))
        # The transcript and its bytes at the last reply. Where the conversation stands is known for
        # good; how long it was says nothing of a history that was compacted.
        self.transcript = _read_transcript(find("transcript"))

        # Whether its history was compacted and nothing was told since.
        self.is_compacted = find("compacted") is True

        # The turn. The replies of this turn by which a reply followed that left something out;
        # until the next prompt.
        self.follow_ups = state_values.read_count(find("followed"))
        # The star-commands of the prompt that is worked on; until it is answered.
        self.commands = state_values.read_texts(find("commands"))
        # The reply of this turn, of a client that keeps nothing; until anything happens.
        reply = find("text")
        self.turn_reply: str | None = reply if isinstance(reply, str) else None
        # Number of a prompt, and the rules of which the agent was warned since; as long.
        self.warned = _read_numbered_texts(find("warned")) or _NO_RULES

        # Work; until the session begins anew.
        # What the guard could not tell when a tool was about to be used, until it was told.
        self.warnings = state_values.read_texts(find("warnings"))
        # Label of a domain -> prompt, words and code of its last match.
        self.recalled = _read_matches(find("recall"))
        # Path of a file that the agent touched -> the prompt then, the oldest first.
        turns = state_values.read_mapping(find("files"))
        self.files = {path: at for path, at in turns.items() if isinstance(at, int)}

        # What outlives all.
        # Hash of the last prompt, the client's name for the turn, time, stamp.
        self.last_prompt = _read_last_prompt(find("asked"))
        # Which sub-agent it is, where not every event says it.
        self.agent = state_values.read_text(find("agent"))
        # Prompts of a sub-agent; those of the main window are the session's.
        self.prompts = state_values.read_count(find("prompts"))
        # Whether all was told again because a reply was missing, and none has arrived since.
        self.has_repeated = find("doubted") is True
        # Bytes of the client's record of the conversation when it was last looked through for a
        # summary, and what names the last one, ""; None: never.
        self.history = _read_history(find("history"))

    def to_document(self) -> state_values.Document:
        values = {
            "stands": self.standing,
            "maybe": self.doubtful,
            "passes": self.passing,
            "bracket": self.full_block_bracket,
            "figures": self.full_block_source,
            "told_in": self.told_bracket,
            "owes": self.owes_rules,
            "source": self.usage_source,
            "owed": self.owes_memories,
            "agents": self.agents,
            "memories": self.memory_files,
            "deliveries": [delivery.to_document() for delivery in self.deliveries],
            "newest": self.newest_message,
            "settled": self.settled_turn,
            "made": self.sources,
            "state": self.session_hash,
            "compacted": self.is_compacted,
            "followed": self.follow_ups,
            "commands": self.commands,
            "warned": None if self.warned == _NO_RULES else self.warned,
            "warnings": self.warnings,
            "recall": self.recalled,
            "files": self.files,
            "asked": self.last_prompt,
            "agent": self.agent,
            "prompts": self.prompts,
            "doubted": self.has_repeated,
            "history": self.history,
            "transcript": None if self.transcript == _NO_TRANSCRIPT else self.transcript,
        }
        numbers = {
            "prompt": self.full_block_prompt,
            "remaining": self.full_block_remaining,
            "used": self.used,
            "text": self.turn_reply,
            "until": self.next_change,
        }
        return state_values.put_values({**self._document}, values, numbers)

    def forget(self, event: str) -> None:
        """Forget what ``event`` ends: `TURN`, `PROMPT`, `COMPACTION` or `SESSION`."""
        self.turn_reply = None
        self.warned = _NO_RULES
        if event in (state_values.PROMPT, state_values.SESSION):
            self.follow_ups = 0
        if event != state_values.COMPACTION:
            self.commands = ()
        if event == state_values.SESSION:
            self.warnings = ()
            self.recalled = {}
            self.files = {}
        if event in (state_values.COMPACTION, state_values.SESSION):
            deliveries = self.deliveries
            compaction = Delivery()
            compaction.undo, compaction.doubts = self.standing, self.doubtful
            compaction.full_block = self.full_block()
            blank = vars(WindowState())
            vars(self).update((name, blank[name]) for name in _DELIVERY)
            self.transcript = self.transcript[0], None
        if event == state_values.COMPACTION:
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
    for label, match in state_values.read_mapping(value).items():
        if not isinstance(match, list | tuple) or len(match) not in (2, 3):
            continue
        # A match of two was written before there were other reasons.
        at, words, code = match if len(match) == 3 else (*match, "recall")
        if isinstance(at, int) and isinstance(words, list | tuple) and code in RECALLED_CODES:
            matches[label] = (at, tuple(map(str, words)), code)
    return matches


def _read_last_prompt(value: Any) -> LastPrompt | None:
    if state_values.types_of(value) not in ((str, str, float, str), (str, str, int, str)):
        return None
    hash_, turn, at, stamp = value
    return hash_, turn, at, stamp


def _read_transcript(value: Any) -> tuple[str, int | None]:
    shape = state_values.types_of(value)
    if shape == (str, int):
        return value[0], value[1]
    return (value[0], None) if shape[:1] == (str,) else _NO_TRANSCRIPT


def _read_history(value: Any) -> tuple[int, str] | None:
    return (value[0], value[1]) if state_values.types_of(value) == (int, str) else None


def _read_numbered_texts(value: Any) -> tuple[int, tuple[str, ...]] | None:
    if state_values.types_of(value) not in ((int, list), (int, tuple)):
        return None
    return value[0], state_values.read_texts(value[1])
