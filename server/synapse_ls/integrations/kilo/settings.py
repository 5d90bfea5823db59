"""Where Kilo Code finds our plugin, which is that of OpenCode, and MCP servers.

Source: its documentation of plugins and settings, checked against 7.7.9 of the command line.
"""

from __future__ import annotations

from synapse_ls.integrations.opencode.settings import make_client

CLIENT = make_client("kilo", "Kilo Code", "code", ".kilocode")
