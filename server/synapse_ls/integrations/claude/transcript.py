"""This module reads usage of the context window and the replies of hooks from a transcript of
Claude Code.

``~/.claude/projects/{project}/{session}.jsonl``, a record per line. An ``assistant`` record
holds the usage of one model call; the three kinds of input tokens add up to what is in the
window. Turns of sub-agents are marked ``isSidechain``. ``compact_boundary`` is where the
history was replaced.
"""

from __future__ import annotations

from synapse_ls.integrations import context_windows, reply_evidence
from synapse_ls.integrations.reply_evidence import EMPTY_LINE, TranscriptLine
from synapse_ls.integrations.transcript_tail import (
    inner_object,
    lines_backward,
    parse_record,
    token_count,
)
from synapse_ls.workspace.light_os import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

ORIGIN: Final = "Claude Code's transcript"
INPUT_TOKEN_FIELDS: Final = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


def read_usage(path: str, model: str = "") -> dict[str, object] | None:
    """Returns tokens in use and the window's size in Claude Code, from the last model call of the
    main conversation.

    After a compaction that no call has followed yet: what the client says is left of the
    history, or None. ``model`` is the id that the event names; it may say what the transcript
    does not, that the window is the long one.
    """
    left = -1  # tokens that a later compaction has left; -1: there was none
    for line in lines_backward(path):
        if left < 0 and b"compact_boundary" in line:
            found = parse_record(line)
            if _is_boundary(found):
                left = token_count(inner_object(found, "compactMetadata").get("postTokens"))
                if not left:
                    return None
            continue
        if b'"usage"' not in line or b'"assistant"' not in line:
            continue
        found = parse_record(line)
        odd = _invalid_count(found)
        if odd is not None:
            return {"used": odd, "window": None, "model": record_model(found), "origin": ORIGIN}
        used = sent_tokens(found)
        if used:
            name = record_model(found)
            named = _mark_long_window(name, model)
            window = model_window(named, max(used, left))
            return {
                "used": used if left < 0 else left,
                "window": window,
                "model": name,
                "origin": ORIGIN,
            }
    return None


def _invalid_count(found: dict[str, Any]) -> object:
    """Returns a count of tokens of the main agent that is none, None where each is one: what says
    nothing must not pass for an empty window.
    """
    if found.get("type") != "assistant" or found.get("isSidechain") is True:
        return None
    spent = inner_object(found, "message", "usage")
    counts = (spent.get(field) for field in INPUT_TOKEN_FIELDS)
    return next((n for n in counts if n is not None and not _is_count(n)), None)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def sent_tokens(found: dict[str, Any]) -> int:
    """Returns how many tokens the model call of a Claude Code record was sent; 0 where it is no
    call of the main agent.
    """
    if found.get("type") != "assistant" or found.get("isSidechain") is True:
        return 0
    spent = inner_object(found, "message", "usage")
    return sum(token_count(spent.get(field)) for field in INPUT_TOKEN_FIELDS)


def record_model(found: dict[str, Any]) -> str:
    """Returns the id of the model that an ``assistant`` record of Claude Code names, or ""."""
    model = inner_object(found, "message").get("model")
    return model if isinstance(model, str) else ""


def model_window(model: str, used: int) -> int | None:
    """Returns the window of ``model`` in Claude Code; more in use than that raises it to the
    next one.

    The long window is off by ``CLAUDE_CODE_DISABLE_1M_CONTEXT``, and on other people's clouds
    and gateways where the id does not ask for it.
    """
    window = context_windows.model_window(model)
    if window is None:
        return (
            None
            if used <= context_windows.SHORT_TOKENS
            else context_windows.raise_window(context_windows.SHORT_TOKENS, used)
        )
    short = _is_switched_on("CLAUDE_CODE_DISABLE_1M_CONTEXT") or (
        not model.endswith(context_windows.LONG_MARK) and _has_foreign_provider()
    )
    if short and model.lower().find("claude") >= 0:
        window = min(window, context_windows.SHORT_TOKENS)
    return context_windows.raise_window(window, used, model)


def _mark_long_window(model: str, event_model: str) -> str:
    """Returns ``model`` with the mark of the long window where the event or the environment asks
    for it.
    """
    for asked in (event_model, os.environ.get("ANTHROPIC_MODEL", "")):
        stem = asked.removesuffix(context_windows.LONG_MARK)
        if (
            stem
            and stem != asked
            and context_windows.normalise_model(stem) in context_windows.normalise_model(model)
        ):
            return model.removesuffix(context_windows.LONG_MARK) + context_windows.LONG_MARK
    return model


def _has_foreign_provider() -> bool:
    base = os.environ.get("ANTHROPIC_BASE_URL", "")
    return (
        _is_switched_on("CLAUDE_CODE_USE_BEDROCK")
        or _is_switched_on("CLAUDE_CODE_USE_VERTEX")
        or bool(base and "anthropic.com" not in base)
    )


def _is_switched_on(variable: str) -> bool:
    return os.environ.get(variable, "").lower() in ("1", "true", "yes", "on")


def _is_boundary(found: dict[str, Any]) -> bool:
    return found.get("subtype") == "compact_boundary" and found.get("isSidechain") is not True


def shows_reply(path: str, reply_hash: str, since: str = "") -> bool | None:
    """Tells whether Claude Code has shown the model the reply whose `hash_text` is ``reply_hash``
    (see `find_reply`).
    """
    return reply_evidence.find_reply(lines_backward(path), _classify_line, reply_hash, since)


def _classify_line(line: bytes) -> TranscriptLine:
    if b"hook_additional_context" in line:
        found = parse_record(line)
        return TranscriptLine(
            reply_evidence.OTHER_LINE, injected_texts(found), found.get("timestamp")
        )
    if b"compact_boundary" in line and _is_boundary(parse_record(line)):
        return TranscriptLine(reply_evidence.COMPACTION_LINE)
    if b'"assistant"' in line and b'"usage"' in line:
        found = parse_record(line)
        if sent_tokens(found):
            return TranscriptLine(reply_evidence.ANSWER_LINE, time=found.get("timestamp"))
    elif b'"user"' in line and b'"tool_result"' not in line:
        found = parse_record(line)
        if is_prompt(found):
            return TranscriptLine(reply_evidence.PROMPT_LINE, time=found.get("timestamp"))
    return EMPTY_LINE


def injected_texts(found: dict[str, Any]) -> tuple[str, ...]:
    """Returns the texts of hooks in a record of Claude Code, without those of other attachments."""
    attachment = inner_object(found, "attachment")
    if attachment.get("type") != "hook_additional_context" or found.get("isSidechain") is True:
        return ()
    content = attachment.get("content")
    texts = content if isinstance(content, list) else [content]
    return tuple(text for text in texts if isinstance(text, str))


def is_prompt(found: dict[str, Any]) -> bool:
    """Tells whether a record of Claude Code is what somebody asked, not a tool's result or the
    client's own words.
    """
    if found.get("type") != "user" or found.get("isSidechain") is True:
        return False
    if found.get("isMeta") is True or found.get("isCompactSummary") is True:
        return False
    content = inner_object(found, "message").get("content")
    if isinstance(content, list):
        return not any(inner_object(part).get("type") == "tool_result" for part in content)
    return isinstance(content, str)
