"""What a person takes back in Copilot CLI, which deletes it from its events: the model is sent every
rule that applies, once.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import session_upkeep
from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations.copilot import CLIENT
from synapse_ls.storage import injection_log
from synapse_ls.storage.session_store import format_timestamp
from tests.trees import TEAM, write_tree

LIVE = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}
DEV, QA = "[ACTIVE AGENT: @dev]", "[ACTIVE AGENT: @qa]"
WITHDRAWN = "@dev's rules no longer apply"
GLOBAL = "Write small functions"


class Terminal:
    """A session of Copilot CLI, with the rows that it writes."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder
        self.session = "s1"
        self.rows: list[dict[str, Any]] = []
        self.now = 1_800_000_000.0
        self.write("session.start")

    def write(self, kind: str, *, of_agent: bool = False, **data: object) -> None:
        self.now += 0.1
        time = format_timestamp(self.now)
        own = {"agentId": "a1"} if of_agent else {}
        row = {"type": kind, "data": data, "id": f"e{self.now}", "timestamp": time, **own}
        self.rows.append(row)
        self.flush()

    def flush(self) -> None:
        events = self.folder / "session-state" / self.session / "events.jsonl"
        events.parent.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(row, separators=(",", ":")) for row in self.rows)
        events.write_text("".join(f"{line}\n" for line in lines))

    def send(self, name: str, **fields: Any) -> str:
        """Returns the text that an event puts before the model, "" for none."""
        self.now += 1
        raw = {"sessionId": self.session, "cwd": str(self.root), **fields}
        self.write("hook.start", of_agent="agentId" in fields, hookType=name, input=raw)
        replies: list[dict[str, Any]] = []
        event = CLIENT.parse_event(raw, name)
        dispatch_event(event, CLIENT, replies.append, clock=lambda: self.now)
        text: str = replies[0].get("additionalContext", "")
        return text

    def types(self, prompt: str) -> str:
        """A prompt, until the model is asked."""
        text = self.send("userPromptSubmitted", prompt=prompt)
        reminder = f"\n\n<system_reminder>\n{text}\n</system_reminder>" if text else ""
        self.write("user.message", content=prompt, transformedContent=prompt + reminder)
        return text

    def ask(self, prompt: str) -> str:
        text = self.types(prompt)
        self.write("assistant.message", content="Done.")
        return text

    def runs_a_tool(self) -> str:
        result = {"resultType": "success", "textResultForLlm": "done"}
        text = self.send("postToolUse", toolName="bash", toolArgs={}, toolResult=result)
        guidance = (
            f'\n\n\nTool "bash" succeeded. Additional guidance from postToolUse hooks:\n{text}'
        )
        content = "done" + guidance * bool(text)
        self.write("tool.execution_complete", success=True, result={"content": content})
        return text

    def takes_back(self, prompt: str) -> None:
        """Esc before the answer, or a rewind."""
        at = next(i for i, row in enumerate(self.rows) if row["data"].get("content") == prompt)
        del self.rows[at:]
        self.write("session.info", infoType="rewind")

    def compact(self) -> None:
        self.send("preCompact", trigger="manual")
        self.write("session.compaction_complete", success=True)

    def fork(self) -> None:
        self.session = "s2"
        self.write("session.info", infoType="fork")

    @property
    def window(self) -> str:
        """What the hook has brought of what the next request holds."""
        begin = [
            i for i, row in enumerate(self.rows) if row["type"].endswith("compaction_complete")
        ]
        return json.dumps(self.rows[begin[-1] if begin else 0 :], ensure_ascii=False)


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path / "copilot"))
    return Terminal(write_tree(tmp_path / "team", LIVE), tmp_path / "copilot")


def outcomes(terminal: Terminal) -> list[str]:
    """What the log says of each reply that had something to say, the first one first."""
    replies = [r for r in injection_log.read_replies(str(terminal.root)) if r["tokens"]]
    return [
        "cancelled"
        if r["cancelled"]
        else {True: "arrived", False: "missing", None: ""}[r["arrived"]]
        for r in reversed(replies)
    ]


