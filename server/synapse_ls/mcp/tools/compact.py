"""``compact``: the history of a conversation, made to fit a limit."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from synapse_ls.compaction.shapes.adapter import WRITERS, write_messages
from synapse_ls.mcp.fields import INTEGER, Field
from synapse_ls.mcp.said import Said
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service import histories
from synapse_ls.service.compacting import (
    KEPT_RESULTS,
    LIMIT,
    STRATEGIES,
    SUMMARIZE,
    Wish,
    compacted,
)
from synapse_ls.service.errors import ServiceError
from synapse_ls.text.counted import counted
from synapse_ls.text.json import JsonError, dumps, loads

# A summary takes a model, and the one that asks can write it itself.
_CHOICES = tuple(name for name in STRATEGIES if name != SUMMARIZE)


def _run(root: str, given: Given) -> Said:
    history = _history(root, given["file"], given["messages"])
    numbers = ("limit", "keep_last", "keep_first", "keep_results")
    wished = {name: given[name] for name in numbers if given[name] is not None}
    wish = Wish(strategy=given["strategy"] or _CHOICES[0], **wished)
    outcome = asyncio.run(compacted(history.messages, history.tools, wish))
    written = write_messages(outcome.messages, given["shape"])
    report = {"kind": history.kind, **outcome.report, "messages": written}
    return Said(f"{_line(report)}\n\n{dumps(written)}", report)


def _history(root: str, file: str, messages: str) -> histories.History:
    if bool(file) is bool(messages):
        raise ServiceError("A history is needed, once.", "Give either file or messages.")
    if messages:
        try:
            return histories.of(loads(messages), "messages")
        except JsonError as error:
            raise ServiceError(f"messages is no JSON: {error}.", "Write it as JSON.") from error
    try:
        with _inside(root, file).open("rb") as stream:
            return histories.read(stream, file)
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise ServiceError(f"Cannot read {file}: {reason}.", "Name a transcript.") from error


def _inside(root: str, file: str) -> Path:
    """The file that is meant; ServiceError for one outside of the project, also by a link."""
    real = Path(os.path.realpath(os.path.join(root, file)))
    if not real.is_relative_to(os.path.realpath(root)):
        raise ServiceError(
            f"{file} is outside of the project, where this tool reads nothing.",
            "Give messages, or have a person run `synapse compact` on it.",
        )
    return real


def _line(report: dict[str, Any]) -> str:
    before, after = report["before"], report["after"]
    return (
        f"{counted(before['messages'], 'message')} of {counted(before['tokens'], 'token')} became "
        f"{counted(after['messages'], 'message')} of {counted(after['tokens'], 'token')}: "
        f"{len(report['dropped'])} dropped, {len(report['cleared'])} tool results cleared."
    )


TOOL = Tool(
    name="compact",
    title="Compact a history",
    about="Makes the history of a conversation fit a number of tokens: drops its oldest messages, or "
    "clears old tool results, and never parts a call from its result. Changes no file.",
    fields=(
        Field(
            "file",
            "a file below the project: a transcript of Claude Code, Codex or Gemini CLI, or messages",
        ),
        Field(
            "messages",
            "the messages themselves, as a JSON list in Anthropic's or OpenAI's shape",
            json=True,
        ),
        Field("strategy", f"how (default: {_CHOICES[0]})", choices=_CHOICES),
        Field("limit", f"tokens that it may take (default: {LIMIT})", INTEGER),
        Field("keep_last", "messages that stay at the end (default: as many as fit)", INTEGER),
        Field("keep_first", "messages that stay at the beginning (default: 0)", INTEGER),
        Field("keep_results", f"tool results that stay (default: {KEPT_RESULTS})", INTEGER),
        Field("shape", "what messages are written as (default: as read)", choices=tuple(WRITERS)),
    ),
    run=_run,
)
