"""Read usage of the context window and the replies of hooks from a transcript of Claude Code.

``~/.claude/projects/{project}/{session}.jsonl``, a record per line. An ``assistant`` record has the
usage of one model call; its three kinds of input tokens add up to what is in the window. Turns of
sub-agents are marked ``isSidechain``. At ``compact_boundary`` the history was replaced.
"""

from __future__ import annotations

import os

from synapse_ls.integrations import model_windows, transcript_tail
from synapse_ls.integrations.transcript_tail import (
    first_record,
    inner_object,
    lines_backward,
    parse_record,
    string_value,
    token_count,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, Final

ORIGIN: Final = "Claude Code's transcript"
INPUT_TOKEN_FIELDS: Final = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)

_MESSAGE_TYPES: Final = ("user", "assistant", "attachment", "system")
_PARENT_MARK: Final = b'{"parentUuid":"'
_FORK_MARK: Final = b'"requestSessionId":"'  # of an answer in the session that was forked
_HEAD_LENGTH: Final = 512  # bytes of a line that say what kind of record it holds
_PLAIN_MARKS: Final = (b'"role":"assistant"', b'"type":"tool_result"')


def read_usage(path: str, model: str = "") -> dict[str, object] | None:
    """Return tokens in use and the window's size in Claude Code, from the last model call of the
    main conversation.

    After a compaction that no call has followed yet: what the client says is left of the
    history, or None. ``model`` is the id that the event names; it may say what the transcript
    does not, that the window is the long one.
    """
    remaining = -1  # tokens that a later compaction has left; -1: there was none
    for line in lines_backward(path):
        if remaining < 0 and b"compact_boundary" in line:
            record = parse_record(line)
            if _is_boundary(record):
                remaining = token_count(inner_object(record, "compactMetadata").get("postTokens"))
                if not remaining:
                    return None
            continue
        if b'"usage"' not in line or b'"assistant"' not in line:
            continue
        record = parse_record(line)
        # A count that is none: what says nothing must not pass for an empty window.
        counts = map(_spent_tokens(record).get, INPUT_TOKEN_FIELDS)
        odd = next((n for n in counts if n is not None and (type(n) is not int or n < 0)), None)
        if odd is not None:
            return {"used": odd, "window": None, "model": record_model(record), "origin": ORIGIN}
        if used := sent_tokens(record):
            name = record_model(record)
            window = model_window(_mark_long_window(name, model), max(used, remaining))
            used = used if remaining < 0 else remaining
            return {"used": used, "window": window, "model": name, "origin": ORIGIN}
    return None


def sent_tokens(record: dict[str, Any]) -> int:
    """Return how many tokens the model call of a Claude Code record was sent; 0 where it is no call
    of the main agent.
    """
    return sum(map(token_count, map(_spent_tokens(record).get, INPUT_TOKEN_FIELDS)))


def _spent_tokens(record: dict[str, Any]) -> dict[str, Any]:
    """Return the counts of tokens of a model call, none where the record is no call of the main
    agent.
    """
    is_main = record.get("type") == "assistant" and record.get("isSidechain") is not True
    return inner_object(record, "message", "usage") if is_main else {}


def record_model(record: dict[str, Any]) -> str:
    """Return the id of the model that an ``assistant`` record of Claude Code names, or ""."""
    return string_value(inner_object(record, "message").get("model"))


def model_window(model: str, used: int) -> int | None:
    """Return the window of ``model`` in Claude Code; more in use than that raises it to the next
    one.

    The long window is off by ``CLAUDE_CODE_DISABLE_1M_CONTEXT``, and on other people's clouds
    and gateways where the id does not ask for it.
    """
    if (window := model_windows.model_window(model)) is None:
        short = model_windows.SHORT_TOKENS
        return model_windows.raise_window(short, used) if used > short else None
    base = os.environ.get("ANTHROPIC_BASE_URL", "")
    is_foreign = (
        _is_switched_on("CLAUDE_CODE_USE_BEDROCK")
        or _is_switched_on("CLAUDE_CODE_USE_VERTEX")
        or bool(base and "anthropic.com" not in base)
    )
    is_short = _is_switched_on("CLAUDE_CODE_DISABLE_1M_CONTEXT") or (
        is_foreign and not model.endswith(model_windows.LONG_MARK)
    )
    if is_short and "claude" in model.lower():
        window = min(window, model_windows.SHORT_TOKENS)
    return model_windows.raise_window(window, used, model)


