"""Asking the client something while it waits for an answer, in both ways that the protocol has.

Up to 2025-11-25 a server sends requests of its own. From 2026-07-28 on it answers that input is
required, and the client calls again with it.
"""

from __future__ import annotations

from typing import Any

import anyio
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from synapse_ls.engine.hashing import text_hash

ROOTS, CONFIRM = "roots", "confirm"
_PATIENCE = 5.0  # seconds for a client to say where it works

Context = ServerRequestContext[Any, Any]


class Pending(Exception):  # noqa: N818
    """The answer has to wait for what the client is asked."""

    def __init__(self, name: str, request: types.InputRequest, state: str | None = None) -> None:
        super().__init__(name)
        self.result = types.InputRequiredResult(input_requests={name: request}, request_state=state)


class Asking:
    """One request of a client. params: those that have what it was asked before, and said."""

    def __init__(
        self, ctx: Context, params: types.InputResponseRequestParams | None = None
    ) -> None:
        self._ctx = ctx
        self._responses = (params.input_responses if params else None) or {}
        self._state = params.request_state if params else None
        self._modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def roots(self, *, can_wait: bool) -> list[str] | None:
        """URIs of the folders that the client works in; None where it does not say.

        can_wait: whether this kind of request may be answered with `Pending`, which is raised then.
        """
        able = self._ctx.session.client_capabilities
        if able is None or able.roots is None:
            return []
        request = types.ListRootsRequest()
        if self._modern:
            found = self._responses.get(ROOTS)
            if not isinstance(found, types.ListRootsResult):
                if can_wait:
                    raise Pending(ROOTS, request)
                return None
        else:
            try:
                with anyio.fail_after(_PATIENCE):
                    found = await self._ctx.session.send_request(request, types.ListRootsResult)
            except (MCPError, TimeoutError):
                return []
        return [str(root.uri) for root in found.roots]

    async def confirm(self, question: str) -> bool | None:
        """Whether a person says yes; None where the client cannot ask one. Raises `Pending`."""
        able = self._ctx.session.client_capabilities
        forms = able.elicitation if able else None
        if forms is None or (forms.url is not None and forms.form is None):
            return None
        schema: dict[str, Any] = {"type": "object", "properties": {}}
        if self._modern:
            found, asked = self._responses.get(CONFIRM), text_hash(question)
            # What was said holds for the very question that was asked.
            if not isinstance(found, types.ElicitResult) or self._state != asked:
                form = types.ElicitRequestFormParams(message=question, requested_schema=schema)
                raise Pending(CONFIRM, types.ElicitRequest(params=form), asked)
        else:
            session = self._ctx.session
            found = await session.elicit_form(question, schema, self._ctx.request_id)
        return found.action == "accept"
