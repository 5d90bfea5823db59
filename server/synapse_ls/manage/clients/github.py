"""Hook files of GitHub Copilot and of VS Code, which read the same ones.

Source: the GitHub Copilot hooks reference, the VS Code hooks reference. With a ``version`` and
Copilot's names for events a file serves Copilot CLI, Copilot's agent in the cloud and both agents of
VS Code; the shells have keys of their own.
"""

from __future__ import annotations

import os
from typing import Any

from synapse_ls.manage.clients.client import PROJECT, TIMEOUT, USER, Home, Place
from synapse_ls.manage.clients.commands import POWERSHELL, hook_command, powershell_command

HOME = Home(".copilot", "COPILOT_HOME")
FILES = (
    Place(PROJECT, ".github/hooks/synapse.json", {"version": 1}, whole=True),
    Place(USER, "hooks/synapse.json", {"version": 1}, whole=True),
)
EVENTS = (
    "sessionStart",
    "userPromptSubmitted",
    "subagentStart",
    "postToolUse",
    "preCompact",
    "sessionEnd",
)
PROMPT = "userPromptSubmitted"
BEFORE = ("preToolUse",)

_PROJECT = "${COPILOT_PROJECT_DIR:-.}"  # VS Code does not set it, and starts hooks in the workspace


def entry(event: str, scope: str) -> dict[str, Any]:
    """An element of an event's list."""
    lines = {}
    if scope == PROJECT or os.name != "nt":
        lines["bash"] = hook_command("copilot", event, scope, project=_PROJECT)
    if scope == PROJECT:
        lines["powershell"] = powershell_command("copilot", event)
    elif os.name == "nt":
        lines["powershell"] = hook_command("copilot", event, scope, windows=POWERSHELL)
    return {"type": "command", **lines, "timeoutSec": TIMEOUT}
