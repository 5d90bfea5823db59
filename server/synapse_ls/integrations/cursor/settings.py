"""The settings of Cursor: its hook files, events and MCP servers.

Its pattern for comments also matches ``//`` inside strings, it reads no settings through a symbolic
link, and a mistake can make it ignore a whole hook file.

Sources: its hooks documentation; the checks of ``@cursor/sdk`` 1.0.32; forum.cursor.com/t/149566
for unknown events; affaan-m/ECC issue 1519 for ``version``. Whether a ``matcher`` is a valid
JavaScript pattern is not checked.
"""

from collections.abc import Iterator
from typing import Any, Final

from synapse_ls.integrations import client_settings, hook_commands
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement

_EVENTS: Final = frozenset({
    "afterAgentResponse", "afterAgentThought", "afterFileEdit", "afterMCPExecution",
    "afterShellExecution", "afterTabFileEdit", "beforeMCPExecution", "beforeReadFile",
    "beforeShellExecution", "beforeSubmitPrompt", "beforeTabFileRead", "postToolUse",
    "postToolUseFailure", "preCompact", "preToolUse", "sessionEnd", "sessionStart", "stop",
    "subagentStart", "subagentStop", "workspaceOpen",
})  # fmt: skip


def find_malformed_hooks(settings: JsoncDocument) -> Iterator[client_settings.Mistake]:
    """Yield the offset of each mistake in a hook file, and what is wrong, as a clause."""
    version, hooks = settings.root.get("version"), settings.root.get("hooks")
    if version is None:
        remedy = 'Write `"version": 1` into the outermost braces.'
        yield client_settings.Mistake(
            settings.root.span.start, "there is no `version`", remedy=remedy
        )
    elif not _is_count(version.node.value):
        remedy = "Write 1 there."
        yield client_settings.Mistake(
            version.start, "`version` is no whole number from 1", remedy=remedy
        )
    if hooks is None or not isinstance(hooks.node.value, dict):
        start = settings.root.span.start if hooks is None else hooks.start
        yield client_settings.Mistake(start, "`hooks` is no object")
        return
    for event in hooks.node.members:
        if event.key not in _EVENTS:
            clause = f"`{event.key}` is no event that Cursor is known to have"
            yield client_settings.Mistake(event.start, clause, "warning")
        elif not isinstance(event.node.value, list):
            yield client_settings.Mistake(event.start, f"the value of `{event.key}` is no list")
        else:
            for hook in event.node.elements:
                yield from _mistakes_in_hook(event.key, hook)


def _mistakes_in_hook(event: str, hook: JsonElement) -> Iterator[client_settings.Mistake]:
    value = hook.node.value
    if not isinstance(value, dict):
        yield client_settings.Mistake(hook.start, f"a hook of `{event}` is no object")
        return
    if (kind := value.get("type", "command")) not in ("command", "prompt"):
        yield client_settings.Mistake(
            hook.start, f"the `type` of a hook of `{event}` is neither `command` nor `prompt`"
        )
    elif not isinstance(value.get(kind), str) or (kind == "prompt" and not value[kind].strip()):
        yield client_settings.Mistake(hook.start, f"a hook of `{event}` has no `{kind}`")
    for key, is_right, fault in _OPTIONS:
        if (member := hook.node.get(key)) is not None and not is_right(member.node.value):
            yield client_settings.Mistake(
                member.start, f"the `{key}` of a hook of `{event}` is {fault}"
            )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 1 and value % 1 == 0


# The members that a hook may have: name, check, and what one that fails it is.
_OPTIONS: Final = (
    ("matcher", lambda value: isinstance(value, str), "no text"),
    ("timeout", lambda value: _is_number(value) and value > 0, "no number above 0"),
    ("loop_limit", lambda value: value is None or _is_count(value), "no whole number from 1"),
    ("failClosed", lambda value: isinstance(value, bool), "neither true nor false"),
)


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    # On Windows it runs `$input | <command>` in the PowerShell of the system, which knows no
    # ``||``.
    if scope == client_settings.PROJECT:
        command = hook_commands.plain_command("cursor", event)
    else:
        command = hook_commands.hook_command(
            "cursor", event, scope, windows=hook_commands.POWERSHELL_SHELL
        )
    return {"command": command, "timeout": client_settings.TIMEOUT}


_COMMON_PAYLOAD: Final = {
    "workspace_roots": ["{root}"], "cursor_version": "", "transcript_path": None,
    "user_email": None,
}  # fmt: skip

_REGISTERED_EVENTS = (
    "sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "preCompact", "stop",
    "sessionEnd",
)  # fmt: skip

CLIENT = client_settings.Client(
    name="cursor",
    title="Cursor",
    places=(
        client_settings.SettingsPlace(
            client_settings.PROJECT, ".cursor/hooks.json", {"version": 1}
        ),
        client_settings.SettingsPlace(client_settings.USER, "hooks.json", {"version": 1}),
    ),
    user_folder=client_settings.UserFolder(".cursor"),
    events=_REGISTERED_EVENTS,
    hook_entry=_hook_entry,
    closed_entry=lambda entry: {**entry, "failClosed": True},
    prompt_payload={
        "hook_event_name": "beforeSubmitPrompt",
        **_COMMON_PAYLOAD,
        "prompt": "{text}",
        "attachments": [],
        "composer_mode": "agent",
    },
    tool_events=("beforeShellExecution", "beforeMCPExecution", "preToolUse"),
    tool_payload={
        "hook_event_name": "beforeShellExecution",
        **_COMMON_PAYLOAD,
        "command": "{text}",
        "cwd": "{root}",
    },
    syntax=client_settings.CUT_COMMENTS,
    signs=(".cursor", ".cursorrules", ".cursorignore"),
    programs=("cursor", "cursor-agent"),
    variables=("CURSOR_TRACE_ID", "CURSOR_VERSION"),
    environment={"CURSOR_VERSION": "doctor", "CURSOR_PROJECT_DIR": "{root}"},
    follows_links=False,
    may_refuse_without_hook=True,
    find_mistakes=find_malformed_hooks,
    servers=client_settings.Servers(
        (
            client_settings.SettingsPlace(client_settings.PROJECT, ".cursor/mcp.json"),
            client_settings.SettingsPlace(client_settings.USER, "mcp.json"),
        ),
        hook_commands.folder_server_entry,
    ),
)
