"""Handle JSON-RPC messages in and out: exactly one response to every request, however malformed.

pygls types messages and runs handlers. Where it would be silent, raise or keep documents of its
own, this class overrides it; each place says what pygls 2.1 does there.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
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

from synapse_ls.lsp import convert, feature_table, stdio_transport

if TYPE_CHECKING:
    from synapse_ls.lsp.language_server import Server

_log = logging.getLogger(__name__)
_OWN_HANDLERS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
)


class ServerProtocol(LanguageServerProtocol):
    """The JSON-RPC protocol of one connection."""

    _server: Server

    def __init__(self, server: Any, converter: Any) -> None:
        # First, because pygls looks at every attribute of the instance.
        self._waiting: deque[Any] = deque()
        self._is_pumping = False
        self._is_initialized = False
        super().__init__(server, converter)
        # pygls keeps documents and folders of its own, wrongly (see `open_documents`); the
        # server's handlers are enough.
        for method in _OWN_HANDLERS:
            del self.fm.builtin_features[method]

    def enqueue_messages(self, batch: list[Any]) -> None:
        """Take the messages that were read; a request whose cancellation has arrived too is not
        begun at all.
        """
        for data in batch:
            is_cancellation = (
                isinstance(data, dict)
                and data.get("method") == types.CANCEL_REQUEST
                and isinstance(data.get("params"), dict)
            )
            request = None
            if is_cancellation and (msg_id := data["params"].get("id")) is not None:
                requests = (d for d in self._waiting if isinstance(d, dict) and "method" in d)
                request = next((d for d in requests if d.get("id") == msg_id), None)
            if request is None:
                self._waiting.append(data)
            else:
                self._waiting.remove(request)
                cancelled = JsonRpcRequestCancelled("The request was cancelled.")
                self._send_error(request["id"], cancelled)
        if self._waiting and not self._is_pumping:
            self._is_pumping = True
            asyncio.get_running_loop().call_soon(self._receive_next)

    def receive_message(self, data: Any) -> None:
        """Take one message as decoded JSON. It never raises."""
        if data is stdio_transport.END_OF_INPUT:
            self._server.stop(self._exit_code)
        elif data is stdio_transport.BROKEN_MESSAGE:
            self._send_error(None, JsonRpcParseError())
        elif not isinstance(data, dict) or data.get("jsonrpc") != self.VERSION:
            msg_id = data.get("id") if isinstance(data, dict) else None
            self._send_error(msg_id, JsonRpcInvalidRequest("This is no JSON-RPC 2.0 message."))
        elif not isinstance(data.get("method"), str):
            self._receive_response(data)
        elif "id" in data:
            self._receive_request(data["id"], data["method"], data)
        else:
            self._receive_notification(data["method"], data)

    @property
    def is_busy(self) -> bool:
        """Whether messages that have arrived still wait for their turn."""
        return self._is_pumping

    @property
    def _exit_code(self) -> int:
        return 0 if self._shutdown else 1

    def _receive_next(self) -> None:
        """Handle one message, then let the loop do whatever else it has to do."""
        if self._waiting:  # else the last one was withdrawn meanwhile
            self.receive_message(self._waiting.popleft())
        self._is_pumping = bool(self._waiting)
        if self._is_pumping:
            asyncio.get_running_loop().call_soon(self._receive_next)

    def _receive_request(self, msg_id: Any, method: str, data: dict[str, Any]) -> None:
        # pygls drops requests after shutdown, and never answers one that it cannot read.
        if not isinstance(msg_id, (int, str)) or isinstance(msg_id, bool):
            self._send_error(None, JsonRpcInvalidRequest("An id is a number or a string."))
        elif self._shutdown:
            self._send_error(msg_id, JsonRpcInvalidRequest("The server was shut down."))
        elif method == types.INITIALIZE and self._is_initialized:
            self._send_error(msg_id, JsonRpcInvalidRequest("The server is initialized already."))
        elif method != types.INITIALIZE and not self._is_initialized:
            self._send_error(msg_id, JsonRpcServerNotInitialized("`initialize` comes first."))
        elif not self._knows_method(method):
            self._send_error(msg_id, JsonRpcMethodNotFound.of(method))
        else:
            try:
                message = self._typed_message(method, data, JsonRPCRequestMessage)
            except JsonRpcInvalidParams as error:
                self._send_error(msg_id, error)
            else:
                self._is_initialized = True
                self.handle_message(message)

    def _receive_notification(self, method: str, data: dict[str, Any]) -> None:
        params = data.get("params")
        if method == types.EXIT:
            self._server.stop(self._exit_code)
        elif not self._is_initialized or self._shutdown or not self._knows_method(method):
            return  # LSP: what comes too early or is not known is dropped without an answer
        elif method == types.CANCEL_REQUEST and not (
            isinstance(params, dict) and isinstance(params.get("id"), (int, str))
        ):
            return  # nothing is cancelled, which is no failure that a person should see
        else:
            try:
                self.handle_message(self._typed_message(method, data, JsonRPCNotification))
            except JsonRpcInvalidParams as error:
                self._server.errors.report(error)

    def _receive_response(self, data: dict[str, Any]) -> None:
        # pygls drops responses after shutdown, and raises where the asker has given up meanwhile.
        msg_id: Any = data.get("id")
        future = self._request_futures.pop(msg_id, None)
        kind = self._result_types.pop(msg_id, None)
        if future is None or not future.set_running_or_notify_cancel():
            return
        error = data.get("error")
        if isinstance(error, dict):
            message = str(error.get("message", ""))
            future.set_exception(JsonRpcException(message, code=error.get("code") or -32001))
            return
        try:
            future.set_result(
                self._converter.structure(data, kind).result if kind else data.get("result")
            )
        except Exception as problem:
            future.set_exception(JsonRpcInternalError(f"The response cannot be read: {problem}"))

    def _knows_method(self, method: str) -> bool:
        return (
            method == types.CANCEL_REQUEST
            or method in self.fm.builtin_features
            or method in self.fm.features
        )

    def _typed_message(self, method: str, data: dict[str, Any], unknown: type[Any]) -> Any:
        """Return the typed message; raise JsonRpcInvalidParams with the reason where it does not
        fit its type.
        """
        try:
            if method in feature_table.METHODS:
                # pygls would make nested named tuples of it, with other names.
                from synapse_ls.lsp.custom_messages import PARAMS, parse_params

                params = parse_params(PARAMS[method], data.get("params"))
                return unknown(**_envelope_fields(data), params=params)
            fields = data.get("params")
            document = fields.get("textDocument") if isinstance(fields, dict) else None
            # The converter makes a string of anything.
            if isinstance(document, dict) and not isinstance(document.get("uri"), str):
                raise TypeError("textDocument.uri is not a string")  # noqa: TRY301
            if method == types.TEXT_DOCUMENT_DID_CHANGE:
                document = data["params"]["textDocument"]
                if not isinstance(document.get("version"), int):
                    opened = self._server.documents.get(document["uri"])
                    document = {**document, "version": opened.version if opened else 0}
                    data = {**data, "params": {**data["params"], "textDocument": document}}
            if kind := self.get_message_type(method):
                return self._converter.structure(data, kind)
            return unknown(**_envelope_fields(data), params=None)
        except Exception as error:
            reason: Any = error  # the innermost one of a tree of errors
            while getattr(reason, "exceptions", None):
                reason = reason.exceptions[0]
            raise JsonRpcInvalidParams(
                f"Invalid params of {method}: {type(reason).__name__}: {reason}"
            ) from error

    def _send_error(self, msg_id: Any, error: JsonRpcException) -> None:
        # Written out, because an id that is null may not be left out (JSON-RPC 2.0, 5).
        message = feature_table.break_links(error.message)  # which an editor shows
        if self._server.client_runs_links:
            message = feature_table.name_editor_commands(message)
        body = {"code": error.code, "message": message}
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": body})

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        # pygls logs a traceback for every error response, and sends it to the client.
        if future.cancelled():
            self._send_error(msg_id, JsonRpcRequestCancelled("The request was cancelled."))
            return
        if (error := future.exception()) is None:
            result = future.result()
            if isinstance(result, convert.PlainResult):
                self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "result": result.value})
            else:
                self._send_response(msg_id, result)
        elif isinstance(error, JsonRpcException):
            self._send_error(msg_id, error)
        else:
            self._send_error(msg_id, JsonRpcInternalError(f"{type(error).__name__}: {error}"))
            self._server.errors.report(error, answered=True)

    def _check_handler_result(self, future: Any) -> None:
        # pygls wraps the error in another one, without its traceback.
        if not future.cancelled() and (error := future.exception()) is not None:
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

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(  # type: ignore[override]  # pygls runs a function as well as a generator
        self, params: types.InitializeParams
    ) -> types.InitializeResult:
        """Handle the client's first request; return what the server can do. Raises
        JsonRpcInvalidParams where a capability of the client is not what the protocol says.
        """
        self.client_capabilities = params.capabilities
        try:
            self._server.initialize(params)
            # pygls writes them out for its log, whether or not anybody logs.
            features = {*self.fm.features, *self.fm.builtin_features}
            builder: Any = ServerCapabilitiesBuilder(
                params.capabilities,
                features,
                self.fm.feature_options,
                list(self.fm.commands),
                self._server._text_document_sync_kind,
                position_encoding=self._server.client.encoding,
            )
            self.server_capabilities: types.ServerCapabilities = builder.build()
            if self._server.client.content and self.server_capabilities.workspace:
                # pygls does not know it.
                content = types.TextDocumentContentOptions([feature_table.PREVIEW_SCHEME])
                self.server_capabilities.workspace.text_document_content = content
            self.server_capabilities.experimental = feature_table.experimental_capabilities()
        except (AttributeError, TypeError) as error:
            _log.warning("initialize fails", exc_info=error)
            raise JsonRpcInvalidParams(f"Invalid params of {types.INITIALIZE}: {error}") from error
        return types.InitializeResult(self.server_capabilities, self.server_info)


def _envelope_fields(data: dict[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in ("id", "method", "jsonrpc") if name in data}
