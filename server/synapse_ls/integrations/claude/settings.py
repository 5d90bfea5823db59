"""The settings of Claude Code: its hook files, events, status line and MCP servers.

A malformed hook can make it ignore the whole settings file.

Sources: its hooks and settings references; anthropics/claude-code issue 75081 (seen with 2.1.233).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from synapse_ls.integrations import hook_commands, settings_syntax
from synapse_ls.integrations.client_settings import (
    HOOK_SERVER_NAME,
    LOCAL,
    PROJECT,
    TIMEOUT,
    USER,
    Client,
    Mistake,
    Servers,
    SettingsPlace,
    Surroundings,
    ToolHooks,
    Trouble,
    UserFolder,
    command_payload,
    shown_path,
)
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement

# What a hook of each type cannot be without.
_NEEDED_TEXTS: Final = {
    "command": ("command",),
    "prompt": ("prompt",),
    "agent": ("prompt",),
    "http": ("url",),
    "mcp_tool": ("server", "tool"),
}


def find_malformed_hooks(settings: JsoncDocument) -> Iterator[Mistake]:
    """Yield the offset of each malformed hook of a settings file, and what is wrong with it."""
    if (hooks := settings.root.get("hooks")) is None:
        return
    if not isinstance(hooks.node.value, dict):
        yield Mistake(hooks.start, "`hooks` is no object")
        return
    for event in hooks.node.members:
        if not isinstance(event.node.value, list):
            yield Mistake(event.start, f"the value of `{event.key}` is no list")
            continue
        for group in event.node.elements:
            if not isinstance(group.node.value, dict):
                yield Mistake(group.start, f"an entry of `{event.key}` is no object")
                continue
            matcher, inner = group.node.get("matcher"), group.node.get("hooks")
            if matcher is not None and not isinstance(matcher.node.value, str):
                yield Mistake(matcher.start, f"a `matcher` of `{event.key}` is no text")
            if inner is None or not isinstance(inner.node.value, list):
                yield Mistake(group.start, f"an entry of `{event.key}` has no list `hooks`")
                continue
            for hook in inner.node.elements:
                yield from _mistakes_in_hook(event.key, hook)


def _mistakes_in_hook(event: str, hook: JsonElement) -> Iterator[Mistake]:
    if not isinstance(hook.node.value, dict):
        yield Mistake(hook.start, f"a hook of `{event}` is no object")
        return
    kind = hook.node.value.get("type")
    for key in _NEEDED_TEXTS.get(kind, ()) if isinstance(kind, str) else ("type",):
        if not isinstance(hook.node.value.get(key), str):
            yield Mistake(hook.start, f"a hook of `{event}` has no `{key}`")


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    # What is printed before a compaction, the summary is asked to follow.
    line = hook_commands.hook_command("claude", event, scope, prints_nothing=event == "PreCompact")
    return hook_commands.hook_group(line, TIMEOUT)


_COMMON = ("session_id", "transcript_path", "cwd", "agent_id", "agent_type")
_TOOL = (*_COMMON, "prompt_id", "tool_name", "tool_input")
# The tools that run commands, change files, or are those of other servers.
_CHANGING_TOOLS = "Bash|Edit|MultiEdit|NotebookEdit|Write|mcp__.*"


# Where ``.claude.json`` is, which has the user's servers and what was answered about those of
# projects.
_STATE = UserFolder("", "CLAUDE_CONFIG_DIR")
_DECLINED, _APPROVED = "disabledMcpjsonServers", "enabledMcpjsonServers"
_ALL_APPROVED, _TRUSTED = "enableAllProjectMcpServers", "hasTrustDialogAccepted"


def _tool_entries(
    event: str, fields: tuple[str, ...], enforces: bool
) -> tuple[dict[str, Any], ...]:
    """Return the groups that call the tool. Where the guard enforces, what changes something is not
    done without its answer, whatever keeps that away; all else goes on.
    """
    hook = hook_commands.tool_hook(event, fields)
    if not enforces:
        return ({"hooks": [hook]},)
    return (
        {"matcher": f"^({_CHANGING_TOOLS})$", "hooks": [{**hook, "onFailure": "block"}]},
        {"matcher": f"^(?!({_CHANGING_TOOLS})$)", "hooks": [hook]},
    )


def _find_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yield settings that switch hooks off; that our hook server is declined where the project
    calls it; or that nobody has agreed to it yet, or to the folder.
    """
    yield from settings_syntax.find_off_switches(client, around, ("disableAllHooks",), when=True)
    files = [client.path_of(place, around) for place in client.places]
    if HOOK_SERVER_NAME not in repr(settings_syntax.setting_value(files[0], ("hooks",), around)):
        return
    user_file = _STATE.resolve(around.home) / ".claude.json"
    project = ("projects", str(around.root))
    declined = [
        file
        for file in (user_file, *files)
        if _names_server(file, user_file, project, _DECLINED, around)
    ]
    for file in declined:
        place = shown_path(file, around)
        yield Trouble(
            "declined-server",
            "error",
            client.name,
            f"the server {HOOK_SERVER_NAME} is declined in {place}, so prompts go on without the "
            "rules",
            f"Take it out of {_DECLINED} there, or run `synapse install --via command --client "
            "claude`.",
            place,
            scope=PROJECT,
        )
    if declined:
        return
    user_file_name = shown_path(user_file, around)
    if not any(
        settings_syntax.setting_value(file, (_ALL_APPROVED,), around) is True
        or _names_server(file, user_file, project, _APPROVED, around)
        for file in (user_file, *files)
    ):
        yield Trouble(
            "unapproved-server",
            "warning",
            client.name,
            f"nobody has approved {HOOK_SERVER_NAME} in Claude Code yet, which asks when it starts "
            "here; its first answer is to go on without the server, and so without the rules",
            f"Start Claude Code here and answer that it may use {HOOK_SERVER_NAME}.",
            user_file_name,
            scope=PROJECT,
        )
    if settings_syntax.setting_value(user_file, (*project, _TRUSTED), around) is False:
        sentence = f"Claude Code does not trust {around.root} yet; it asks when it starts here"
        remedy = "Start Claude Code here and trust the folder."
        yield Trouble(
            "untrusted-folder", "warning", "claude", sentence, remedy, user_file_name, scope=PROJECT
        )


