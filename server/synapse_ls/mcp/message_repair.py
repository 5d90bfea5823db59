"""This module repairs messages of a client that its SDK cannot read, so that each request is
answered: half a surrogate pair (RFC 8259, section 8.2) stands where a client cuts a text.
"""

from __future__ import annotations

import json
from types import TracebackType

from mcp import types
from mcp.shared._stream_protocols import ReadStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from synapse_ls.mcp.tool_result import replace_surrogates

Item = SessionMessage | Exception


class RepairedStream:
    """A RepairedStream yields what ``inner`` yields, with messages in the place of errors where
    they can be read after all.
    """

    def __init__(self, inner: ReadStream[Item]) -> None:
        self._inner = inner

    @property
    def last_context(self) -> object:
        """Returns the context in which the last message was sent, as the SDK asks for it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Item:
        """Returns the next message, or the error in its place."""
        return _repair_item(await self._inner.receive())

    async def aclose(self) -> None:
        """Closes the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> RepairedStream:
        return self

    async def __anext__(self) -> Item:
        return _repair_item(await self._inner.__anext__())

    async def __aenter__(self) -> RepairedStream:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, trace)


def _repair_item(item: Item) -> Item:
    if not isinstance(item, ValidationError):
        return item
    line = item.errors()[0]["input"]
    try:
        value = replace_surrogates(json.loads(line))
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(value, by_name=False))
    except (ValueError, TypeError, RecursionError):
        return item
