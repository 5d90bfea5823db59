"""This module reads and answers the messages of a client that connects to the hook server: as much
of the Model Context Protocol as a server with one tool needs.

Source: its specification, revision 2025-11-25 (lifecycle, ping, tools), and JSON-RPC 2.0.
"""

from __future__ import annotations

from time import monotonic

from synapse_ls.integrations.payload_values import replace_surrogates
from synapse_ls.integrations.tool_hooks import EVENT_FIELD, TOOL_NAME
from synapse_ls.text.fast_json import dumps, loads
from synapse_ls.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    MessageId = str | int

PROTOCOL_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
TOO_LATE: Final = -32000  # of those that a server may define
TOOL: Final[dict[str, Any]] = {
    "name": TOOL_NAME,
    "title": "Synapse LS hook",
    "description": "Called by the client itself, as its hook. It is of no use to an agent.",
    "inputSchema": {
        "type": "object",
        "properties": {EVENT_FIELD: {"type": "string"}},
        "required": [EVENT_FIELD],
    },
    # Only the client sees it: the model is told nothing of it (extension "apps", SEP-1865).
    "_meta": {"ui": {"visibility": ["app"]}},
}


class ToolCall:
    """A ToolCall is a message to the hook server that calls its tool: the id of the request, the
    fields of the event, and when it was read, in seconds of the clock that only goes forward.
    """

    __slots__ = ("arguments", "id", "read")

    def __init__(self, identity: MessageId, arguments: dict[str, Any]) -> None:
        self.id = identity
        self.arguments = arguments
        self.read = monotonic()


class Cancellation:
    """A Cancellation is a message to the hook server that nobody waits any more for the answer to
    the request ``id``.
    """

    __slots__ = ("id",)

    def __init__(self, identity: object) -> None:
        self.id = identity


def read_message(line: bytes) -> ToolCall | Cancellation | bytes:
    """Returns what a client's message to the hook server asks for; bytes are the answer to it, b""
    for none.
    """
    try:
        message = loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return error_message(None, PARSE_ERROR, "this line is no JSON")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error_message(None, INVALID_REQUEST, "this is no message of JSON-RPC 2.0")
    method, identity, params = message.get("method"), message.get("id"), message.get("params")
    if "id" not in message:
        if method == "notifications/cancelled" and isinstance(params, dict):
            return Cancellation(params.get("requestId"))
        return b""
    if not isinstance(method, str):  # the answer to something that was never asked
        return b""
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        return error_message(None, INVALID_REQUEST, "the id of a request is a text or a number")
    if method == "tools/call":
        return _read_call(identity, params)
    if method == "initialize":
        return result_message(identity, _greeting(params))
    if method == "ping":
        return result_message(identity, {})
    if method == "tools/list":
        return result_message(identity, {"tools": [TOOL]})
    return error_message(identity, UNKNOWN_METHOD, f"{method[:80]} is not served here")


def _read_call(identity: MessageId, params: object) -> ToolCall | bytes:
    name = params.get("name") if isinstance(params, dict) else None
    if name != TOOL_NAME:
        return error_message(identity, INVALID_PARAMS, f"the only tool here is {TOOL_NAME}")
    assert isinstance(params, dict)
    arguments = params.get("arguments", {})
    if not isinstance(arguments, dict):
        return error_message(identity, INVALID_PARAMS, "the arguments of a tool are an object")
    return ToolCall(identity, arguments)


def _greeting(params: object) -> dict[str, Any]:
    """Returns what is said of the server, in the client's version of the protocol if it is known."""
    asked = params.get("protocolVersion") if isinstance(params, dict) else None
    return {
        "protocolVersion": asked if asked in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "synapse-hooks", "title": "Synapse LS hooks", "version": VERSION},
    }


def reply_message(identity: MessageId, reply: str) -> bytes:
    """Returns the server's message that answers a call of the tool; reply: what the hook as a
    command would print.
    """
    content = [{"type": "text", "text": reply}]
    return result_message(identity, {"content": content, "isError": False})


def result_message(identity: MessageId, result: dict[str, Any]) -> bytes:
    """Returns the server's message that answers a request with a result."""
    return _encode_message({"id": identity, "result": result})


def error_message(identity: MessageId | None, code: int, sentence: str) -> bytes:
    """Returns the server's message that says what is wrong with one of the client's; identity: None
    where it cannot be told.
    """
    error = {"code": code, "message": replace_surrogates(sentence)}
    return _encode_message({"id": identity, "error": error})


def _encode_message(message: dict[str, Any]) -> bytes:
    return dumps({"jsonrpc": "2.0", **message}, None).encode("utf-8", "replace") + b"\n"
