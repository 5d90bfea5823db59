"""The settings of Codex CLI: its hook files, events, trust and approvals.

An unknown key makes a hook fail; a mistake in a hook file makes Codex ignore the file with a
warning. Whether a user approved and enabled a hook is in ``[hooks.state."FILE:EVENT:GROUP:HOOK"]``
of their ``config.toml``: ``trusted_hash``, over the hook's identity as canonical JSON, and
``enabled``.

It reads ``.codex`` in the working directory and each folder up to the top of the work tree, if the
user trusts that folder, the top, or the main work tree. A linked work tree uses the hook files of
the main one.

Sources: its hooks documentation and configuration reference; answers of Codex 0.169 to
``hooks/list`` (``currentHash``, ``trustStatus``), for each of these mistakes.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType
from typing import Any, Final, NamedTuple

from synapse_ls.formats.toml_document import MAX_TOML_CHARS, load_toml
from synapse_ls.integrations.client_settings import (
    HOOK_SERVER_NAME,
    PROJECT,
    TIMEOUT,
    TOML,
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
from synapse_ls.integrations.codex import Codex
from synapse_ls.integrations.hook_commands import (
    CMD_SHELL,
    TOOL_HOOK_TYPE,
    close_entry,
    hook_command,
    hook_group,
    hook_server_command,
    is_hook_command,
    is_tool_hook,
    tool_hook,
)
from synapse_ls.integrations.settings_syntax import find_left_out, readable_settings
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement, JsonNode
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.sha256 import sha256
from synapse_ls.workspace import linked_work_trees, outside_links, regular_files

_FOLDER = ".codex"


@dataclass(frozen=True, slots=True)
class CodexFolder:
    """A working directory of Codex. folder: its real path. top: that of its work tree, itself where
    it is in none. main: the main work tree, ``top`` where that is no linked one.
    """

    folder: Path
    top: Path
    main: Path

    @classmethod
    def of_path(cls, path: Path) -> CodexFolder:
        """Return a working directory by any path to it."""
        folder = os.path.realpath(path)
        top = linked_work_trees.find_git_folders(folder)[0] or folder
        return cls(Path(folder), Path(top), Path(linked_work_trees.main_work_tree(top) or top))

    @property
    def is_linked(self) -> bool:
        """Whether it lies in a linked work tree."""
        return self.main != self.top

    @property
    def hook_folder(self) -> Path:
        """The folder whose hook file Codex reads in place of the one here."""
        return self.main / self.folder.relative_to(self.top)

    @property
    def hook_file(self) -> Path:
        """The hook file of a project, by the path under which Codex keeps approvals."""
        return self.hook_folder / _FOLDER / "hooks.json"

    def is_trusted(self, folder: Path, projects: Mapping[str, Any]) -> bool:
        """Return whether Codex trusts a folder: whether the first of it, the top and the main work
        tree about which something is said is trusted. projects: the table of that name of the user.
        """
        entries = (projects.get(str(place)) for place in (folder, self.top, self.main))
        levels = (entry.get("trust_level") for entry in entries if isinstance(entry, dict))
        return bool(next((level for level in levels if level is not None), None) == "trusted")

    def config_files(self, projects: Mapping[str, Any]) -> Iterator[Path]:
        """Yield the settings of the project that Codex reads, which may not be there: those of
        trusted folders, the top first.
        """
        between = [parent for parent in self.folder.parents if parent.is_relative_to(self.top)]
        for folder in (*reversed(between), self.folder):
            if self.is_trusted(folder, projects):
                yield folder / _FOLDER / "config.toml"


APPROVED, UNAPPROVED, CHANGED, DISABLED = "approved", "unapproved", "changed", "disabled"

_WITHOUT_MATCHER: Final = ("Stop", "UserPromptSubmit")
# The events for which Codex takes ``additionalContextLimit``.
_WITH_CONTEXT: Final = (
    "PostToolUse", "PreToolUse", "SessionStart", "SubagentStart", "UserPromptSubmit",
)  # fmt: skip
_SECONDS, _SESSION_END_SECONDS, _MOST_SESSION_END_SECONDS = 600, 1, 3
# Where its reader keeps a number of a tool's input.
_NUMBER: Final = "$serde_json::private::Number"


class HookApproval(NamedTuple):
    """What Codex makes of a hook of ours for one event."""

    event: str
    state: str


def find_approvals(file: str, settings: Any, states: Mapping[str, Any]) -> Iterator[HookApproval]:
    """Yield the approval of each hook of ours in a hook file. file: its path as Codex spells it;
    settings: what it holds; states: the table ``hooks.state`` of the user.
    """
    for event, group, (number, position), hook in _find_own_hooks(settings):
        state_entry = states.get(f"{file}:{event_key(event)}:{number}:{position}")
        state = state_entry if isinstance(state_entry, dict) else {}
        if state.get("enabled") is False:
            yield HookApproval(event, DISABLED)
        elif not state.get("trusted_hash"):
            yield HookApproval(event, UNAPPROVED)
        else:
            is_same = state["trusted_hash"] == hash_hook(event, group, hook)
            yield HookApproval(event, APPROVED if is_same else CHANGED)


def _find_own_hooks(
    settings: Any,
) -> Iterator[tuple[str, dict[str, Any], tuple[int, int], dict[str, Any]]]:
    """Yield event, group, the places of group and hook in their lists, and hook."""
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            inner = group.get("hooks") if isinstance(group, dict) else None
            for position, hook in enumerate(inner if isinstance(inner, list) else ()):
                if is_tool_hook(hook) or is_hook_command(_command_line(hook)):
                    yield event, group, (number, position), hook


def event_key(event: str) -> str:
    """Return the name of an event in the keys of approvals: ``pre_tool_use`` for ``PreToolUse``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()


