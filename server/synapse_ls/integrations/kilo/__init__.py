"""Kilo Code.

Its agent grew out of OpenCode and loads the same plugin, on the command line and in VS Code.

Source: its documentation of plugins; checked against 7.7.9 of the command line.
"""

from __future__ import annotations

from synapse_ls.integrations.opencode import PluginClient


class KiloCode(PluginClient):
    """Kilo Code."""

    name = "kilo"
    title = "Kilo Code"


CLIENT = KiloCode()
