"""This module reads usage of the context window from the file of a chat in VS Code, else from the
debug log of its own harness, where that is on: its transcript has no figures.

``…/transcripts/{session}.jsonl`` beside ``…/debug-logs/{session}/main.jsonl``, which
``github.copilot.chat.agentDebugLog.fileLogging.enabled`` turns on. What hooks add goes to the
model for one turn and is written nowhere.
"""

from __future__ import annotations

import os

from synapse_ls.integrations.transcript_tail import (
    inner_object,
    lines_backward,
    parse_record,
    token_count,
)
from synapse_ls.integrations.vscode import chat_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

ORIGIN: Final = "VS Code's debug log"
WINDOW_FIELDS: Final = (
    "maxPromptTokens",
    "maxInputTokens",
    "modelMaxPromptTokens",
    "contextWindow",
)
# What the chat asks a model beside the conversation: titles, summaries, intent.
SIDE_PURPOSES: Final = ("title", "summar", "intent", "progress", "todo", "search")


def debug_log_path(path: str, session_id: str = "") -> str:
    """Returns where VS Code's debug log of the session of a transcript is, whether it exists or
    not; "" for an impossible name.
    """
    folder, name = os.path.split(path)
    session = session_id or os.path.splitext(name)[0]
    if not folder or not session or session in (".", ".."):
        return ""
    if session != os.path.basename(session) or "\\" in session or "\0" in session:
        return ""
    return os.path.join(os.path.dirname(folder), "debug-logs", session, "main.jsonl")


def read_usage(path: str, session_id: str = "") -> dict[str, object] | None:
    """Returns tokens in use and the window's size in VS Code, from the chat's file, else from the
    last model call in the debug log.
    """
    if figures := chat_session.read_chat_usage(chat_session.chat_file(path, session_id)):
        return figures
    log = debug_log_path(path, session_id)
    for line in lines_backward(log) if log else ():
        if b"llm_request" in line and (figures := record_usage(parse_record(line))):
            return figures
        if b"compact" in line.lower() and _is_compaction(parse_record(line)):
            return None
    return None


def record_usage(found: dict[str, Any]) -> dict[str, object] | None:
    """Returns what a model call in VS Code's debug log was sent; the cached tokens are part of it.

    The client allows less than its models do, so that a window it does not tell is None.
    """
    attributes = inner_object(found, "attrs")
    used = token_count(attributes.get("inputTokens"))
    purpose = f"{found.get('name')} {attributes.get('debugName')}".lower()
    if (
        found.get("type") != "llm_request"
        or not used
        or any(word in purpose for word in SIDE_PURPOSES)
    ):
        return None
    model = attributes.get("model")
    name = model if isinstance(model, str) else ""
    told = next((limit for key in WINDOW_FIELDS if (limit := token_count(attributes.get(key)))), 0)
    return {"used": used, "window": told or None, "model": name, "origin": ORIGIN}


def _is_compaction(found: dict[str, Any]) -> bool:
    return str(found.get("type")).lower() in ("compaction", "compact", "history_compacted")


def shows_reply(path: str, reply_hash: str, since: str = "") -> bool | None:
    """Returns None for VS Code: nothing that a hook adds is written down."""
    return None
