"""This module answers ``synapse/compact``: it makes the history of a conversation fit a limit."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.compaction.conversation_formats import WRITERS, write_messages
from synapse_ls.lsp.convert import uri_to_path
from synapse_ls.lsp.custom_messages import encode_report
from synapse_ls.lsp.feature_context import refuse_core_errors, request_refusal
from synapse_ls.queries import history_compaction
from synapse_ls.queries.history_compaction import CompactionRequest, compact_history
from synapse_ls.workspace.regular_files import open_stream

if TYPE_CHECKING:
    from synapse_ls.lsp.custom_messages import CompactParams
    from synapse_ls.lsp.language_server import Server
    from synapse_ls.queries.history_compaction import MessageHistory


async def handle(ls: Server, _: str, params: CompactParams) -> dict[str, Any]:
    """Answers ``synapse/compact``: returns the history that is left, in the protocol's terms;
    nothing is written.
    """
    if params.shape and params.shape not in WRITERS:
        raise JsonRpcInvalidParams(f"shape is one of {', '.join(WRITERS)}, not {params.shape}.")
    return await ls.reader.run(_compact_answer, params)


def _compact_answer(params: CompactParams) -> dict[str, Any]:
    given = {name: getattr(params, name, None) for name in CompactionRequest.__dataclass_fields__}
    wish = CompactionRequest(**{name: value for name, value in given.items() if value is not None})
    with refuse_core_errors():
        history = _read_history(params)
        outcome = asyncio.run(compact_history(history.messages, history.tools, wish))
    written = write_messages(outcome.messages, params.shape or "")
    report = replace(outcome.report, kind=history.kind, messages=written)
    answer: dict[str, Any] = encode_report(report)
    return answer


def _read_history(params: CompactParams) -> MessageHistory:
    if params.messages is not None:
        return history_compaction.history_from_json(params.messages, "messages")
    path = uri_to_path(params.uri) if params.uri else None
    if path is None:
        raise JsonRpcInvalidParams("synapse/compact needs messages, or the uri of a file.")
    try:
        with open_stream(path) as stream:
            return history_compaction.read_history(stream, Path(path).name)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise request_refusal(
            f"Cannot read {path}: {reason}.", "Name a file of messages."
        ) from error
