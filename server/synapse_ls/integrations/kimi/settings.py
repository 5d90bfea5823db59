"""The settings of Kimi Code: ``[[hooks]]`` tables in the user's ``config.toml``.

There are no hooks per project. Keys are ``event``, ``matcher``, ``command`` and ``timeout``; any
mistake makes it ignore all hooks with a warning.

Source: Kimi Code's documentation of hooks and its code, checked against 2.1.0.
"""

from collections.abc import Iterator
from typing import Any, Final

from synapse_ls.formats.toml_document import key_positions
from synapse_ls.integrations import client_settings
from synapse_ls.integrations.hook_commands import CMD_SHELL, hook_command
from synapse_ls.integrations.settings_syntax import TABLE, find_table_start, load_settings
from synapse_ls.text.jsonc_tree import JsoncDocument

_EVENTS: Final = frozenset({
    "Interrupt", "Notification", "PermissionRequest", "PermissionResult", "PostCompact",
    "PostToolUse", "PostToolUseFailure", "PreCompact", "PreToolUse", "SessionEnd",
    "SessionHeartbeat", "SessionStart", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
    "TaskStarted", "TurnStarted", "UserPromptQueued", "UserPromptSubmit",
})  # fmt: skip
_KEYS: Final = ("event", "matcher", "command", "timeout")
_LONGEST: Final = 600  # seconds


def find_malformed_hooks(settings: JsoncDocument) -> Iterator[client_settings.Mistake]:
    """Yield the offset of each mistake in the tables of hooks, and what is wrong, as a clause."""
    tables = load_settings(settings.text).get(TABLE)
    start = find_table_start(settings.text)
    if tables is None:
        return
    if not isinstance(tables, list):
        yield client_settings.Mistake(start, "`hooks` is no list of tables")
        return
    places = key_positions(settings.text)
    for number, hook in enumerate(tables):
        place = places.get((TABLE, number))
        at = start if place is None else place.value.start
        if not isinstance(hook, dict):
            yield client_settings.Mistake(at, "a hook is no table")
            continue
        for key, clause, severity in _mistakes_in_hook(hook):
            member = places.get((TABLE, number, key))
            yield client_settings.Mistake(
                at if member is None else member.key.start, clause, severity
            )


def _mistakes_in_hook(hook: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the key of each mistake, what is wrong and how bad that is."""
    event, command = hook.get("event"), hook.get("command")
    if not isinstance(event, str):
        yield "event", "a hook has no `event`", "error"
    elif event not in _EVENTS:
        yield "event", f"`{event}` is no event that Kimi Code is known to have", "warning"
    if not isinstance(command, str) or not command:
        yield "command", "a hook has no `command`", "error"
    if not isinstance(hook.get("matcher", ""), str):
        yield "matcher", "the `matcher` of a hook is no text", "error"
    value = hook.get("timeout", 1)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and 1 <= value <= _LONGEST and value % 1 == 0):
        yield "timeout", f"the `timeout` of a hook is no whole number from 1 to {_LONGEST}", "error"
    for key in hook:
        if key not in _KEYS:
            yield key, f"`{key}` is no key that Kimi Code is known to take in a hook", "warning"


_COMMON_PAYLOAD: Final = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": "",
    "cwd": "{root}",
    "client_type": "kimi_code_cli",
}

_REGISTERED_EVENTS = (
    "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact",
    "PostCompact", "Stop", "SessionEnd",
)  # fmt: skip

CLIENT = client_settings.Client(
    name="kimi",
    title="Kimi Code",
    places=(client_settings.SettingsPlace(client_settings.USER, "config.toml"),),
    user_folder=client_settings.UserFolder(".kimi-code", "KIMI_CODE_HOME"),
    events=_REGISTERED_EVENTS,
    hook_entry=lambda event, scope: {
        "event": event,
        "command": hook_command("kimi", event, scope, windows=CMD_SHELL),
        "timeout": client_settings.TIMEOUT,
    },
    prompt_payload={
        **_COMMON_PAYLOAD,
        "prompt": [{"type": "text", "text": "{text}"}],
        "is_steer": False,
    },
    tool_events=("PreToolUse",),
    tool_payload=client_settings.command_payload(_COMMON_PAYLOAD, "Bash", tool_call_id="1"),
    syntax=client_settings.TOML,
    signs=(".kimi-code",),
    programs=("kimi",),
    find_mistakes=find_malformed_hooks,
    server_hint="add it to `~/.kimi-code/mcp.json`, or to `.mcp.json` in a project",
)
