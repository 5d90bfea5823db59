"""Claude Code: what its transcript says of the window and of hook replies.

``~/.claude/projects/{project}/{session}.jsonl``, a record per line. An ``assistant`` record holds
the usage of one model call; the three kinds of input tokens add up to what is in the window. Turns
of sub-agents are marked ``isSidechain``. ``compact_boundary`` is where the history was replaced.
"""

from __future__ import annotations

import os

from synapse_ls.hosts import models
from synapse_ls.hosts.transcripts import arrival
from synapse_ls.hosts.transcripts.arrival import NOTHING, Sight
from synapse_ls.hosts.transcripts.tail import count, lines_backward, record, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

ORIGIN: Final = "Claude Code's transcript"
INPUTS: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def usage(path: str, model: str = "") -> dict[str, object] | None:
    """Tokens in use and the window's size, from the last model call of the main conversation.

    After a compaction that no call has followed yet: what the client says is left of the history,
    or None. ``model`` is the id that the event names; it may say what the transcript does not,
    that the window is the long one.
    """
    left = -1  # tokens that a later compaction has left; -1: there was none
    for line in lines_backward(path):
        if left < 0 and b"compact_boundary" in line:
            found = record(line)
            if _is_boundary(found):
                left = count(table(found, "compactMetadata").get("postTokens"))
                if not left:
                    return None
            continue
        if b'"usage"' not in line or b'"assistant"' not in line:
            continue
        found = record(line)
        used = used_of(found)
        if used:
            name = model_of(found)
            named = _long(name, model)
            window = window_of(named, max(used, left))
            return {
                "used": used if left < 0 else left,
                "window": window,
                "model": name,
                "origin": ORIGIN,
            }
    return None


def used_of(found: dict[str, Any]) -> int:
    """What the model call of a record was sent, in tokens; 0 where it is no call of the main agent."""
    if found.get("type") != "assistant" or found.get("isSidechain") is True:
        return 0
    spent = table(found, "message", "usage")
    return sum(count(spent.get(field)) for field in INPUTS)


def model_of(found: dict[str, Any]) -> str:
    """The id of the model that an ``assistant`` record names, or ""."""
    model = table(found, "message").get("model")
    return model if isinstance(model, str) else ""


def window_of(model: str, used: int) -> int | None:
    """The window of ``model`` in Claude Code; more in use than that raises it to the next one.

    The long window is off by ``CLAUDE_CODE_DISABLE_1M_CONTEXT``, and on other people's clouds and
    gateways where the id does not ask for it.
    """
    window = models.window_of(model)
    if window is None:
        return None if used <= models.SHORT_TOKENS else models.raised(models.SHORT_TOKENS, used)
    short = _says("CLAUDE_CODE_DISABLE_1M_CONTEXT") or (
        not model.endswith(models.LONG) and _elsewhere()
    )
    if short and model.lower().find("claude") >= 0:
        window = min(window, models.SHORT_TOKENS)
    return models.raised(window, used, model)


def _long(model: str, named: str) -> str:
    """``model`` with the mark of the long window where the event or the environment asks for it."""
    for asked in (named, os.environ.get("ANTHROPIC_MODEL", "")):
        stem = asked.removesuffix(models.LONG)
        if stem and stem != asked and models.plain(stem) in models.plain(model):
            return model.removesuffix(models.LONG) + models.LONG
    return model


def _elsewhere() -> bool:
    base = os.environ.get("ANTHROPIC_BASE_URL", "")
    return (
        _says("CLAUDE_CODE_USE_BEDROCK")
        or _says("CLAUDE_CODE_USE_VERTEX")
        or bool(base and "anthropic.com" not in base)
    )


def _says(variable: str) -> bool:
    return os.environ.get(variable, "").lower() in ("1", "true", "yes", "on")


def _is_boundary(found: dict[str, Any]) -> bool:
    return found.get("subtype") == "compact_boundary" and found.get("isSidechain") is not True


def arrived(path: str, told: str, since: str = "") -> bool | None:
    """Whether the model was shown the reply whose `text_hash` is ``told`` (see `arrival`)."""
    return arrival.arrived(lines_backward(path), _look, told, since)


def _look(line: bytes) -> Sight:
    if b"hook_additional_context" in line:
        found = record(line)
        return Sight(arrival.OTHER, injected(found), found.get("timestamp"))
    if b"compact_boundary" in line and _is_boundary(record(line)):
        return Sight(arrival.BOUNDARY)
    if b'"assistant"' in line and b'"usage"' in line:
        found = record(line)
        if used_of(found):
            return Sight(arrival.ANSWER, time=found.get("timestamp"))
    elif b'"user"' in line and b'"tool_result"' not in line:
        found = record(line)
        if is_prompt(found):
            return Sight(arrival.PROMPT, time=found.get("timestamp"))
    return NOTHING


def injected(found: dict[str, Any]) -> tuple[str, ...]:
    """The texts of hooks in a record, without those of other attachments."""
    attachment = table(found, "attachment")
    if attachment.get("type") != "hook_additional_context" or found.get("isSidechain") is True:
        return ()
    content = attachment.get("content")
    texts = content if isinstance(content, list) else [content]
    return tuple(text for text in texts if isinstance(text, str))


def is_prompt(found: dict[str, Any]) -> bool:
    """Whether a record is what somebody asked, not a tool's result or the client's own words."""
    if found.get("type") != "user" or found.get("isSidechain") is True:
        return False
    if found.get("isMeta") is True or found.get("isCompactSummary") is True:
        return False
    content = table(found, "message").get("content")
    if isinstance(content, list):
        return not any(table(part).get("type") == "tool_result" for part in content)
    return isinstance(content, str)
