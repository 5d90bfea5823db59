"""This module is the MCP tool ``compact``: it makes the history of a conversation fit a limit of
tokens.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from synapse_ls.compaction.shapes.conversation_formats import WRITERS, write_messages
from synapse_ls.mcp.tool_arguments import INTEGER, ToolArgument
from synapse_ls.mcp.tool_result import ToolResult
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries import message_history
from synapse_ls.queries.history_compaction import (
    DEFAULT_KEPT_RESULTS,
    DEFAULT_LIMIT,
    STRATEGIES,
    SUMMARIZE,
    CompactionReport,
    CompactionRequest,
    compact_history,
)
from synapse_ls.queries.report_model import to_json
from synapse_ls.storage.user_error import UserError
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.regular_files import open_stream

# A summary takes a model, and the one that asks can write it itself.
_CHOICES = tuple(name for name in STRATEGIES if name != SUMMARIZE)


def _run(root: str, arguments: Arguments) -> ToolResult:
    history = _read_history(root, arguments["file"], arguments["messages"])
    numbers = ("limit", "keep_last", "keep_first", "keep_results")
    wished = {name: arguments[name] for name in numbers if arguments[name] is not None}
    wish = CompactionRequest(strategy=arguments["strategy"] or _CHOICES[0], **wished)
    outcome = asyncio.run(compact_history(history.messages, history.tools, wish))
    written = write_messages(outcome.messages, arguments["shape"])
    report = replace(outcome.report, kind=history.kind, messages=written)
    return ToolResult(f"{_summary_line(report)}\n\n{dumps(written)}", to_json(report))


def _read_history(root: str, file: str, messages: str) -> message_history.MessageHistory:
    if bool(file) is bool(messages):
        raise UserError("A history is needed, once.", "Give either file or messages.")
    if messages:
        try:
            return message_history.history_from_json(loads(messages), "messages")
        except JsonError as error:
            raise UserError(f"messages is no JSON: {error}.", "Write it as JSON.") from error
    try:
        with open_stream(_project_file(root, file)) as stream:
            return message_history.read_history(stream, file)
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise UserError(f"Cannot read {file}: {reason}.", "Name a transcript.") from error


def _project_file(root: str, file: str) -> Path:
    """Returns the file that is meant; raises UserError for one outside of the project, also by a
    link.
    """
    real = Path(os.path.realpath(os.path.join(root, file)))
    if not real.is_relative_to(os.path.realpath(root)):
        raise UserError(
            f"{file} is outside of the project, where this tool reads nothing.",
            "Give messages, or have a person run `synapse compact` on it.",
        )
    return real


def _summary_line(report: CompactionReport) -> str:
    before, after = report.before, report.after
    return (
        f"{format_count(before.messages, 'message')} of {format_count(before.tokens, 'token')} became "
        f"{format_count(after.messages, 'message')} of {format_count(after.tokens, 'token')}: "
        f"{len(report.dropped)} dropped, {len(report.cleared)} tool results cleared."
    )


TOOL = Tool(
    name="compact",
    title="Compact a history",
    description="Makes the history of a conversation fit a number of tokens: drops its oldest messages, or "
    "clears old tool results, and never parts a call from its result. Changes no file.",
    arguments=(
        ToolArgument(
            "file",
            "a file below the project: a transcript of Claude Code, Codex or Gemini CLI, or messages",
        ),
        ToolArgument(
            "messages",
            "the messages themselves, as a JSON list in Anthropic's or OpenAI's shape",
            json=True,
        ),
        ToolArgument("strategy", f"how (default: {_CHOICES[0]})", choices=_CHOICES),
        ToolArgument("limit", f"tokens that it may take (default: {DEFAULT_LIMIT})", INTEGER),
        ToolArgument(
            "keep_last", "messages that stay at the end (default: as many as fit)", INTEGER
        ),
        ToolArgument("keep_first", "messages that stay at the beginning (default: 0)", INTEGER),
        ToolArgument(
            "keep_results", f"tool results that stay (default: {DEFAULT_KEPT_RESULTS})", INTEGER
        ),
        ToolArgument(
            "shape", "what messages are written as (default: as read)", choices=tuple(WRITERS)
        ),
    ),
    run=_run,
)
