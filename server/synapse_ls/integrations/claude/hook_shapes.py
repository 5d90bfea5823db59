"""This module finds malformed hooks, for which Claude Code can leave out a whole settings file.

Source: its hooks reference; that the other hooks of the file are lost, anthropics/claude-code
issue 75081 (seen with 2.1.233).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from synapse_ls.integrations.client_definition import Mistake
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement

_NEEDED_TEXTS: Final = {
    "command": ("command",),
    "prompt": ("prompt",),
    "agent": ("prompt",),
    "http": ("url",),
    "mcp_tool": ("server", "tool"),
}
"""What a hook of each type cannot be without."""


def find_malformed_hooks(settings: JsoncDocument) -> Iterator[Mistake]:
    """Yields the offset of each malformed hook of a settings file, and what is wrong with it."""
    hooks = settings.root.get("hooks")
    if hooks is None:
        return
    if not isinstance(hooks.node.value, dict):
        yield Mistake(hooks.start, "`hooks` is no object")
        return
    for event in hooks.node.members:
        if not isinstance(event.node.value, list):
            yield Mistake(event.start, f"the value of `{event.key}` is no list")
            continue
        for group in event.node.elements:
            yield from _malformed_in_group(event.key, group)


def _malformed_in_group(event: str, group: JsonElement) -> Iterator[Mistake]:
    if not isinstance(group.node.value, dict):
        yield Mistake(group.start, f"an entry of `{event}` is no object")
        return
    matcher, hooks = group.node.get("matcher"), group.node.get("hooks")
    if matcher is not None and not isinstance(matcher.node.value, str):
        yield Mistake(matcher.start, f"a `matcher` of `{event}` is no text")
    if hooks is None or not isinstance(hooks.node.value, list):
        yield Mistake(group.start, f"an entry of `{event}` has no list `hooks`")
        return
    for hook in hooks.node.elements:
        if not isinstance(hook.node.value, dict):
            yield Mistake(hook.start, f"a hook of `{event}` is no object")
            continue
        kind = hook.node.value.get("type")
        needed = _NEEDED_TEXTS.get(kind, ()) if isinstance(kind, str) else ("type",)
        for key in needed:
            if not isinstance(hook.node.value.get(key), str):
                yield Mistake(hook.start, f"a hook of `{event}` has no `{key}`")
