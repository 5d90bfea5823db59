"""The players, by the names of their clients."""

from __future__ import annotations

from tests.clients.walks.claude import ClaudePlayer
from tests.clients.walks.codex import CodexPlayer
from tests.clients.walks.copilot import CopilotPlayer
from tests.clients.walks.gemini import GeminiPlayer
from tests.clients.walks.opencode import OpenCodePlayer
from tests.clients.walks.player import Player
from tests.clients.walks.vscode import VsCodePlayer

PLAYERS: dict[str, type[Player]] = {
    "claude": ClaudePlayer,
    "codex": CodexPlayer,
    "copilot": CopilotPlayer,
    "gemini": GeminiPlayer,
    "opencode": OpenCodePlayer,
    "vscode": VsCodePlayer,
}