def hash_hook(event: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    """Return the hash by which Codex knows a command or a call of a tool again; a field without a
    value counts as one that is not there.
    """
    identity_fields = {
        key: hook[key] for key in ("type", "statusMessage") if hook.get(key) is not None
    }
    # Return how long Codex waits for a hook.
    timeout = hook.get("timeout")
    is_end = event == "SessionEnd"
    wait = timeout if type(timeout) is int else _SESSION_END_SECONDS if is_end else _SECONDS
    identity_fields["timeout"] = max(1, min(wait, _MOST_SESSION_END_SECONDS) if is_end else wait)
    if hook.get("type") == TOOL_HOOK_TYPE:
        identity_fields |= {"server": hook.get("server"), "tool": hook.get("tool")}
        identity_fields["input"] = _kept_value(hook.get("input") or {})
    else:
        identity_fields |= {"command": _command_line(hook), "async": bool(hook.get("async"))}
    if (limit := hook.get("additionalContextLimit")) is not None and event in _WITH_CONTEXT:
        identity_fields["additionalContextLimit"] = limit
    identity: dict[str, Any] = {"event_name": event_key(event), "hooks": [identity_fields]}
    if group.get("matcher") is not None and event not in _WITHOUT_MATCHER:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _command_line(hook: Any) -> str:
    """Return the command line of a hook for this system, "" for none."""
    keys = ("commandWindows", "command") if os.name == "nt" else ("command",)
    lines = (hook.get(key) for key in keys) if isinstance(hook, dict) else ()
    return next((line for line in lines if isinstance(line, str)), "")


def _kept_value(value: Any) -> Any:
    """Return a value of a tool's input as it stands in the identity."""
    if isinstance(value, dict):
        return {key: _kept_value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_kept_value(inner) for inner in value]
    return {_NUMBER: str(value)} if type(value) in (int, float) else value


APPROVAL_HINT: Final = (
    "Start Codex and approve the hooks with /hooks; each change of them asks again."
)
# The names of the feature, the one that wins first; the other one is older.
_SWITCHES: Final = ("hooks", "codex_hooks")
# What a line has where TOML 1.1, which Codex reads, takes more than 1.0, which is read here: inline
# tables, escapes and times without seconds.
_LATER_TOML: Final = re.compile(r"[{\\]|\d:\d\d")


def find_skipped_hooks(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yield what keeps Codex from running our hooks. client: its definition."""
    if (here := CodexFolder.of_path(around.root)).is_linked:
        left_out = find_left_out(client, here.hook_file, around)
        yield from (replace(trouble, scope=PROJECT) for trouble in left_out)
    folder = client.user_folder.resolve(around.home)
    config = folder / "config.toml"
    settings, problems = _read_config(config, around)
    yield from problems
    if settings is None:
        return
    projects = _inner_table(settings, "projects")
    project_files = [file for file in here.config_files(projects) if file != config]
    layers = [(config, settings)]
    for file in project_files:
        layer, problems = _read_config(file, around)
        yield from problems
        layers.append((file, layer or {}))
    for file in project_files if here.is_linked else ():
        # It reads them beside the hook files there.
        yield from _read_config(here.main / file.relative_to(here.top), around)[1]
    yield from _find_switched_off(layers, around)
    # Where nobody has ever started it, nothing is kept from anybody.
    severity = "error" if folder.is_dir() else "warning"
    place = client.place(PROJECT)
    states = _inner_table(_inner_table(settings, "hooks"), "state")
    if place is not None and not client.is_of_user(place, around):
        file = client.path_of(place, around)
        read_file = here.hook_file if here.is_linked else file
        name = shown_path(read_file, around)
        approvals = _read_approvals(client, read_file, str(here.hook_file), states, around)
        registered = {
            approval.event: None
            for approval in _read_approvals(client, file, str(file), states, around)
        }
        if here.is_linked:
            yield from _find_unread(registered, approvals, here, name, severity)
        if registered and not here.is_trusted(here.folder, projects):
            sentence = f"Codex does not trust {around.root}, so it leaves {name} out"
            remedy, where = "Trust the folder in Codex.", shown_path(config, around)
            code = "untrusted-folder"
            yield Trouble(code, severity, "codex", sentence, remedy, where, scope=PROJECT)
        yield from _find_skipped(approvals, name, severity, PROJECT)
    file = folder / "hooks.json"
    # It resolves the folder that a variable names, and its own one not.
    named = os.environ.get(client.user_folder.variable)
    spelled = os.path.join(os.path.realpath(folder), file.name) if named else str(file)
    approvals = _read_approvals(client, file, spelled, states, around)
    yield from _find_skipped(approvals, shown_path(file, around), severity, USER)


def _read_config(
    file: Path, around: Surroundings
) -> tuple[dict[str, Any] | None, tuple[Trouble, ...]]:
    """Return what settings in TOML hold, and what is wrong with them; nothing of what is not there,
    and None where they cannot be read.
    """
    name, effect = shown_path(file, around), "so Codex runs no hooks at all"
    real, root = regular_files.real_path(str(file)), around.root
    if file.is_relative_to(root) and outside_links.find_refusal(str(root), name, real):
        return {}, ()  # which is said for all settings
    code, severity, remedy = "unreadable-settings", "error", "Mend that place of the file."
    try:
        text = regular_files.read_whole(real, within=os.sep).decode()
    except (FileNotFoundError, NotADirectoryError):
        return {}, ()
    except (OSError, UnicodeDecodeError) as error:
        what = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        remedy = "Look at the file."
        return None, (Trouble(code, severity, "codex", f"{name} {what}, {effect}", remedy, name),)
    settings, problem = load_toml(text, "The file", "nothing is read")
    if problem is None:
        return settings, ()
    line, column = LineIndex(text).position(problem.span.start)
    place = f"{name}:{line + 1}:{column + 1}"
    what = problem.message.removesuffix(", so nothing is read.")
    sentence = f"{place} cannot be read as TOML: {what[:1].lower()}{what[1:]}, {effect}"
    line_start = text.rfind("\n", 0, problem.span.start) + 1
    line_text = text[line_start:].partition("\n")[0]
    if len(text) > MAX_TOML_CHARS or _LATER_TOML.search(line_text):
        severity = "warning"
        sentence = (
            f"{place} cannot be read here: {what[:1].lower()}{what[1:]}; if Codex cannot either, "
            "it runs no hooks at all"
        )
        remedy = "Start Codex in this folder, and see if it complains."
    return None, (Trouble(code, severity, "codex", sentence, remedy, name, line + 1),)


def _find_switched_off(
    layers: Sequence[tuple[Path, Mapping[str, Any]]], around: Surroundings
) -> Iterator[Trouble]:
    """Yield the settings that switch hooks, or our server, off. layers: those of the user first;
    for each switch the last one counts.
    """
    switches: dict[str, tuple[Any, Path]] = {}
    for file, settings in layers:
        features = _inner_table(settings, "features")
        switches |= {key: (features[key], file) for key in _SWITCHES if key in features}
    key = next((key for key in _SWITCHES if key in switches), "")
    if key and switches[key][0] is False:
        name = shown_path(switches[key][1], around)
        sentence = f"{name} switches hooks off (features.{key} = false)"
        yield Trouble("hooks-off", "error", "codex", sentence, "Remove that line.", name)
    file, settings = layers[0]
    server = _inner_table(_inner_table(settings, "mcp_servers"), HOOK_SERVER_NAME)
    if server.get("enabled") is False:
        name = shown_path(file, around)
        sentence = (
            f"{name} switches the server {HOOK_SERVER_NAME} off, so prompts go on without the rules"
        )
        yield Trouble("declined-server", "error", "codex", sentence, "Remove that line.", name)


def _find_unread(
    registered: Iterable[str],
    approvals: Iterable[HookApproval],
    here: CodexFolder,
    name: str,
    severity: str,
) -> Iterator[Trouble]:
    """Yield that hooks which are registered in a linked work tree are missing where Codex reads
    them. name: that file.
    """
    events = {approval.event for approval in approvals}
    if missing := [event for event in registered if event not in events]:
        lack = f"no hook of ours for {', '.join(missing)}" if events else "none of ours"
        sentence = f"this is a linked work tree, whose hooks Codex reads from {name}: it has {lack}"
        remedy = (
            f"Run `synapse install --client codex` in {here.hook_folder}, and approve the hooks "
            "with /hooks."
        )
        yield Trouble("unread-settings", severity, "codex", sentence, remedy, name, scope=PROJECT)


def _read_approvals(
    client: Client, file: Path, spelled: str, states: Mapping[str, Any], around: Surroundings
) -> tuple[HookApproval, ...]:
    """Return the approvals of our hooks in a file. spelled: its path as Codex has it."""
    document = readable_settings(client, file, around)
    return () if document is None else tuple(find_approvals(spelled, document.root.value, states))


def _find_skipped(
    approvals: tuple[HookApproval, ...], place: str, severity: str, scope: str
) -> Iterator[Trouble]:
    """Yield which of our hooks in a file Codex skips, and why."""
    for state, code, remedy in (
        (UNAPPROVED, "unapproved-hooks", APPROVAL_HINT),
        (CHANGED, "unapproved-hooks", APPROVAL_HINT),
        (DISABLED, "hooks-off", "Start Codex and switch them on again with /hooks."),
    ):
        events = [approval.event for approval in approvals if approval.state == state]
        if not events:
            continue
        several = len(events) > 1
        hooks, it = ("hooks", "them") if several else ("hook", "it")
        which = f"the {hooks} of {place}"
        if len(events) < len(approvals):
            which = f"the {hooks} for {', '.join(events)} in {place}"
        sentence = {
            UNAPPROVED: f"nobody has approved {which} in Codex yet, so it skips {it} silently",
            CHANGED: f"{which} {'were' if several else 'was'} changed since a person approved {it} "
            f"in Codex, so it skips {it} silently",
            DISABLED: f"{which} {'are' if several else 'is'} switched off in Codex",
        }[state]
        yield Trouble(code, severity, "codex", sentence, remedy, place, scope=scope)


def _inner_table(settings: Mapping[str, Any], key: str) -> dict[str, Any]:
    table = settings.get(key)
    return table if isinstance(table, dict) else {}


# Of other events it reads nothing, so nothing about them is a mistake.
_EVENTS: Final = frozenset({
    "PermissionRequest", "PostCompact", "PostToolUse", "PreCompact", "PreToolUse", "SessionEnd",
    "SessionStart", "Stop", "SubagentStart", "SubagentStop", "UserPromptSubmit",
})  # fmt: skip


# Name -> the types of its value, that which is asked for first.
Fields = dict[str, tuple[type, ...]]

# What a value is that is not of a type.
_FAULTS: Final[dict[type, str]] = {
    str: "no text",
    dict: "no object",
    list: "no list",
    bool: "neither true nor false",
    int: "no whole number from 0",
}

# Its reader makes an object of a fraction, and takes the fields of one in a list, in their order.
_DOCUMENT: Final[Fields] = {"description": (str, NoneType), "hooks": (dict, list)}
_GROUP: Final[Fields] = {"matcher": (str, NoneType), "hooks": (list,)}
_ANY_HOOK: Final[Fields] = {
    "type": (str,), "timeout": (int, NoneType), "statusMessage": (str, NoneType),
}  # fmt: skip
_HOOKS: Final[dict[str, Fields]] = {
    "command": {
        **_ANY_HOOK, "command": (str,), "commandWindows": (str, NoneType), "async": (bool,),
    },
    "mcp_tool": {**_ANY_HOOK, "server": (str,), "tool": (str,), "input": (dict, float)},
    "prompt": {"type": (str,)},
    "agent": {"type": (str,)},
}  # fmt: skip
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
    if (hooks := root.get("hooks")) is None or not isinstance(hooks.node.value, dict):
        return
    events: Fields = dict.fromkeys(_EVENTS, (list,))
    yield from _mistakes_in_fields(hooks.node, events, "`hooks`")
    for event in hooks.node.members:
        if event.key not in _EVENTS or not isinstance(event.node.value, list):
            continue
        for group in event.node.elements:
            if not isinstance(group.node.value, dict | list):
                yield Mistake(group.start, f"an entry of `{event.key}` is no object")
            if isinstance(group.node.value, dict):
                yield from _mistakes_in_fields(group.node, _GROUP, f"an entry of `{event.key}`")
                inner = group.node.get("hooks")
                for hook in inner.node.elements if inner else ():
                    yield from _mistakes_in_hook(event.key, hook)


def _mistakes_in_hook(event: str, hook: JsonElement) -> Iterator[Mistake]:
    name, value = f"a hook of `{event}`", hook.node.value
    if not isinstance(value, dict):
        yield Mistake(hook.start, f"{name} is no object")
    elif not isinstance(kind := value.get("type"), str):
        yield Mistake(hook.start, f"{name} has no `type`")
    elif kind not in _HOOKS:
        clause = f"{name} has the `type` {kind}, which Codex is not known to have"
        yield Mistake(hook.start, clause, "warning")
    else:
        for key in _NEEDED.get(kind, ()):
            if key not in value:
                yield Mistake(hook.start, f"{name} has no `{key}`")
        yield from _mistakes_in_fields(hook.node, _HOOKS[kind], name)


def _mistakes_in_fields(node: JsonNode, fields: Fields, name: str) -> Iterator[Mistake]:
    """Yield members that stand twice or whose value is none that Codex takes there."""
    counts = Counter[str]()
    for member in node.elements:
        if member.key not in fields:
            continue
        counts[member.key] += 1
        types, value = fields[member.key], member.node.value
        if counts[member.key] == 2:
            yield Mistake(member.start, f"`{member.key}` of {name} is there twice")
        elif type(value) not in types or (type(value) is int and not 0 <= value < 2**64):
            yield Mistake(member.start, f"the `{member.key}` of {name} is {_FAULTS[types[0]]}")


_SESSION_END_LIMIT = 3  # seconds; with more, Codex warns at each start that it waits no longer


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    wait = min(TIMEOUT, _SESSION_END_LIMIT) if event == "SessionEnd" else TIMEOUT
    # In tokens of four bytes; 2,500 reach the model where nothing is said, and of a tool's hook.
    more = {"additionalContextLimit": Codex.written_limit} if event in _WITH_CONTEXT else {}
    return hook_group(hook_command("codex", event, scope, windows=CMD_SHELL), wait, **more)


_COMMON = ("session_id", "turn_id", "transcript_path", "cwd", "model")
_COMMON_PAYLOAD: Final = {
    "turn_id": "1",
    "transcript_path": None,
    "cwd": "{root}",
    "hook_event_name": "UserPromptSubmit",
    "model": "",
    "permission_mode": "default",
}

_REGISTERED_EVENTS = (
    "SessionStart", "UserPromptSubmit", "SubagentStart", "PostToolUse", "PreCompact", "SessionEnd",
)  # fmt: skip

_CONFIG_PLACES = SettingsPlace(PROJECT, ".codex/config.toml"), SettingsPlace(USER, "config.toml")

CLIENT = Client(
    name="codex",
    title="Codex",
    places=(SettingsPlace(PROJECT, ".codex/hooks.json"), SettingsPlace(USER, "hooks.json")),
    foreign_places=_CONFIG_PLACES,
    user_folder=UserFolder(".codex", "CODEX_HOME"),
    events=_REGISTERED_EVENTS,
    hook_entry=_hook_entry,
    closed_entry=close_entry,
    prompt_payload={**_COMMON_PAYLOAD, "prompt": "{text}"},
    tool_events=("PreToolUse",),
    tool_payload=command_payload(_COMMON_PAYLOAD, "Bash", tool_use_id="1"),
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
            _CONFIG_PLACES,
            lambda scope: hook_server_command("codex", scope),
            ("mcp_servers",),
            TOML,
            HOOK_SERVER_NAME,
        ),
    ),
    after_install=APPROVAL_HINT,
    server_hint="run `codex mcp add synapse -- synapse-ls mcp`",
)