def test_what_came_while_a_summary_was_made_is_not_repeated(terminal: Terminal) -> None:
    terminal.ask("@dev begin")
    terminal.types("more")
    terminal.send("preCompact", trigger="auto")
    terminal.write("session.compaction_start", compactionAttemptId="c1")
    rules = terminal.root / ".synapse" / "global"
    rules.write_text(rules.read_text().replace(GLOBAL, "Write tiny functions"))
    kept = terminal.runs_a_tool()
    terminal.write("session.compaction_complete", success=True, compactionAttemptId="c1")
    text = terminal.ask("go on")
    assert (kept + text).count("Write tiny functions") == 1
    assert text.count("Never print a secret") == text.count(DEV) == 1


def test_a_first_prompt_that_is_cancelled_leaves_no_rule_behind(terminal: Terminal) -> None:
    terminal.send("sessionStart", source="new", initialPrompt="@dev add a helpr")
    terminal.types("@dev add a helpr")
    terminal.takes_back("@dev add a helpr")
    terminal.ask("@dev add a helper")
    terminal.ask("go on")
    assert terminal.window.count(DEV) == terminal.window.count(GLOBAL) == 1
    assert outcomes(terminal) == ["cancelled", "arrived"]


def test_an_agent_that_was_called_in_vain_comes_with_the_next_prompt(terminal: Terminal) -> None:
    terminal.ask("@dev begin")
    terminal.types("@qa look")
    terminal.takes_back("@qa look")
    terminal.ask("@qa look at it")
    assert terminal.window.count(QA) == terminal.window.count(WITHDRAWN) == 1
    assert terminal.ask("go on") == ""


def test_what_a_rewind_takes_back_is_injected_with_the_next_prompt(terminal: Terminal) -> None:
    terminal.ask("@dev begin")
    terminal.ask("@qa look")
    for number in range(3):
        terminal.ask(f"more {number}")
    terminal.takes_back("@qa look")
    terminal.ask("go on")
    assert terminal.window.count(QA) == terminal.window.count(WITHDRAWN) == 1
    assert terminal.window.count(GLOBAL) == 1
    assert outcomes(terminal)[:2] == ["arrived", "cancelled"]


def test_a_rewind_to_before_a_compaction_repeats_nothing(terminal: Terminal) -> None:
    terminal.ask("@dev begin")
    terminal.ask("more")
    terminal.compact()
    (terminal.root / ".synapse/global").write_text("GLOBAL_RULE_0=Say why.\n")
    terminal.ask("@qa look")
    terminal.takes_back("more")
    terminal.ask("go on")
    assert terminal.window.count(DEV) == terminal.window.count(QA) == 1
    assert terminal.window.count("Say why.") == 1
    assert f"no longer applies: 1. “{GLOBAL}" in terminal.window
    assert terminal.ask("and on") == ""


def test_a_reply_that_another_hook_has_replaced_is_missing_and_not_cancelled(
    terminal: Terminal,
) -> None:
    for number in range(4):
        terminal.send("userPromptSubmitted", prompt=f"@dev {number}")
        terminal.write("user.message", content=f"@dev {number}")
        terminal.write("assistant.message", content="Done.")
    assert "cancelled" not in outcomes(terminal)
    assert "missing" in outcomes(terminal)


def test_what_a_killed_client_had_not_written_is_injected_again(terminal: Terminal) -> None:
    terminal.ask("@dev begin")
    terminal.types("more")
    (terminal.root / ".synapse/global").write_text("GLOBAL_RULE_0=Say why.\n")
    assert "Say why." in terminal.runs_a_tool()
    del terminal.rows[-1]
    terminal.write("session.resume")
    assert terminal.send("sessionStart", source="resume", initialPrompt="go on") == ""
    terminal.ask("go on")
    assert terminal.window.count("Say why.") == 1


