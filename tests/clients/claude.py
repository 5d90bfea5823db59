"""Claude Code, with the stand-in in the place of Anthropic's API."""

from __future__ import annotations

from tests.clients.client import Client, Turn


class Claude(Client):
    name = "claude"

    def environment(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.place.model.url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def line(self, prompt: str) -> list[str]:
        session = ["--resume", self.session] if self.session else []
        return [str(self.program), "--print", prompt, *session, "--allowedTools", "Read,Bash"]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "Read", {"file_path": str(self.place.project / ".synapse" / "docs")}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "Bash", {"command": command, "description": "Run it"}

    def renew(self, prompt: str) -> Turn:
        compaction = self.ask("/compact")
        turn = self.ask(prompt)
        return Turn((*compaction.hooked, *turn.hooked), turn.asked)