def _names_server(
    file: Path, user_file: Path, project: tuple[str, ...], key: str, around: Surroundings
) -> bool:
    """Return whether a list of a settings file has our hook server in it; in the file of the user's
    ``own`` answers, the list of the project.
    """
    path = (*project, key) if file == user_file else (key,)
    names = settings_syntax.setting_value(file, path, around)
    return isinstance(names, list) and HOOK_SERVER_NAME in names


_COMMON_PAYLOAD: Final = {
    "cwd": "{root}", "permission_mode": "default", "hook_event_name": "UserPromptSubmit",
}  # fmt: skip

# Of PreCompact the terminal shows that it ran, whatever it answers.
_REGISTERED_EVENTS = (
    "SessionStart", "UserPromptSubmit", "SubagentStart", "PostToolUse", "PostToolUseFailure",
    "PreCompact", "SessionEnd",
)  # fmt: skip

CLIENT = Client(
    name="claude",
    title="Claude Code",
    places=(
        SettingsPlace(PROJECT, ".claude/settings.json"),
        SettingsPlace(LOCAL, ".claude/settings.local.json"),
        SettingsPlace(USER, "settings.json"),
    ),
    user_folder=UserFolder(".claude", "CLAUDE_CONFIG_DIR"),
    events=_REGISTERED_EVENTS,
    hook_entry=_hook_entry,
    closed_entry=hook_commands.close_entry,
    prompt_payload={**_COMMON_PAYLOAD, "prompt": "{text}", "source": "user"},
    tool_events=("PreToolUse",),
    tool_payload=command_payload(_COMMON_PAYLOAD, "Bash"),
    signs=(".claude", "CLAUDE.md", "CLAUDE.local.md"),
    programs=("claude",),
    variables=("CLAUDECODE",),
    environment={"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "{root}"},
    status_line=lambda scope: {
        "type": "command",
        "command": hook_commands.status_line_command(scope),
    },
    servers=Servers((SettingsPlace(PROJECT, ".mcp.json"),), hook_commands.server_entry),
    tool_hooks=ToolHooks(
        # No SessionStart, which has no server yet, and no SessionEnd, which has none any more; no
        # PreCompact, since the answer of a tool is never without words.
        {
            "UserPromptSubmit": (*_COMMON, "prompt_id", "source", "prompt"),
            "SubagentStart": _COMMON,
            "PreToolUse": _TOOL,
            "PostToolUse": (*_TOOL, "tool_response"),
            "PostToolUseFailure": (*_TOOL, "error", "is_interrupt"),
        },
        _tool_entries,
        (2, 1, 118),
        "an older one leaves the whole file of settings out, without a word",
        Servers(
            (
                SettingsPlace(PROJECT, ".mcp.json"),
                SettingsPlace(LOCAL, ".claude.json", folder=_STATE, above=("projects", "{root}")),
                SettingsPlace(USER, ".claude.json", folder=_STATE),
            ),
            lambda scope: {"type": "stdio", **hook_commands.hook_server_command("claude", scope)},
            name=HOOK_SERVER_NAME,
        ),
        older_drops_settings=True,
    ),
    asks_for_servers=True,
    restarts_servers=True,
    server_hint="run `claude mcp add --scope user synapse -- synapse-ls mcp`",
    find_troubles=_find_troubles,
    find_mistakes=find_malformed_hooks,
)
