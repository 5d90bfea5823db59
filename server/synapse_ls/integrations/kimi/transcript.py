"""Read which replies of hooks stand in a session of Kimi Code.

``~/.kimi-code/sessions/{workspace}/{session}/agents/main/wire.jsonl`` says in order what was added
to the conversation and what was taken back. What a hook says of a prompt is a message before it, so
that it stays where that prompt alone is undone.

Source: Kimi Code 2.1.0, as it wrote them, and its code.
"""

import os
from collections.abc import Collection

from synapse_ls.integrations import transcript_tail
from synapse_ls.storage.session_store import format_timestamp

_OPENING, _CLOSING = '<hook_result hook_event="UserPromptSubmit">\n', "\n</hook_result>"


def session_file(session: str) -> str:
    """Return the path of the log of a session's main agent, "" where there is none."""
    home = os.environ.get("KIMI_CODE_HOME") or os.path.expanduser("~/.kimi-code")
    folder = os.path.join(home, "sessions")
    if not session or os.path.basename(session) != session:
        return ""
    try:
        workspaces = os.listdir(folder)
    except OSError:
        return ""
    paths = (os.path.join(folder, w, session, "agents/main/wire.jsonl") for w in workspaces)
    return next(filter(os.path.isfile, paths), "")


def read_branch(path: str, hashes: Collection[str]) -> transcript_tail.Branch | None:
    """Return what the log of a session shows of replies; None for one that is too long."""
    if transcript_tail.file_size(path) > transcript_tail.DEEPEST_BRANCH:
        return None
    rows: list[transcript_tail.Row] = []
    for line in reversed(list(transcript_tail.lines_backward(path))):
        if b'"context.' not in line:
            continue
        # Have the rows be those of the conversation after this record.
        record = transcript_tail.parse_record(line)
        kind, milliseconds = record.get("type"), record.get("time")
        at = format_timestamp(milliseconds / 1000) if isinstance(milliseconds, int) else ""
        if kind == "context.append_message":
            message = transcript_tail.inner_object(record, "message")
            origin = transcript_tail.inner_object(message, "origin")
            if origin.get("kind") == "hook_result":
                texts: list[str] = []
                for part in transcript_tail.object_items(message.get("content")):
                    text = transcript_tail.string_value(part.get("text"))
                    texts += transcript_tail.texts_between(text, _OPENING, _CLOSING)
                rows.append(transcript_tail.Row(transcript_tail.MESSAGE_ROW, "", texts, at))
            elif message.get("role") == "user" and _is_prompt(origin):
                rows.append(transcript_tail.Row(transcript_tail.PROMPT_ROW, time=at))
        elif kind == "context.append_loop_event":
            rows.append(transcript_tail.Row(transcript_tail.ANSWER_ROW, time=at))
        elif kind == "context.apply_compaction":
            rows.append(transcript_tail.Row(transcript_tail.COMPACTION_ROW, time=at))
        elif kind == "context.clear":
            rows.clear()
        elif kind == "context.undo":
            prompts = [n for n, row in enumerate(rows) if row.kind == transcript_tail.PROMPT_ROW]
            count = record.get("count")
            if isinstance(count, int) and 0 < count <= len(prompts):
                del rows[prompts[-count] :]
    return transcript_tail.read_rows(reversed(rows), hashes)


def _is_prompt(origin: transcript_tail.Record) -> bool:
    """Return whether a message with such an origin is one that an undo takes back."""
    is_command = origin.get("kind") in ("skill_activation", "plugin_command")
    is_command = is_command and origin.get("trigger") == "user-slash"
    return not origin.get("inTurn") and (origin.get("kind") in (None, "user") or is_command)
