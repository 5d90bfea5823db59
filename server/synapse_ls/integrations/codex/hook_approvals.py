"""This module says of each hook of ours in a hook file whether Codex runs it: whether a person has
approved it as it is, and has not switched it off.

Codex keeps that in the user's ``config.toml``, in a table ``[hooks.state."FILE:EVENT:GROUP:HOOK"]`` with the
keys ``trusted_hash`` and ``enabled``. The hash is over what identifies the hook, as canonical JSON.

Source: ``currentHash`` and ``trustStatus`` in the answers of Codex 0.169 to ``hooks/list``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from synapse_ls.integrations.hook_commands import is_hook_command
from synapse_ls.integrations.settings_entries import TOOL_HOOK_TYPE, is_tool_hook

APPROVED, UNAPPROVED, CHANGED, DISABLED = "approved", "unapproved", "changed", "disabled"

_WITHOUT_MATCHER: Final = ("Stop", "UserPromptSubmit")
_WITH_CONTEXT: Final = (
    "PostToolUse",
    "PreToolUse",
    "SessionStart",
    "SubagentStart",
    "UserPromptSubmit",
)
"""The events for which Codex takes ``additionalContextLimit``."""
_SECONDS, _SESSION_END_SECONDS, _MOST_SESSION_END_SECONDS = 600, 1, 3
_NUMBER: Final = "$serde_json::private::Number"
"""Where its reader keeps a number of a tool's input."""


class HookApproval(NamedTuple):
    """A HookApproval is what Codex makes of a hook of ours for one event."""

    event: str
    state: str


def find_approvals(file: str, settings: Any, states: Mapping[str, Any]) -> Iterator[HookApproval]:
    """Yields the approval of each hook of ours in a hook file. file: its path as Codex spells it;
    settings: what it holds; states: the table ``hooks.state`` of the user.
    """
    for event, group, (number, position), hook in _find_own_hooks(settings):
        found = states.get(f"{file}:{event_key(event)}:{number}:{position}")
        state = found if isinstance(found, dict) else {}
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
    """Yields event, group, the places of group and hook in their lists, and hook."""
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            inner = group.get("hooks") if isinstance(group, dict) else None
            for position, hook in enumerate(inner if isinstance(inner, list) else ()):
                if is_tool_hook(hook) or is_hook_command(_command_line(hook)):
                    yield event, group, (number, position), hook


def event_key(event: str) -> str:
    """Returns the name of an event in the keys of approvals: ``pre_tool_use`` for ``PreToolUse``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()


def hash_hook(event: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    """Returns the hash by which Codex knows a command or a call of a tool again; a field without a
    value counts as one that is not there.
    """
    kept = {key: hook[key] for key in ("type", "statusMessage") if hook.get(key) is not None}
    kept["timeout"] = _wait_seconds(event, hook.get("timeout"))
    if hook.get("type") == TOOL_HOOK_TYPE:
        kept |= {"server": hook.get("server"), "tool": hook.get("tool")}
        kept["input"] = _kept_value(hook.get("input") or {})
    else:
        kept |= {"command": _command_line(hook), "async": bool(hook.get("async"))}
    limit = hook.get("additionalContextLimit")
    if limit is not None and event in _WITH_CONTEXT:
        kept["additionalContextLimit"] = limit
    identity: dict[str, Any] = {"event_name": event_key(event), "hooks": [kept]}
    if group.get("matcher") is not None and event not in _WITHOUT_MATCHER:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _command_line(hook: Any) -> str:
    """Returns the command line of a hook for this system, "" for none."""
    keys = ("commandWindows", "command") if os.name == "nt" else ("command",)
    lines = (hook.get(key) for key in keys) if isinstance(hook, dict) else ()
    return next((line for line in lines if isinstance(line, str)), "")


def _wait_seconds(event: str, said: Any) -> int:
    """Returns how long Codex waits for a hook."""
    is_end = event == "SessionEnd"
    wait = said if type(said) is int else _SESSION_END_SECONDS if is_end else _SECONDS
    return max(1, min(wait, _MOST_SESSION_END_SECONDS) if is_end else wait)


def _kept_value(value: Any) -> Any:
    """Returns a value of a tool's input as it stands in the identity."""
    if isinstance(value, dict):
        return {key: _kept_value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_kept_value(inner) for inner in value]
    return {_NUMBER: str(value)} if type(value) in (int, float) else value
