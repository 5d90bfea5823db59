"""This module repairs messages of a client that its SDK cannot read, so that each request is
answered: half a surrogate pair (RFC 8259, section 8.2) stands where a client cuts a text.

What is no message at all is said once on standard error, or a person who has started the server by hand
would wait for an answer that never comes.
"""

from __future__ import annotations

import json
import logging
from types import TracebackType

from mcp import types
from mcp.shared._stream_protocols import ReadStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from synapse_ls.mcp.tool_result import replace_surrogates

Item = SessionMessage | Exception
_SHOWN = 40  # characters
_FOREIGN = (
    "What came is no message of the Model Context Protocol: the line begins with %r, where each line is a "
    'message of JSON-RPC, such as {"jsonrpc": "2.0", "id": 1, "method": "ping"}. An agent client starts '
    "`synapse mcp`, and `synapse install --mcp` registers it; `synapse --help` lists what people run."
)
_log = logging.getLogger(__name__)


class RepairedStream:
    """A RepairedStream yields what ``inner`` yields, with repaired messages in the place of errors
    where they can be read after all.
    """

    def __init__(self, inner: ReadStream[Item]) -> None:
        self._inner = inner
        self._has_warned = False

    @property
    def last_context(self) -> object:
        """Returns the context in which the last message was sent, as the SDK asks for it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Item:
        """Returns the next message, or the error in its place."""
        return self._repair(await self._inner.receive())

    async def aclose(self) -> None:
        """Closes the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> RepairedStream:
        return self

    async def __anext__(self) -> Item:
        return self._repair(await self._inner.__anext__())

    def _repair(self, item: Item) -> Item:
        """Returns the item, mended if it can be; of the first that cannot be, a warning is logged."""
        if not isinstance(item, ValidationError):
            return item
        line = str(item.errors()[0]["input"]).strip()
        message = _read_leniently(line)
        if message is None and line and not self._has_warned:
            self._has_warned = True
            _log.warning(_FOREIGN, line[:_SHOWN])
        return message or item

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


def _read_leniently(line: str) -> SessionMessage | None:
    """Returns the message in a line that has half a surrogate pair, None where it is none."""
    try:
        value = replace_surrogates(json.loads(line))
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(value, by_name=False))
    except (ValueError, TypeError, RecursionError):
        return None
