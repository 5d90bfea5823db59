"""This module has the names of the custom ``synapse/*`` methods and the capabilities beyond the
standard, and reads objects that a client has sent with others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synapse_ls.setup.mcp_sdk import sdk_problem

CONTEXT = "synapse/context"
EXPLAIN = "synapse/explain"
STATUS = "synapse/status"
DOMAINS = "synapse/domains"
SESSIONS = "synapse/sessions"
CHOICES = "synapse/choices"
SQUADS = "synapse/squads"
WHY = "synapse/why"
GUARD = "synapse/guard"
COMPARE = "synapse/compare"
TESTS = "synapse/tests"
RUN_TESTS = "synapse/runTests"
INJECTIONS = "synapse/injections"
COMPACT = "synapse/compact"
MEMORY = "synapse/memory"
ACTIVATION = "synapse/activation"
AUDIT = "synapse/audit"
RULE_PAGE = "synapse/rulePage"
DID_CHANGE_CONTEXT = "synapse/didChangeContext"

METHODS = (
    CONTEXT,
    EXPLAIN,
    STATUS,
    DOMAINS,
    SESSIONS,
    CHOICES,
    SQUADS,
    WHY,
    GUARD,
    COMPARE,
    TESTS,
    RUN_TESTS,
    INJECTIONS,
    COMPACT,
    MEMORY,
    ACTIVATION,
    AUDIT,
    RULE_PAGE,
)
"""The requests; `custom_parameters` has what is asked in each of them."""


def string_fields(value: Any) -> dict[str, str]:
    """Returns the strings by name in an object that a client has sent with a custom method; {}
    where it is none.
    """
    return {name: text for name, text in object_fields(value).items() if isinstance(text, str)}


def object_fields(value: Any) -> dict[str, Any]:
    """Returns the fields of an object that a client has sent with a custom method, which pygls may
    have made a named tuple of; {} where it is none.
    """
    if hasattr(value, "_asdict"):
        value = value._asdict()
    return {str(name): item for name, item in value.items()} if isinstance(value, Mapping) else {}


def experimental_capabilities() -> dict[str, Any] | None:
    """Returns ``capabilities.experimental``, what this server can do beyond the standard; None for
    nothing.

    mcp: the server can be started as one of the Model Context Protocol, by ``args`` in the place of
    ``serve``; only where the interpreter that runs has the SDK.
    """
    return None if sdk_problem() else {"mcp": {"args": ["mcp"]}}
