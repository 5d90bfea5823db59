"""``synapse/compact``: the history of a conversation, made to fit a limit."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.compaction.shapes.adapter import WRITERS, write_messages
from synapse_ls.lsp.answers import answer
from synapse_ls.lsp.history import CompactAnswer
from synapse_ls.lsp.refusal import refusal, refusing
from synapse_ls.lsp.uris import path_of
from synapse_ls.service import histories
from synapse_ls.service.compacting import Wish, compacted

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.custom import CompactParams
    from synapse_ls.service.histories import History


async def handle(ls: Server, _: str, params: CompactParams) -> dict[str, Any]:
    """The history that is left, in the protocol's terms; nothing is written."""
    if params.shape and params.shape not in WRITERS:
        raise JsonRpcInvalidParams(f"shape is one of {', '.join(WRITERS)}, not {params.shape}.")
    return await ls.reader.run(_answer, params)


def _answer(params: CompactParams) -> dict[str, Any]:
    given = {name: getattr(params, name, None) for name in Wish.__dataclass_fields__}
    wish = Wish(**{name: value for name, value in given.items() if value is not None})
    with refusing():
        history = _history(params)
        outcome = asyncio.run(compacted(history.messages, history.tools, wish))
    report = {
        **outcome.report,
        "kind": history.kind,
        "messages": write_messages(outcome.messages, params.shape or ""),
    }
    return answer(CompactAnswer, report, "")


def _history(params: CompactParams) -> History:
    if params.messages is not None:
        return histories.of(params.messages, "messages")
    path = path_of(params.uri) if params.uri else None
    if path is None:
        raise JsonRpcInvalidParams("synapse/compact needs messages, or the uri of a file.")
    try:
        with Path(path).open("rb") as stream:
            return histories.read(stream, Path(path).name)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise refusal(f"Cannot read {path}: {reason}.", "Name a file of messages.") from error
