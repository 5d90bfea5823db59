"""What a client hands to the tool that it calls as a hook, and reads it back into the payload that
a command would have read.

A client fills placeholders in, each with one field of the event. Claude Code makes a text of every
value and "" of a field that is not there; Codex keeps types, and calls nothing where a field is not
there.

Sources: ``mcp_tool`` hooks of Claude Code 2.1.330 and Codex CLI 0.169.0, as they were measured.
"""

from __future__ import annotations

from synapse_ls.integrations.hook_event import Payload
from synapse_ls.text.fast_json import dumps, loads

TOOL_NAME = "synapse_hook"
EVENT_FIELD = "hook_event_name"
_OBJECT_FIELDS = ("tool_input", "tool_response")
"""What may be an object, or a list."""
_SWITCH_FIELDS = ("is_interrupt", "stop_hook_active")
_SWITCHES = {"true": True, "false": False}


def tool_input(event: str, fields: tuple[str, ...]) -> dict[str, str]:
    """Return what the settings of a client have it hand to the tool for an event."""
    return {EVENT_FIELD: event, **{name: f"${{{name}}}" for name in fields}}


def fill_input(wanted: dict[str, str], payload: Payload) -> Payload:
    """Return what a client hands to the tool for an event with this payload, in texts alone."""
    filled: Payload = {}
    for name, written in wanted.items():
        value = payload.get(name) if written == f"${{{name}}}" else written
        filled[name] = (
            "" if value is None else value if isinstance(value, str) else dumps(value, None)
        )
    return filled


def read_payload(arguments: Payload) -> Payload:
    """Read the payload of the event that the ``arguments`` of a hook's tool are about: without what
    was not there, and with the types that clients make texts of.
    """
    return {name: _read_value(name, value) for name, value in arguments.items() if value != ""}


def _read_value(name: str, value: object) -> object:
    """Return the value that a text stands for in a field whose values are none; else ``value``
    itself.
    """
    if not isinstance(value, str):
        return value
    if name in _SWITCH_FIELDS:
        return _SWITCHES.get(value, value)
    if name in _OBJECT_FIELDS and value[0] in "{[":
        try:
            return loads(value)
        except ValueError:
            pass
    return value