def _mark_long_window(model: str, event_model: str) -> str:
    """Return ``model`` with the mark of the long window where the event or the environment asks for
    it.
    """
    for long_model in (event_model, os.environ.get("ANTHROPIC_MODEL", "")):
        stem = long_model.removesuffix(model_windows.LONG_MARK)
        is_marked = stem not in ("", long_model)
        if is_marked and model_windows.normalise_model(stem) in model_windows.normalise_model(
            model
        ):
            return model.removesuffix(model_windows.LONG_MARK) + model_windows.LONG_MARK
    return model


def _is_switched_on(variable: str) -> bool:
    return os.environ.get(variable, "").lower() in ("1", "true", "yes", "on")


def _is_boundary(record: dict[str, Any]) -> bool:
    return record.get("subtype") == "compact_boundary" and record.get("isSidechain") is not True


def forked_from(path: str) -> str:
    """Return the id of the session that ``/branch`` has forked this one from, "" for none; of
    ``--fork-session`` the transcript says it too late.
    """
    return string_value(inner_object(first_record(path), "forkedFrom").get("sessionId"))


def read_branch(
    path: str, hashes: Collection[str], newest: str = "", turn: str = ""
) -> transcript_tail.Branch:
    """Read back the branch of the conversation that leads to its newest message, to where it was
    read before.

    hashes: `hash_text` of the replies that are looked for. newest: id of the newest message then,
    "" where nobody has looked. turn: the client's name for the turn that is worked on.

    A record names the one before it as ``parentUuid``. A prompt that was cancelled before its first
    answer, and what a rewind has taken back, lead to no newer message: the next prompt has their
    own parent. Until that prompt is written, one that was cancelled looks like one that waits.
    """
    reader = _BranchReader(hashes, newest, turn)
    for line in lines_backward(path, transcript_tail.DEEPEST_BRANCH):
        if not reader.add_line(line):
            break
    return reader.close()


