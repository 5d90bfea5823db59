"""The settings of Codex CLI: its hook files, events, trust and approvals.

Its reader is strict: an unknown key makes a hook fail.

Source: its hooks documentation and the keys of its configuration.

Find what Codex takes for a mistake in a hook file, for which it leaves out the whole
file with a warning.

Source: the answers of Codex 0.169 to ``hooks/list``, for each of these mistakes. What it skips
alone, such as a hook that asks a model, is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from synapse_ls.integrations.client_definition import (
    HOOK_SERVER_NAME,
    PROJECT,
    TIMEOUT,
    TOML,
    USER,
    Client,
    Mistake,
    Servers,
    SettingsPlace,
    ToolHooks,
    UserFolder,
)
from synapse_ls.integrations.codex.hook_approvals import APPROVAL_HINT, find_skipped_hooks
from synapse_ls.integrations.hook_commands import (
    CMD_SHELL,
    hook_command,
    hook_group,
    hook_server_command,
    tool_hook,
)
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement, JsonNode

_EVENTS: Final = frozenset(
    {
        "PermissionRequest",
        "PostCompact",
        "PostToolUse",
        "PreCompact",
        "PreToolUse",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "UserPromptSubmit",
    }
)
"""Of other events it reads nothing, so nothing about them is a mistake."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_null(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_seconds(value: Any) -> bool:
    return value is None or (type(value) is int and 0 <= value < 2**64)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict | float)  # its reader makes an object of a fraction


def _is_struct(value: Any) -> bool:
    return isinstance(value, dict | list)  # of a list it takes the fields in their order


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


Fields = dict[str, tuple[Callable[[Any], bool], str]]
"""Name -> the check of its value, and what one that fails it is."""

_DOCUMENT: Final[Fields] = {
    "description": (_is_text_or_null, "no text"),
    "hooks": (_is_struct, "no object"),
}
_GROUP: Final[Fields] = {
    "matcher": (_is_text_or_null, "no text"),
    "hooks": (_is_list, "no list"),
}
_ANY_HOOK: Final[Fields] = {
    "timeout": (_is_seconds, "no whole number from 0"),
    "statusMessage": (_is_text_or_null, "no text"),
}
_HOOKS: Final[dict[str, Fields]] = {
    "command": {
        **_ANY_HOOK,
        "command": (_is_text, "no text"),
        "commandWindows": (_is_text_or_null, "no text"),
        "async": (_is_switch, "neither true nor false"),
    },
    "mcp_tool": {
        **_ANY_HOOK,
        "server": (_is_text, "no text"),
        "tool": (_is_text, "no text"),
        "input": (_is_object, "no object"),
    },
    "prompt": {},
    "agent": {},
}
_NEEDED: Final = {"command": ("command",), "mcp_tool": ("server", "tool")}


def find_malformed_hooks(settings: JsoncDocument) -> Iterator[Mistake]:
    """Yield the offset of each mistake in a hook file, and what is wrong, as a clause."""
    root = settings.root
    if not isinstance(root.value, dict):
        return
    for member in root.elements:
        if member.key not in _DOCUMENT:
            clause = f"`{member.key}` is no key that Codex is known to take beside `hooks`"
            yield Mistake(member.start, clause, "warning")
    yield from _mistakes_in_fields(root, _DOCUMENT, "the file")
    hooks = root.get("hooks")
    if hooks is None or not isinstance(hooks.node.value, dict):
        return
    events: Fields = dict.fromkeys(_EVENTS, (_is_list, "no list"))
    yield from _mistakes_in_fields(hooks.node, events, "`hooks`")
    for event in hooks.node.members:
        if event.key in _EVENTS and isinstance(event.node.value, list):
            for group in event.node.elements:
                mistake_event = event.key
                if not _is_struct(group.node.value):
                    yield Mistake(group.start, f"an entry of `{mistake_event}` is no object")
                if not isinstance(group.node.value, dict):
                    continue
                yield from _mistakes_in_fields(group.node, _GROUP, f"an entry of `{mistake_event}`")
                mistake_hooks = group.node.get("hooks")
                for hook in () if mistake_hooks is None else mistake_hooks.node.elements:
                    yield from _mistakes_in_hook(mistake_event, hook)