def test_a_resumed_session_is_not_told_again(terminal: Terminal) -> None:
    terminal.ask("@dev begin")
    terminal.write("session.resume")
    assert terminal.send("sessionStart", source="resume", initialPrompt="go on") == ""
    assert terminal.ask("go on") == ""


def test_a_resumed_session_that_lost_its_rules_still_has_its_history(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    terminal.send("sessionStart", source="startup", initialPrompt="@dev begin")
    terminal.send("userPromptSubmitted", prompt="@dev begin")
    terminal.write("user.message", content="@dev begin")
    terminal.write("assistant.message", content="TODO: index the table.")
    terminal.send("sessionEnd", reason="user_exit")
    terminal.write("session.resume")
    terminal.send("sessionStart", source="resume", initialPrompt="go on")
    block = terminal.ask("go on")
    assert DEV in block and "[CONTINUATION]" not in block


@pytest.mark.parametrize("is_early", [True, False])
def test_a_fork_goes_on_with_what_the_session_holds(terminal: Terminal, *, is_early: bool) -> None:
    terminal.ask("@dev begin")
    terminal.fork()
    if is_early:
        terminal.send("sessionStart", source="resume", initialPrompt="go on")
    assert terminal.ask("go on") == ""
    assert terminal.send("sessionStart", source="resume", initialPrompt="go on") == ""
    terminal.ask("@qa look")
    assert terminal.window.count(WITHDRAWN) == terminal.window.count(GLOBAL) == 1


def test_a_fork_that_is_rewound_at_once_is_one_all_the_same(terminal: Terminal) -> None:
    terminal.ask("@dev begin")
    terminal.ask("@qa look")
    terminal.fork()
    terminal.takes_back("@qa look")
    terminal.ask("go on")
    assert terminal.window.count(QA) == terminal.window.count(WITHDRAWN) == 1
    assert terminal.window.count(GLOBAL) == 1


def test_a_start_that_is_reported_after_its_prompt_takes_nothing_back(terminal: Terminal) -> None:
    terminal.ask("begin")
    began = int(terminal.now * 1000)
    terminal.write("session.resume")
    text = terminal.send("userPromptSubmitted", prompt="@dev go on")
    terminal.send("sessionStart", source="resume", initialPrompt="@dev go on", timestamp=began)
    sent = f"<system_reminder>\n{text}\n</system_reminder>"
    terminal.write("user.message", content="@dev go on", transformedContent=sent)
    assert DEV in text
    assert terminal.ask("go on") == ""


def test_after_a_compaction_in_mid_turn_the_next_tool_brings_everything(
    terminal: Terminal,
) -> None:
    terminal.types("@dev begin")
    terminal.send("preCompact", trigger="auto")
    assert terminal.runs_a_tool() == ""  # it goes on while the summary is made
    terminal.write("session.compaction_complete", success=True)
    assert DEV in terminal.runs_a_tool()
    terminal.write("assistant.message", content="Done.")
    assert terminal.ask("go on") == ""
    assert terminal.window.count(GLOBAL) == 1


def test_a_compaction_that_fails_takes_nothing_away(terminal: Terminal) -> None:
    terminal.ask("@dev begin")
    terminal.send("preCompact", trigger="manual")
    terminal.write("session.compaction_complete", success=False)
    assert terminal.ask("go on") == ""


def test_a_sub_agent_is_told_once(terminal: Terminal) -> None:
    terminal.types("begin")
    agent = {"agentId": "a1", "agentType": "explore", "parentAgentId": "s1"}
    text = terminal.send("subagentStart", agentName="explore", **agent)
    assert GLOBAL in text
    prompt = f"{text}\n\nLook around"
    own = {**agent, "sessionId": "a1"}
    assert terminal.send("userPromptSubmitted", prompt=prompt, **own) == ""
    result = {"resultType": "success", "textResultForLlm": "done"}
    assert (
        terminal.send("postToolUse", toolName="view", toolArgs={}, toolResult=result, **own) == ""
    )
