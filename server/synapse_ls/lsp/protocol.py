"""JSON-RPC in and out: exactly one response to every request, whatever it looks like.

pygls does the typing of messages and the running of handlers. Where it would stay silent, raise or
keep documents of its own, this class steps in; each place says what pygls 2.1 does there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage

from synapse_ls.lsp import custom
from synapse_ls.lsp.beyond import beyond_standard
from synapse_ls.lsp.transport import BROKEN, END

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server

    Step = Generator[Any, Any, None]


class Protocol(LanguageServerProtocol):
    """The protocol of one connection."""

    _server: Server

    def __init__(self, server: Any, converter: Any) -> None:
        # First, because pygls looks at every attribute of the instance.
        self._waiting: deque[Any] = deque()
        self._pumping = False
        self._initialized = False
        self._capabilities = types.ServerCapabilities()
        super().__init__(server, converter)

    @property
    def server_capabilities(self) -> types.ServerCapabilities:
        """What ``initialize`` is answered with."""
        return self._capabilities

    @server_capabilities.setter
    def server_capabilities(self, found: types.ServerCapabilities) -> None:
        found.experimental = beyond_standard()
        self._capabilities = found

    def arrived(self, batch: list[Any]) -> None:
        """Take what was read; a request whose cancellation has arrived too is not begun at all."""
        for data in batch:
            if not (_is_cancel(data) and self._withdraw(data)):
                self._waiting.append(data)
        if self._waiting and not self._pumping:
            self._pumping = True
            asyncio.get_running_loop().call_soon(self._pump)

    def receive(self, data: Any) -> None:
        """Take one message as decoded JSON. Never raises."""
        if data is END:
            self._server.leave(self._exit_code)
        elif data is BROKEN:
            self._refuse(None, JsonRpcParseError())
        elif not isinstance(data, dict) or data.get("jsonrpc") != self.VERSION:
            self._refuse(_id_of(data), JsonRpcInvalidRequest("This is no JSON-RPC 2.0 message."))
        elif not isinstance(data.get("method"), str):
            self._responded(data)
        elif "id" in data:
            self._requested(data["id"], data["method"], data)
        else:
            self._notified(data["method"], data)

    @property
    def is_busy(self) -> bool:
        """Whether messages that have arrived still wait for their turn."""
        return self._pumping

    @property
    def _exit_code(self) -> int:
        return 0 if self._shutdown else 1

    def _pump(self) -> None:
        """One message, then whatever else the loop has to do."""
        if self._waiting:  # else the last one was withdrawn meanwhile
            self.receive(self._waiting.popleft())
        self._pumping = bool(self._waiting)
        if self._pumping:
            asyncio.get_running_loop().call_soon(self._pump)

    def _withdraw(self, cancel: dict[str, Any]) -> bool:
        meant = cancel["params"].get("id")
        for data in self._waiting:
            if isinstance(data, dict) and "method" in data and _id_of(data) == meant is not None:
                self._waiting.remove(data)
                self._refuse(meant, JsonRpcRequestCancelled("The request was cancelled."))
                return True
        return False

    def _requested(self, msg_id: Any, method: str, data: dict[str, Any]) -> None:
        # pygls drops requests after shutdown, and never answers one that it cannot read.
        if not isinstance(msg_id, (int, str)) or isinstance(msg_id, bool):
            self._refuse(None, JsonRpcInvalidRequest("An id is a number or a string."))
        elif self._shutdown:
            self._refuse(msg_id, JsonRpcInvalidRequest("The server was shut down."))
        elif method == types.INITIALIZE and self._initialized:
            self._refuse(msg_id, JsonRpcInvalidRequest("The server is initialized already."))
        elif method != types.INITIALIZE and not self._initialized:
            self._refuse(msg_id, JsonRpcServerNotInitialized("`initialize` comes first."))
        elif not self._knows(method):
            self._refuse(msg_id, JsonRpcMethodNotFound.of(method))
        else:
            try:
                message = self._structured(method, data, JsonRPCRequestMessage)
            except JsonRpcInvalidParams as error:
                self._refuse(msg_id, error)
                return
            self._initialized = True
            self.handle_message(message)

    def _notified(self, method: str, data: dict[str, Any]) -> None:
        if method == types.EXIT:
            self._server.leave(self._exit_code)
        elif not self._initialized or self._shutdown or not self._knows(method):
            return  # LSP: what comes too early or is not known is dropped without an answer
        elif method == types.CANCEL_REQUEST and not _names_request(data.get("params")):
            return  # nothing is cancelled, which is no failure that a person should see
        else:
            try:
                self.handle_message(self._structured(method, data, JsonRPCNotification))
            except JsonRpcInvalidParams as error:
                self._server.errors.report(error)

    def _responded(self, data: dict[str, Any]) -> None:
        # pygls drops responses after shutdown, and raises where the asker has given up meanwhile.
        msg_id = _id_of(data)
        future = self._request_futures.pop(msg_id, None) if msg_id is not None else None
        kind = self._result_types.pop(msg_id, None) if msg_id is not None else None
        if future is None or not future.set_running_or_notify_cancel():
            return
        error = data.get("error")
        if isinstance(error, dict):
            future.set_exception(
                JsonRpcException(
                    message=str(error.get("message", "")), code=error.get("code") or -32001
                )
            )
            return
        try:
            future.set_result(
                self._converter.structure(data, kind).result if kind else data.get("result")
            )
        except Exception as problem:
            future.set_exception(JsonRpcInternalError(f"The response cannot be read: {problem}"))

    def _knows(self, method: str) -> bool:
        return (
            method == types.CANCEL_REQUEST
            or method in self.fm.builtin_features
            or method in self.fm.features
        )

    def _structured(self, method: str, data: dict[str, Any], unknown: type[Any]) -> Any:
        """The typed message; JsonRpcInvalidParams with the reason where it does not fit its type."""
        try:
            ours = custom.PARAMS.get(method)
            if ours is not None:
                # pygls would make nested named tuples of it, with other names.
                params = custom.read(ours, data.get("params"))
                return unknown(**_envelope(data), params=params)
            _check_document(data.get("params"))
            kind = self.get_message_type(method)
            return (
                self._converter.structure(data, kind)
                if kind
                else unknown(**_envelope(data), params=None)
            )
        except Exception as error:
            raise JsonRpcInvalidParams(f"Invalid params of {method}: {_reason(error)}") from error

    def _refuse(self, msg_id: Any, error: JsonRpcException) -> None:
        # Written out, because an id that is null may not be left out (JSON-RPC 2.0, 5).
        told: dict[str, Any] = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": told})

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        # pygls logs a traceback for every error response, and sends it to the client.
        if future.cancelled():
            self._refuse(msg_id, JsonRpcRequestCancelled("The request was cancelled."))
            return
        error = future.exception()
        if error is None:
            self._send_response(msg_id, future.result())
        elif isinstance(error, JsonRpcException):
            self._refuse(msg_id, error)
        else:
            self._refuse(msg_id, JsonRpcInternalError(f"{type(error).__name__}: {error}"))
            self._server.errors.report(error, answered=True)

    def _check_handler_result(self, future: Any) -> None:
        # pygls wraps the error in another one, without its traceback.
        error = None if future.cancelled() else future.exception()
        if error is not None:
            self._server.errors.report(error)

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Callable[..., Any],
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        # pygls keeps the future of every notification for ever.
        def done(future: Any) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    # pygls keeps documents and folders of its own, wrongly (see `documents`); ours are enough.

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Step:
        """A document was opened."""
        yield self._server.did_open, (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Step:
        """A document was changed."""
        yield self._server.did_change, (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Step:
        """A document was closed."""
        yield self._server.did_close, (params,), None

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(
        self, params: types.DidChangeWorkspaceFoldersParams
    ) -> Step:
        """Folders were added or removed."""
        yield self._server.did_change_folders, (params,), None


def _is_cancel(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and data.get("method") == types.CANCEL_REQUEST
        and isinstance(data.get("params"), dict)
    )


def _names_request(params: Any) -> bool:
    return isinstance(params, dict) and isinstance(params.get("id"), (int, str))


def _check_document(params: Any) -> None:
    """TypeError for a document without a name: the converter makes a string of anything."""
    document = params.get("textDocument") if isinstance(params, dict) else None
    if isinstance(document, dict) and not isinstance(document.get("uri"), str):
        raise TypeError("textDocument.uri is not a string")


def _id_of(data: Any) -> Any:
    return data.get("id") if isinstance(data, dict) else None


def _envelope(data: dict[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in ("id", "method", "jsonrpc") if name in data}


def _reason(error: Exception) -> str:
    """The innermost reason of an error that is a tree of errors."""
    inner: Any = error
    while getattr(inner, "exceptions", None):
        inner = inner.exceptions[0]
    return f"{type(inner).__name__}: {inner}"