def _mistakes_in_hook(event: str, hook: JsonElement) -> Iterator[Mistake]:
    name, value = f"a hook of `{event}`", hook.node.value
    if not isinstance(value, dict):
        yield Mistake(hook.start, f"{name} is no object")
        return
    kind = value.get("type")
    if not isinstance(kind, str):
        yield Mistake(hook.start, f"{name} has no `type`")
        return
    if kind not in _HOOKS:
        clause = f"{name} has the `type` {kind}, which Codex is not known to have"
        yield Mistake(hook.start, clause, "warning")
        return
    for key in _NEEDED.get(kind, ()):
        if key not in value:
            yield Mistake(hook.start, f"{name} has no `{key}`")
    fields: Fields = {"type": (_is_text, "no text"), **_HOOKS[kind]}
    yield from _mistakes_in_fields(hook.node, fields, name)


def _mistakes_in_fields(node: JsonNode, fields: Fields, name: str) -> Iterator[Mistake]:
    """Yield members that stand twice or whose value is none that Codex takes there."""
    counts = Counter[str]()
    for member in node.elements:
        if member.key not in fields:
            continue
        counts[member.key] += 1
        is_right, wrong = fields[member.key]
        if counts[member.key] == 2:
            yield Mistake(member.start, f"`{member.key}` of {name} stands there twice")
        elif not is_right(member.node.value):
            yield Mistake(member.start, f"the `{member.key}` of {name} is {wrong}")


_SESSION_END_LIMIT = 3  # seconds; with more, Codex warns at each start that it waits no longer


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    wait = min(TIMEOUT, _SESSION_END_LIMIT) if event == "SessionEnd" else TIMEOUT
    return hook_group(hook_command("codex", event, scope, windows=CMD_SHELL), wait)


_COMMON = ("session_id", "turn_id", "transcript_path", "cwd", "model")
_COMMON_PAYLOAD: Final = {
    "turn_id": "1",
    "transcript_path": None,
    "cwd": "{root}",
    "hook_event_name": "UserPromptSubmit",
    "model": "",
    "permission_mode": "default",
}

CLIENT = Client(
    name="codex",
    title="Codex",
    places=(SettingsPlace(PROJECT, ".codex/hooks.json"), SettingsPlace(USER, "hooks.json")),
    foreign_places=(
        SettingsPlace(PROJECT, ".codex/config.toml"),
        SettingsPlace(USER, "config.toml"),
    ),
    user_folder=UserFolder(".codex", "CODEX_HOME"),
    events=(
        "SessionStart",
        "UserPromptSubmit",
        "SubagentStart",
        "PostToolUse",
        "PreCompact",
        "SessionEnd",
    ),
    prompt="UserPromptSubmit",
    hook_entry=_hook_entry,
    prompt_payload={**_COMMON_PAYLOAD, "prompt": "{text}"},
    tool_events=("PreToolUse",),
    tool_payload={
        **_COMMON_PAYLOAD,
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "{text}"},
        "tool_use_id": "1",
    },
    signs=(".codex",),
    programs=("codex",),
    find_troubles=find_skipped_hooks,
    find_mistakes=find_malformed_hooks,
    takes_byte_order_mark=False,
    tool_hooks=ToolHooks(
        # A field that an event lacks keeps Codex from calling the tool, and only tools that a
        # sub-agent uses have its id: events of tools stay commands.
        {
            "UserPromptSubmit": (*_COMMON, "prompt"),
            "SubagentStart": (*_COMMON, "agent_id", "agent_type"),
            "PreCompact": _COMMON,
        },
        lambda event, fields, _: ({"hooks": [tool_hook(event, fields)]},),
        (0, 169, 0),
        "with older ones they were not tried",
        Servers(
            (SettingsPlace(PROJECT, ".codex/config.toml"), SettingsPlace(USER, "config.toml")),
            lambda scope: hook_server_command("codex", scope),
            ("mcp_servers",),
            TOML,
            HOOK_SERVER_NAME,
        ),
    ),
    after_install=APPROVAL_HINT,
    server_hint="run `codex mcp add synapse -- synapse-ls mcp`",
)
