"""Where Cline's command line finds our plugin, which calls the hook, and MCP servers.

Every ``.js`` file in ``.cline/plugins`` is a plugin; the editor extensions load none. MCP servers
are per user only.

Source: Cline's documentation of plugins and its code, checked against 3.0.65 of the command line.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from synapse_ls.integrations import client_settings, hook_commands
from synapse_ls.integrations.opencode import settings as opencode
from synapse_ls.integrations.settings_syntax import find_disabled_name, read_plugin

PLUGIN = read_plugin(Path(__file__).parent)
_NAMED = {"client": "cline"}


def _find_troubles(
    client: client_settings.Client, around: client_settings.Surroundings
) -> Iterator[client_settings.Trouble]:
    """Yield a trouble for each plugin of ours that the person has switched off: the client lists
    those by their files.
    """
    named = os.environ.get("CLINE_GLOBAL_SETTINGS_PATH", "").strip()
    data = os.environ.get("CLINE_DATA_DIR", "").strip()
    folder = Path(data) if data else client.user_folder.resolve(around.home) / "data"
    switches = Path(named) if named else folder / "settings" / "global-settings.json"
    for place in client.places:
        file = str(client.path_of(place, around))
        for trouble in find_disabled_name(client, switches, around, ("disabledPlugins",), file):
            yield replace(trouble, scope=place.scope)


CLIENT = client_settings.Client(
    name="cline",
    title="Cline",
    places=(
        client_settings.SettingsPlace(
            client_settings.PROJECT, ".cline/plugins/synapse.js", _NAMED, plugin=PLUGIN
        ),
        client_settings.SettingsPlace(
            client_settings.USER, "plugins/synapse.js", _NAMED, plugin=PLUGIN
        ),
    ),
    user_folder=client_settings.UserFolder(".cline", "CLINE_DIR"),
    events=("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"),
    hook_entry=partial(opencode.plugin_entry, "cline"),
    prompt_payload=opencode.prompt_payload("cline", ""),
    tool_events=opencode.TOOL_EVENTS,
    tool_payload=opencode.tool_payload("cline", "run_commands"),
    syntax=client_settings.RELAXED,
    signs=(".cline", ".clinerules"),
    programs=("cline",),
    find_troubles=_find_troubles,
    servers=client_settings.Servers(
        (
            client_settings.SettingsPlace(
                client_settings.USER, "data/settings/cline_mcp_settings.json"
            ),
        ),
        hook_commands.server_command,
    ),
)
