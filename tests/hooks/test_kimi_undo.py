"""What a person undoes in Kimi Code, by the log that it writes of a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synapse_ls.integrations.kimi import CLIENT
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

LIVE = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}
DEV, QA = "[ACTIVE AGENT: @dev]", "[ACTIVE AGENT: @qa]"
WITHDRAWN = "@dev's rules no longer apply"


class Kimi(Claude):
    """A session whose log has each prompt behind what the hook said of it."""

    def __init__(self, root: Path, home: Path) -> None:
        super().__init__(root, "session_1", CLIENT)
        self.log = home / "sessions/wd_tree_1/session_1/agents/main/wire.jsonl"
        self.log.parent.mkdir(parents=True)

    def _log(self, kind: str, **fields: object) -> None:
        row = {"type": f"context.{kind}", "agentId": "main", **fields, "time": int(self.now * 1000)}
        with self.log.open("a") as file:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")

    def _message(self, text: str, **origin: str) -> None:
        content = [{"type": "text", "text": text}]
        self._log("append_message", message={"role": "user", "content": content, "origin": origin})

    def ask(self, text: str) -> str:
        reply = str(self.send("UserPromptSubmit", prompt=text).get("message", ""))
        if reply:
            block = f'<hook_result hook_event="UserPromptSubmit">\n{reply}\n</hook_result>'
            self._message(block, kind="hook_result", event="UserPromptSubmit")
        self._message(text, kind="user")
        self._log("append_loop_event", event={"type": "answer"})
        return reply

    def undo(self, count: int) -> None:
        self._log("undo", count=count)


@pytest.fixture
def kimi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kimi:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("KIMI_CODE_HOME", str(tmp_path / "kimi"))
    return Kimi(write_tree(tmp_path / "tree", LIVE), tmp_path / "kimi")


def test_what_stands_is_not_said_again(kimi: Kimi) -> None:
    assert DEV in kimi.ask("@dev go on")
    assert kimi.ask("go on") == ""
    assert kimi.ask("and on") == ""


def test_what_came_with_a_later_prompt_than_the_first_undone_one_comes_again(kimi: Kimi) -> None:
    assert DEV in kimi.ask("@dev go on")
    kimi.ask("look around")
    assert QA in kimi.ask("@qa look")
    kimi.undo(2)
    assert QA in kimi.ask("@qa look again")


def test_what_came_with_the_only_undone_prompt_stays(kimi: Kimi) -> None:
    kimi.ask("@dev go on")
    assert WITHDRAWN in kimi.ask("@qa look")
    kimi.undo(1)
    assert kimi.ask("@qa look again") == ""


def test_what_an_undone_prompt_had_revoked_is_revoked_again(kimi: Kimi) -> None:
    kimi.ask("@dev go on")
    kimi.ask("look around")
    assert WITHDRAWN in kimi.ask("@qa look")
    kimi.undo(2)
    assert WITHDRAWN in kimi.ask("@qa look again")
