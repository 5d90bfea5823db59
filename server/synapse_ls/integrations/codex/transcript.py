"""Read usage of the context window and the replies of hooks from a rollout file of Codex.

``~/.codex/sessions/{date}/rollout-….jsonl``, records ``{timestamp, type, payload}``. The size of
the window is in it. Cached tokens are part of the input tokens.
"""

import os
from collections.abc import Collection, Iterator

from synapse_ls.integrations import model_windows, transcript_tail
from synapse_ls.integrations.transcript_tail import (
    DEEPEST_BRANCH,
    Branch,
    Record,
    Usage,
    first_record,
    inner_object,
    lines_backward,
    parse_record,
    string_value,
    token_count,
)

ORIGIN = "Codex's rollout file"
# How messages begin that the client itself puts before the model.
CLIENT_PREFIXES = (
    "<environment_context>", "<user_instructions>", "<permissions instructions>",
    "<collaboration_mode>", "<apps_instructions>", "<skills_instructions>", "<turn_aborted>",
    "<subagent_notification>", "<skill>", "<user_shell_command>", "# AGENTS.md instructions",
)  # fmt: skip


def read_usage(path: str, model: str = "") -> Usage | None:
    """Return tokens in use and the window's size in Codex, from the last model call.

    After a compaction the client counts anew; until it has written that, None. ``model`` is
    the id that the event names: the file names it seldom.
    """
    for line in lines_backward(path):
        if b"token_count" in line:
            used, window = record_usage(parse_record(line))
            if used:
                size = window or model_windows.model_window(model)
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


def forked_from(path: str) -> str:
    """Return the id of the session of which that of a rollout file is a fork, "" for none."""
    return string_value(inner_object(first_record(path), "payload").get("forked_from_id"))


def is_of_exec(path: str) -> bool:
    """Return whether the session of a rollout file was begun by ``codex exec``."""
    return inner_object(first_record(path), "payload").get("source") == "exec"


def read_branch(path: str, hashes: Collection[str], newest: str = "", turn: str = "") -> Branch:
    """Return what a rollout file shows of replies; the arguments are those of
    `transcript_tail.read_rows`.
    """
    return transcript_tail.read_rows(_live_rows(path), hashes, newest)


def _live_rows(path: str) -> Iterator[transcript_tail.Row]:
    """Yield the rows of the live conversation of Codex, the newest first.

    What a person rewinds to goes on in a new file, as a fork does, which names the file before and
    the byte where it leaves that. Earlier versions count the prompts that they take back.
    """
    back = 0
    for line in _chain_backward(path):
        if is_compaction(line):
            yield transcript_tail.Row(
                transcript_tail.COMPACTION_ROW, time=parse_record(line).get("timestamp")
            )
        if b"thread_rolled_back" in line:
            payload = inner_object(parse_record(line), "payload")
            if payload.get("type") == "thread_rolled_back":
                back += token_count(payload.get("num_turns"))
        if b'"response_item"' not in line or b'"function_call_output"' in line:
            continue
        record = parse_record(line)
        payload, time = inner_object(record, "payload"), record.get("timestamp")
        role, kind = payload.get("role"), transcript_tail.MESSAGE_ROW
        content = payload.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        texts = [text for part in parts if isinstance(text := inner_object(part).get("text"), str)]
        if len(texts) > 1:
            texts.append("\n".join(texts))  # what is sought may be all of them as one
        if back:
            back -= role == "user" and not "".join(texts).lstrip().startswith(CLIENT_PREFIXES)
            continue
        if role == "assistant" or payload.get("type") == "function_call":
            kind = transcript_tail.ANSWER_ROW
        identity = payload.get("id") or time
        yield transcript_tail.Row(kind, identity, texts if role == "developer" else (), time)


def _chain_backward(path: str) -> Iterator[bytes]:
    """Yield the lines of a rollout file, from the last to the first, and of those that it goes on
    from.
    """
    end: int | None = None
    seen: set[str] = set()
    while path and path not in seen:
        seen.add(path)
        line = b""
        for line in lines_backward(path, DEEPEST_BRANCH, end):
            yield line
        base = inner_object(parse_record(line), "payload", "history_base")
        end, path = token_count(base.get("end_byte_offset")), _rollout_file(path, base)


def _rollout_file(path: str, base: Record) -> str:
    """Return the rollout file that a ``history_base`` names, "" for none. path: another one."""
    thread = string_value(base.get("thread_id"))
    folder = os.path.dirname(path)
    for root in (folder, os.path.join(folder, "..", "..", "..")) if thread else ():
        for place, _, names in os.walk(root):
            for name in names:
                if name.endswith((f"-{thread}.jsonl", f"_{thread}.jsonl")):
                    return os.path.join(place, name)
    return ""
