"""Name the commands of an editor where a sentence names those of a shell: who has only the
extension has no ``synapse`` on the path.
"""

from __future__ import annotations

import re

_COMMAND = re.compile(r"`synapse ([a-z][^`]*)`")

# What an editor has for a command line that begins so; the longer beginning counts.
_EDITOR_COMMANDS = (
    ("activate", "“Synapse: Activate Agent…”"),
    ("audit", "“Synapse: Audit Past Sessions”"),
    ("check", "the Problems panel"),
    ("check --fix", "“Synapse: Fix All in the Rule Tree”"),
    ("diagnose", "“Synapse: Diagnose”"),
    ("doctor", "“Synapse: Doctor”"),
    ("domain new", "“Synapse: New Domain…”"),
    ("domain rule add", "“Synapse: New Rule…”"),
    ("domain toggle", "“Synapse: Switch Domain On or Off…”"),
    ("domains", "the view Domains"),
    ("explain", "“Synapse: Why Not Injected…”"),
    ("handoff", "“Synapse: Write Hand-off…”"),
    ("init", "“Synapse: Create Rule Tree”"),
    ("init --from", "“Synapse: Create Rule Tree from CLAUDE.md and the Like…”"),
    ("install", "“Synapse: Install Hook…”"),
    ("memory add", "“Synapse: Remember…”"),
    ("memory list", "the view Memory"),
    ("memory restore", "Bring Back in the view Memory"),
    ("migrate", "“Synapse: Migrate CARL Tree…”"),
    ("session list", "the view Sessions"),
    ("trust", "“Synapse: Trust This Tree”"),
    ("uninstall", "“Synapse: Uninstall Hook…”"),
)
_ARGUED = frozenset({"activate", "domain new", "init --from", "install", "memory restore"})
"""Those whose arguments the editor asks for, or knows; with other arguments only a shell does
it.
"""


def name_editor_commands(text: str) -> str:
    """Return a sentence in which the commands of the extension stand where it has them."""
    return _COMMAND.sub(_editor_command, text)


def _editor_command(found: re.Match[str]) -> str:
    line = found[1]
    for beginning, name in sorted(_EDITOR_COMMANDS, key=lambda one: -len(one[0])):
        if line == beginning or (line.startswith(f"{beginning} ") and beginning in _ARGUED):
            return name
    return found[0]
