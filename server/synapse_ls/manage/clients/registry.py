"""The agent clients with which the hook can be registered: a module here and a line below."""

from __future__ import annotations

from synapse_ls.manage.clients import antigravity, claude, codex, copilot, cursor, gemini, vscode
from synapse_ls.manage.clients.client import Client

CLIENTS: dict[str, Client] = {
    module.CLIENT.name: module.CLIENT
    for module in (claude, vscode, copilot, cursor, codex, gemini, antigravity)
}
