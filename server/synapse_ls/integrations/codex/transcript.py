"""Read usage of the context window and the replies of hooks from a rollout file of Codex.

``~/.codex/sessions/{date}/rollout-….jsonl``, records ``{timestamp, type, payload}``. The
client tells the window itself. Cached tokens are part of the input tokens.
"""

from __future__ import annotations

from synapse_ls.integrations import transcript_tail, window_usage
from synapse_ls.integrations.transcript_tail import (
    EMPTY_LINE,
    Record,
    TranscriptLine,
    Usage,
    inner_object,
    lines_backward,
    parse_record,
    token_count,
)

ORIGIN = "Codex's rollout file"
# How messages begin that the client itself puts before the model.
CLIENT_PREFIXES = (
    "<environment_context>", "<user_instructions>", "<permissions instructions>",
    "<collaboration_mode>", "<apps_instructions>", "<skills_instructions>", "<turn_aborted>",
    "<subagent_notification>", "# AGENTS.md instructions",
)  # fmt: skip


def read_usage(path: str, model: str = "") -> Usage | None:
    """Return tokens in use and the window's size in Codex, from the last model call.

    After a compaction the client counts anew; until it has written that, None. ``model`` is
    the id that the event names: the file names it seldom.
    """
    for line in lines_backward(path):
        if b"token_count" in line:
            record = parse_record(line)
            used, window = record_usage(record)
            if used:
                size = window or window_usage.model_window(model)
                return {"used": used, "window": size, "model": model, "origin": ORIGIN}
        elif is_compaction(line):
            return None
    return None


def record_usage(record: Record) -> tuple[int, int]:
    """Return tokens in use and the window of a ``token_count`` of Codex; zeros where it does not
    tell.

    Right after a compaction the client estimates the total only.
    """
    if (
        record.get("type") != "event_msg"
        or inner_object(record, "payload").get("type") != "token_count"
    ):
        return 0, 0
    info = inner_object(record, "payload", "info")
    last = inner_object(info, "last_token_usage")
    used = token_count(last.get("input_tokens")) or token_count(last.get("total_tokens"))
    return used, token_count(info.get("model_context_window"))


def is_compaction(line: bytes) -> bool:
    """Return whether a line of a Codex rollout file says that the history was replaced by a
    summary.
    """
    if b'"compacted"' in line:
        return parse_record(line).get("type") == "compacted"
    if b'"context_compacted"' in line:
        return inner_object(parse_record(line), "payload").get("type") == "context_compacted"
    return False


def shows_reply(path: str, reply_hash: str, since: str = "") -> bool | None:
    """Return whether Codex has shown the model the reply whose `hash_text` is ``reply_hash`` (see
    `find_reply`).
    """
    return transcript_tail.find_reply(lines_backward(path), _classify_line, reply_hash, since)


def _classify_line(line: bytes) -> TranscriptLine:
    if is_compaction(line):
        return TranscriptLine(transcript_tail.COMPACTION_LINE)
    if b'"message"' not in line and b'"user_message"' not in line:
        return EMPTY_LINE
    record = parse_record(line)
    payload, time = inner_object(record, "payload"), record.get("timestamp")
    if payload.get("type") == "user_message" and record.get("type") == "event_msg":
        return TranscriptLine(transcript_tail.PROMPT_LINE, time=time)
    if payload.get("role") == "user":
        is_own = any(text.lstrip().startswith(CLIENT_PREFIXES) for text in message_texts(payload))
        return EMPTY_LINE if is_own else TranscriptLine(transcript_tail.PROMPT_LINE, time=time)
    if payload.get("role") == "developer":
        return TranscriptLine(transcript_tail.OTHER_LINE, message_texts(payload), time)
    if payload.get("role") == "assistant":
        return TranscriptLine(transcript_tail.ANSWER_LINE, time=time)
    return EMPTY_LINE


def message_texts(payload: Record) -> tuple[str, ...]:
    """Return the texts of a message of Codex, and, where there are several, all of them as one."""
    content = payload.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = tuple(text for part in parts if isinstance(text := inner_object(part).get("text"), str))
    return texts if len(texts) < 2 else (*texts, "\n".join(texts))
