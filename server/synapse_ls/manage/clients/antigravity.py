"""Google Antigravity. Source: the hooks guide that its command line brings along.

A mistake in the file, and the whole file is dropped without a word. PreToolUse is never
registered: an empty answer there denies the tool.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.manage.clients.client import PROJECT, TIMEOUT, USER, Client, Home, Place, Servers
from synapse_ls.manage.clients.commands import POWERSHELL, hook_command, server_command
from synapse_ls.manage.clients.shapes import handler


def _entry(event: str, scope: str) -> dict[str, Any]:
    return handler(hook_command("antigravity", event, scope, windows=POWERSHELL), TIMEOUT)


def _payload(root: str, prompt: str) -> dict[str, Any]:
    return {"workspacePaths": [root], "transcriptPath": "", "invocationNum": 1, "prompt": prompt}


CLIENT = Client(
    name="antigravity",
    title="Antigravity",
    places=(Place(PROJECT, ".agents/hooks.json"), Place(USER, "config/hooks.json")),
    home=Home(".gemini"),
    events=("PreInvocation",),
    prompt="PreInvocation",
    entry=_entry,
    payload=_payload,
    table=("synapse",),
    named_sets=True,
    also=tuple(
        Place(PROJECT, f"{folder}/hooks.json") for folder in (".agent", "_agents", "_agent")
    ),
    constants={"enabled": True},
    signs=(".agents", ".agent", "_agents", "_agent"),
    programs=("agy",),
    servers=Servers((Place(PROJECT, ".agents/mcp_config.json"),), server_command),
    without_servers="add the server in its settings",
)
