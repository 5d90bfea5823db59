"""This module is the state of a window: what one agent (client, session and sub-agent) has been
told, and how that was made.

It stands in the session document under ``windows.{client}`` or ``windows.{client}:{agent}``. The
latest window is the last one there.
"""

from __future__ import annotations

from synapse_ls.engine.domain_selection import RECALLED_CODES
from synapse_ls.storage.state_record import (
    ALL,
    COMPACTION,
    PROMPT,
    SESSION,
    TURN,
    Field,
    StateRecord,
    read_flag,
    read_mapping,
    read_optional_number,
    read_optional_whole,
    read_text,
    read_texts,
    read_whole,
    types_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.engine.delivery_difference import StandingEntries
    from synapse_ls.engine.situation import Recalled

    SeenMatch = tuple[int, tuple[str, ...], str]
    LastPrompt = tuple[str, str, float, str]
    MemoryFile = tuple[str, int]

_NUMBER_AND_LIST: Final = ((int, list), (int, tuple))
WAITING: Final = (TURN, PROMPT, COMPACTION)


def read_standing(value: object) -> StandingEntries:
    """Reads from the state of a window the entries that stand in it, by heading; {} where anything
    is wrong with them.
    """
    if not isinstance(value, dict) or not all(isinstance(v, dict) for v in value.values()):
        return {}
    return value


def _read_matches(value: object) -> dict[str, SeenMatch]:
    found: dict[str, SeenMatch] = {}
    for label, seen in value.items() if isinstance(value, dict) else ():
        if not isinstance(seen, list | tuple) or len(seen) not in (2, 3):
            continue
        # A match of two was written before there were other reasons.
        at, words, code = seen if len(seen) == 3 else (*seen, "recall")
        if isinstance(at, int) and isinstance(words, list | tuple) and code in RECALLED_CODES:
            found[label] = (at, tuple(map(str, words)), code)
    return found


def _read_file_turns(value: object) -> dict[str, int]:
    items = value.items() if isinstance(value, dict) else ()
    return {path: at for path, at in items if isinstance(at, int)}


def _read_memory_files(value: object) -> dict[str, MemoryFile]:
    items = value.items() if isinstance(value, dict) else ()
    return {name: (row[0], row[1]) for name, row in items if types_of(row) == (str, int)}


def _read_last_prompt(value: Any) -> LastPrompt | None:
    if types_of(value) not in ((str, str, float, str), (str, str, int, str)):
        return None
    hash_, turn, at, stamp = value
    return hash_, turn, at, stamp


def _read_transcript(value: Any) -> tuple[str, int | None]:
    shape = types_of(value)
    if shape == (str, int):
        return value[0], value[1]
    return (value[0], None) if shape[:1] == (str,) else ("", None)


def _read_history(value: Any) -> tuple[int, str] | None:
    return (value[0], value[1]) if types_of(value) == (int, str) else None


def _without_size(value: tuple[str, int | None]) -> tuple[str, None]:
    return value[0], None


def _read_deliveries(value: object) -> tuple[Delivery, ...]:
    rows = value if isinstance(value, list | tuple) else ()
    return tuple(Delivery(row) for row in rows if isinstance(row, dict))


def _read_sources(value: Any) -> tuple[int, tuple[str, ...]] | None:
    return (value[0], read_texts(value[1])) if types_of(value) in _NUMBER_AND_LIST else None


def _read_warned(value: Any) -> tuple[int, tuple[str, ...]]:
    return (value[0], read_texts(value[1])) if types_of(value) in _NUMBER_AND_LIST else (0, ())


class Delivery(StateRecord):
    """A Delivery is the record of a reply that was sent into a window. The attributes are described
    in FIELDS.
    """

    hash: str
    since: str
    missed: int
    has_arrived: bool
    undo: StandingEntries
    doubts: StandingEntries
    agents: tuple[str, ...]
    full_block: dict[str, Any]

    FIELDS = (
        # `hash_text` of the reply.
        Field("hash", "hash", read_text),
        # When it was sent, as `format_timestamp`; what the transcript has from before is another one.
        Field("since", "since", read_text),
        # Prompts in a row that were answered without it; 0.
        Field("missed", "missed", read_whole),
        # Whether the transcript has shown it on the conversation's own branch; False.
        Field("has_arrived", "arrived", read_flag),
        # What it changed in `standing`: heading -> hash -> the record before, "" for none; {}.
        Field("undo", "undo", read_standing),
        # What was in `doubtful` before it and was no more behind it, in the same form as there; {}.
        Field("doubts", "doubts", read_standing),
        # The agents that came into the window with it; ().
        Field("agents", "agents", read_texts),
        # The fields of the last full block and the last bracket before it, by name; {}.
        Field("full_block", "before", read_mapping),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class WindowState(StateRecord):
    """A WindowState is the record of one agent's window. The attributes are described in FIELDS."""

    standing: StandingEntries
    doubtful: StandingEntries
    passing: StandingEntries
    full_block_prompt: int | None
    full_block_bracket: str
    full_block_remaining: float | None
    full_block_source: str
    told_bracket: str
    is_compacted: bool
    owes_rules: bool
    follow_ups: int
    used: float | None
    usage_source: str
    owes_memories: bool
    agents: tuple[str, ...]
    memory_files: dict[str, MemoryFile]
    recalled: dict[str, SeenMatch]
    files: dict[str, int]
    commands: tuple[str, ...]
    turn_reply: str | None
    warned: tuple[int, tuple[str, ...]]
    warnings: tuple[str, ...]
    last_prompt: LastPrompt | None
    agent: str
    prompts: int
    deliveries: tuple[Delivery, ...]
    newest_message: str
    settled_turn: str
    has_repeated: bool
    sources: tuple[int, tuple[str, ...]] | None
    session_hash: str
    next_change: int | None
    transcript: tuple[str, int | None]
    history: tuple[int, str] | None

    FIELDS = (
        # Delivery. The defaults are those of a window that holds nothing.
        # What the agent was told and still has: heading -> hash -> what to call the entry.
        Field("standing", "stands", read_standing, (TURN, PROMPT)),
        # What it may have beside that, in the same form; it is taken back once it is not wanted.
        Field("doubtful", "maybe", read_standing, (TURN, PROMPT)),
        # What stands for this turn, and may stand later; in the same form.
        Field("passing", "passes", read_standing, (TURN, PROMPT)),
        # The last full block: number of its prompt (None: none was sent) …
        Field("full_block_prompt", "prompt", read_optional_whole, (TURN, PROMPT)),
        # … name of the bracket then, "" …
        Field("full_block_bracket", "bracket", read_text, (TURN, PROMPT)),
        # … and percent of the window that were left, None.
        Field("full_block_remaining", "remaining", read_optional_number, (TURN, PROMPT)),
        # … by figures of this source (`Usage.source`), "".
        Field("full_block_source", "figures", read_text, (TURN, PROMPT)),
        # Name of the bracket at the last reply that said anything, "".
        Field("told_bracket", "told_in", read_text, (TURN, PROMPT)),
        # Whether its history was compacted and nothing was told since; False.
        Field(
            "is_compacted",
            "compacted",
            read_flag,
            (TURN, PROMPT, SESSION),
            reduce=lambda _: True,
        ),
        # Whether the last reply left something out, which follows; False.
        Field("owes_rules", "owes", read_flag, (TURN, PROMPT)),
        # The replies of this turn by which it followed; 0.
        Field("follow_ups", "followed", read_whole, (TURN, COMPACTION)),
        # Usage at the last reply: tokens, or percent where a client tells those; None: not known …
        Field("used", "used", read_optional_number, (TURN, PROMPT)),
        # … and the source of that figure (`Usage.source`), "".
        Field("usage_source", "source", read_text, (TURN, PROMPT)),
        # Whether memories that begin a window were cut from the last reply, or late for it; False.
        Field("owes_memories", "owed", read_flag, (TURN, PROMPT)),
        # The agents that have come into it and were told what they have to know; ().
        Field("agents", "agents", read_texts, (TURN, PROMPT)),
        # Identity of a memory that was told -> its file, and the time of that in nanoseconds; {}.
        Field("memory_files", "memories", _read_memory_files, (TURN, PROMPT), is_nested=True),
        # What the guard could not tell when a tool was about to be used, until it was told; ().
        Field("warnings", "warnings", read_texts, WAITING),
        # The reply of this turn, of a client that keeps nothing; None: there was none.
        Field("turn_reply", "text", lambda v: v if isinstance(v, str) else None, ()),
        # Number of a prompt, and the rules of which the agent was warned since; (0, ()).
        Field("warned", "warned", _read_warned, (), is_nested=True),
        # Work. The defaults are those of a window in which nothing was done.
        # Label of a domain -> prompt, words and code of its last match; {}.
        Field("recalled", "recall", _read_matches, WAITING, is_nested=True),
        # Path of a file that the agent touched -> the prompt then, the oldest first; {}.
        Field("files", "files", _read_file_turns, WAITING),
        # The star-commands of the prompt that is worked on; ().
        Field("commands", "commands", read_texts, (COMPACTION,)),
        # Hash of the last prompt, the client's name for the turn, time, stamp; None: none came.
        Field("last_prompt", "asked", _read_last_prompt, ALL),
        # Which sub-agent it is, where not every event says it; "".
        Field("agent", "agent", read_text, ALL),
        # Prompts of a sub-agent; those of the main window are the session's; 0.
        Field("prompts", "prompts", read_whole, ALL),
        # Confirmation. The last replies, the oldest first; ().
        Field("deliveries", "deliveries", _read_deliveries, (TURN, PROMPT), is_nested=True),
        # The client's id of the newest message when the transcript was last looked at, one that
        # stays whatever becomes of a prompt without an answer; "".
        Field("newest_message", "newest", read_text, (TURN, PROMPT)),
        # The client's name for the turn whose place in the conversation is known; "".
        Field("settled_turn", "settled", read_text, (TURN, PROMPT)),
        # Whether all was told again because a reply was missing, and none has arrived since; False.
        Field("has_repeated", "doubted", read_flag, ALL),
        # Freshness. What the last reply was made of: time of the plan in the cache, rule files; None.
        Field("sources", "made", _read_sources, (TURN, PROMPT), is_nested=True),
        # Who was at work on what then, as the session said, in a hash; "".
        Field("session_hash", "state", read_text, (TURN, PROMPT)),
        # Tokens in use at which something changes by itself; None: never.
        Field("next_change", "until", read_optional_whole, (TURN, PROMPT)),
        # The transcript and its bytes at the last reply; ("", None). Where the conversation stands
        # is known for good; how long it was says nothing of a history that was compacted.
        Field("transcript", "transcript", _read_transcript, (TURN, PROMPT), reduce=_without_size),
        # Bytes of the client's record of the conversation when it was last looked through for a
        # summary, and what names the last one, ""; None: never.
        Field("history", "history", _read_history, ALL),
    )
    __slots__ = tuple(field.name for field in FIELDS)

    @property
    def is_empty(self) -> bool:
        """Returns whether nothing that the agent was told stands in its window."""
        return not (self.standing or self.passing)

    def recalled_domains(self, turn: int, prompts: int) -> Recalled:
        """Returns the domains that came in at most ``prompts`` prompts ago for what lasts a while,
        and why.
        """
        return {
            label: (code, words)
            for label, (at, words, code) in self.recalled.items()
            if 0 <= turn - at <= prompts
        }