class _BranchReader:
    """A reader of a branch, from its end.

    parent: id of the record that comes next on the branch; None: any is, "": none does. begins:
    whether the record before it may stand where something was taken back; then what lies between
    them is another branch, else it belongs to the turn, as the attachments of a tool's hooks do.
    skipped, skipped_boundary: the texts there, and when the newest summary there was made.
    unanswered: the texts since a prompt that may be cancelled. is_settled: whether something has
    answered the prompts from here on back.
    """

    def __init__(self, hashes: Collection[str], newest: str, turn: str) -> None:
        self.branch = transcript_tail.Branch()
        self.hashes = hashes
        self.newest = newest
        self.turn = turn
        self.parent: str | None = None
        self.begins = False
        self.skipped: list[tuple[str, str]] = []
        self.skipped_boundary = ""
        self.unanswered: list[tuple[str, str]] = []
        self.is_settled = False

    def add_line(self, line: bytes) -> bool:
        """Take the line before those that were read; return whether more are needed."""
        if not (self.newest or self.branch.forked_from) and _FORK_MARK in line:
            name = line.partition(_FORK_MARK)[2].partition(b'"')[0]
            self.branch.forked_from = name.decode("ascii", "replace")
        if self.parent == "" or (self.parent and not _has_identity(line, self.parent)):
            if b"hook_additional_context" in line:
                self.skipped += self._sought_texts(parse_record(line))
            elif b"compact_boundary" in line and _is_boundary(parse_record(line)):
                self.skipped_boundary = self.skipped_boundary or _time_of(parse_record(line))
            return True
        record: dict[str, Any] | None = None
        identity: str = self.parent or ""
        parent: str | None
        head = line[:_HEAD_LENGTH]
        if (
            self.parent
            and self.branch.answered
            and (self.branch.has_turn or not self.turn)
            and head.startswith(_PARENT_MARK)
            and any(mark in head for mark in _PLAIN_MARKS)
        ):
            # As most lines of a long turn: of interest is only what it follows.
            start = len(_PARENT_MARK)
            parent = line[start : line.index(b'"', start)].decode("ascii", "replace")
        else:
            record = parse_record(line)
            # The ids of a record and of the one that it follows; of one without ids it is the one
            # before it in the file (None).
            identity, parent = string_value(record.get("uuid")), record.get("parentUuid")
            if not identity or "parentUuid" not in record:
                identity, parent = "", None
            elif not isinstance(parent, str):
                parent = ""
            # The newest message of the main conversation is looked for.
            is_main = record.get("isSidechain") is not True
            is_message = is_main and (identity or record.get("type") in _MESSAGE_TYPES)
            if self.parent is None and not is_message:
                return True
        self._close_gap()
        self.branch.last = self.branch.last or identity
        if self.newest and identity == self.newest:
            self._settle(identity)
            return False
        self.begins = False
        if record is not None:
            self._add_record(record, identity, parent or "")
            if _is_boundary(record):
                self.branch.compacted = _time_of(record)
                return False
        self.parent = parent
        if parent == "":
            return self.begins  # before the first prompt there is only what was cancelled
        is_enough = self.is_settled and (self.branch.has_turn or not self.turn)
        return bool(self.hashes or self.newest) or not is_enough

    def _close_gap(self) -> None:
        """Decide about what lies between two records of the branch."""
        if self.begins:
            self._place(self.skipped, transcript_tail.OFF_BRANCH)
            self.branch.dropped = self.branch.dropped or self.skipped_boundary
        else:
            self._place_here(self.skipped)
        self.skipped, self.skipped_boundary = [], ""

    def _add_record(self, record: dict[str, Any], identity: str, parent: str) -> None:
        is_answer = record.get("type") == "assistant"
        starts = inner_object(record, "attachment").get("hookEvent") == "SessionStart"
        # What the client writes in the place of an answer that was stopped is no prompt.
        content = inner_object(record, "message").get("content")
        first = content[0] if isinstance(content, list) and content else content
        text = first.get("text") if isinstance(first, dict) else first
        is_stopped = isinstance(text, str) and text.startswith("[Request interrupted")
        if is_answer or starts or is_stopped:
            self._settle(identity)  # no prompt before it can be cancelled any more
        if is_answer and not self.branch.answered and sent_tokens(record):
            self.branch.answered = _time_of(record)
        self._place_here(self._sought_texts(record))
        is_prompt_record = is_prompt(record) and not is_stopped
        self.begins = (
            is_prompt_record
            or starts
            or record.get("type") == "system"
            or record.get("isMeta") is True
        )
        if is_prompt_record and not self.is_settled:
            self._place(self.unanswered, transcript_tail.UNSETTLED)
            self.unanswered = []
            self._settle(parent)
        if self.branch.answered and record.get("promptId") == self.turn:
            self.branch.has_turn = True

    def _settle(self, newest: str) -> None:
        if not self.is_settled:
            self.is_settled = True
            self.branch.newest = newest
            self._place(self.unanswered, transcript_tail.ON_BRANCH)
            self.unanswered = []

    def _sought_texts(self, record: dict[str, Any]) -> list[tuple[str, str]]:
        sought = transcript_tail.sought_hashes(injected_texts(record), self.hashes)
        return [(identity, _time_of(record)) for identity in sought]

    def _place_here(self, texts: list[tuple[str, str]]) -> None:
        if self.is_settled:
            self._place(texts, transcript_tail.ON_BRANCH)
        else:
            self.unanswered += texts

    def _place(self, texts: list[tuple[str, str]], place: str) -> None:
        self.branch.texts += ((identity, time, place) for identity, time in texts)

    def close(self) -> transcript_tail.Branch:
        """End the reading; what lies between records of which one was not read stays open."""
        self._settle("")
        if self.parent == "":
            self._close_gap()
        return self.branch


def _has_identity(line: bytes, identity: str) -> bool:
    """Return whether a line holds the record with this id, without parsing it."""
    quoted = f'"{identity}"'.encode()
    start = line.rfind(quoted)  # it stands behind the message
    while start >= 0:
        if line[max(0, start - 16) : start].rstrip().endswith(b'"uuid":'):
            return True
        start = line.rfind(quoted, 0, start)
    return False


def _time_of(record: dict[str, Any]) -> str:
    return string_value(record.get("timestamp"))


def injected_texts(record: dict[str, Any]) -> tuple[str, ...]:
    """Return the texts of hooks in a record of Claude Code, without those of other attachments."""
    attachment = inner_object(record, "attachment")
    if attachment.get("type") != "hook_additional_context" or record.get("isSidechain") is True:
        return ()
    content = attachment.get("content")
    texts = content if isinstance(content, list) else [content]
    return tuple(text for text in texts if isinstance(text, str))


def is_prompt(record: dict[str, Any]) -> bool:
    """Return whether a record of Claude Code is what somebody asked, not a tool's result or the
    client's own words.
    """
    if record.get("type") != "user" or record.get("isSidechain") is True:
        return False
    if record.get("isMeta") is True or record.get("isCompactSummary") is True:
        return False
    content = inner_object(record, "message").get("content")
    if isinstance(content, list):
        return not any(inner_object(part).get("type") == "tool_result" for part in content)
    return isinstance(content, str)
