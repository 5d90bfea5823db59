"""What this server can beyond the standard, for clients that know of it."""

from __future__ import annotations

from typing import Any

from synapse_ls.service.mcp_sdk import sdk_problem


def beyond_standard() -> dict[str, Any] | None:
    """``capabilities.experimental``, None for nothing.

    mcp: the server can be started as one of the Model Context Protocol, by ``args`` in the place of
    ``serve``; only where the interpreter that runs has the SDK.
    """
    return None if sdk_problem() else {"mcp": {"args": ["mcp"]}}
