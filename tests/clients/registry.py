"""The clients that are tested, by the names that `synapse install` has for them."""

from __future__ import annotations

from tests.clients.claude import Claude
from tests.clients.client import Client
from tests.clients.cline import Cline
from tests.clients.codex import Codex
from tests.clients.copilot import Copilot
from tests.clients.gemini import Gemini
from tests.clients.opencode import Kilo, OpenCode

CLIENTS: dict[str, type[Client]] = {
    client.name: client for client in (Codex, Gemini, Claude, Copilot, OpenCode, Kilo, Cline)
}
