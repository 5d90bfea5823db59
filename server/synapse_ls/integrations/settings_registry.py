"""The agent clients with which the hook can be registered, each with its settings.

A new client is a folder here, with a module `settings`, and a line below.
"""

from synapse_ls.integrations.antigravity import settings as antigravity
from synapse_ls.integrations.claude import settings as claude
from synapse_ls.integrations.client_settings import Client
from synapse_ls.integrations.cline import settings as cline
from synapse_ls.integrations.codex import settings as codex
from synapse_ls.integrations.copilot import settings as copilot
from synapse_ls.integrations.cursor import settings as cursor
from synapse_ls.integrations.gemini import settings as gemini
from synapse_ls.integrations.kimi import settings as kimi
from synapse_ls.integrations.opencode import settings as opencode
from synapse_ls.integrations.vscode import settings as vscode

CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        *(claude.CLIENT, vscode.CLIENT, copilot.CLIENT, cursor.CLIENT, codex.CLIENT, gemini.CLIENT),
        *(antigravity.CLIENT, opencode.CLIENT, opencode.KILO, cline.CLIENT, kimi.CLIENT),
    )
}
