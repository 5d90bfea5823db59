"""Codex CLI, with the stand-in as a provider of models that speaks Responses."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.clients.client import Client, Turn
from tests.clients.model import Usage
from tests.clients.terminal import CLEAR_LINE, ENTER, ESCAPE, LEFT, Terminal

WINDOW = 100_000
COMPACTS_AT = 60_000
_DONE, _IDLE = b"state=done:app=codex", b"state=idle:app=codex"
"""What it tells the terminal when an answer has ended, and when it waits."""
WHO = {"name": "synapse-ls-tests", "version": "1"}

SETTINGS = """\
model = "stand-in"
model_provider = "stand-in"
model_context_window = {window}
model_auto_compact_token_limit = {limit}
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stand-in]
name = "stand-in"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"
supports_websockets = false

[projects."{project}"]
trust_level = "trusted"

# While a command runs, Codex puts a `.git` into each folder that the command may write to. In `/tmp` that would be a
# repository around everything that other tests do there.
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
"""


class Codex(Client):
    name = "codex"
    _is_served = False

    def settings(self) -> dict[str, str]:
        url, project = self.place.model.url, self.place.project
        text = SETTINGS.format(window=WINDOW, limit=COMPACTS_AT, url=url, project=project)
        return {".codex/config.toml": text}

    def list_hooks(self, *folders: Path) -> list[dict[str, Any]]:
        """What it says of the hooks of each folder, in any order."""
        calls = (
            {"id": 1, "method": "initialize", "params": {"clientInfo": WHO}},
            {"method": "initialized"},
            {"id": 2, "method": "hooks/list", "params": {"cwds": [str(f) for f in folders]}},
        )
        with self.place.start(str(self.program), "app-server", **self.environment()) as server:
            assert server.stdin and server.stdout
            for call in calls:
                server.stdin.write(json.dumps(call) + "\n")
            server.stdin.flush()
            answers = map(json.loads, server.stdout)
            found = next(answer for answer in answers if answer.get("id") == 2)
            server.terminate()
        listed: list[dict[str, Any]] = found["result"]["data"]
        return listed

    def trust_folders(self, levels: Mapping[Path, str]) -> None:
        """As a person does who is asked about these folders."""
        self._keep({f"projects.{json.dumps(str(f))}": {"trust_level": levels[f]} for f in levels})

    def keep_states(self, states: Mapping[str, Mapping[str, Any]]) -> None:
        """As `/hooks` keeps what a person says of each hook."""
        self._keep({f"hooks.state.{json.dumps(key)}": states[key] for key in states})

    def _keep(self, tables: Mapping[str, Mapping[str, Any]]) -> None:
        with (self.place.home / ".codex/config.toml").open("a", encoding="utf-8") as config:
            for name, table in tables.items():
                config.write(f"\n[{name}]\n")
                config.writelines(f"{key} = {json.dumps(value)}\n" for key, value in table.items())

    def trust(self) -> None:
        """As `/hooks` does: Codex names each hook and its hash, and keeps what was approved."""
        listed = self.list_hooks(self.place.project)
        hooks = (hook for folder in listed for hook in folder["hooks"])
        self.keep_states({hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks})
        super().trust()

    def compact(self) -> None:
        """As `/compact` in its terminal does: the thread is opened, and asked to compact itself."""
        calls = (
            {"id": 1, "method": "initialize", "params": {"clientInfo": WHO}},
            {"method": "initialized"},
            {"id": 2, "method": "thread/resume", "params": {"threadId": self.session}},
            {"id": 3, "method": "thread/compact/start", "params": {"threadId": self.session}},
        )
        with self.place.start(str(self.program), "app-server", **self.environment()) as server:
            assert server.stdin and server.stdout
            answers = map(json.loads, server.stdout)
            for call in calls:
                server.stdin.write(json.dumps(call) + "\n")
                server.stdin.flush()
                if (number := call.get("id")) is not None:
                    answer = next(answer for answer in answers if answer.get("id") == number)
                    assert "error" not in answer, answer
            next(answer for answer in answers if answer.get("method") == "turn/completed")
            server.terminate()

    def open_terminal(self, *arguments: str) -> Terminal:
        """The client as a person starts it, for the next prompt, with a server that stays behind."""
        if not self._is_served:
            self._is_served = True
            self.place.model.before_end(self._end_server)
        line = [str(self.program), *arguments]
        environment = {**self.place.environment, **self.environment()}
        return Terminal(line, str(self.place.project), environment, "for shortcuts")

    def _end_server(self) -> None:
        """Else it has the socket of another home that comes to the same path."""
        self.place.run(str(self.program), "app-server", "daemon", "stop", **self.environment())
        for process in self.place.find_processes(b"pid-update-loop"):
            os.kill(process, signal.SIGKILL)

    def submit(self, terminal: Terminal, prompt: str) -> None:
        """A prompt that is typed, until the model is asked."""
        asked = len(self.place.model.turns)
        terminal.type(prompt)
        terminal.press(ENTER)
        terminal.wait_until("a request", lambda: len(self.place.model.turns) > asked)

    def converse(self, terminal: Terminal, prompt: str) -> None:
        """A prompt that is typed, until the client waits for the next one."""
        self.submit(terminal, prompt)
        terminal.wait_until("the end of the turn", lambda: _DONE in terminal.drawn)

    def stop(self, terminal: Terminal) -> None:
        """Esc while the client works, until it waits for the next prompt."""
        terminal.press(ESCAPE)
        terminal.wait_until("the end of the turn", lambda: _IDLE in terminal.drawn)
        terminal.press(CLEAR_LINE)

    def command(self, terminal: Terminal, command: str, *words: str) -> None:
        """A command of its terminal, until it has said these words."""
        terminal.type(command)
        terminal.press(ENTER)
        terminal.wait_for(*words)

    def rewind(self, terminal: Terminal, ago: int) -> None:
        """Goes back to before the prompt that was typed so many prompts ago, the last being 1, and
        empties the line that it is put back on.
        """
        terminal.forget()
        terminal.press_until(ESCAPE, "edit")
        terminal.press_until(ESCAPE, "Browsing")
        for _ in range(ago - 1):
            terminal.press(LEFT)
            terminal.wait_until("another prompt", lambda: terminal.drawn)
        terminal.press(ENTER)
        terminal.wait_for("reverted")
        terminal.press(CLEAR_LINE)
        terminal.wait_until("an empty line", lambda: terminal.drawn)

    def environment(self) -> dict[str, str]:
        return {"STAND_IN_KEY": "none"}

    def line(self, prompt: str) -> list[str]:
        flags = ["--skip-git-repo-check"]
        if not self.approved:
            flags.append("--dangerously-bypass-hook-trust")
        session = ["resume", self.session] if self.session else []
        return [str(self.program), "exec", *session, *flags, prompt]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "exec_command", {"cmd": "cat .synapse/docs"}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "exec_command", {"cmd": command}

    def renew(self, prompt: str) -> Turn:
        """Codex compacts by itself, when a prompt comes after the limit was passed."""
        self.place.model.will_claim(Usage(COMPACTS_AT))
        self.ask("Fill the window")
        return self.ask(prompt)
