"""A new session is advised at the prompt that meets a criterion for one, to the agent and to the
person, once; and what comes next is made of work.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import session_upkeep
from synapse_ls.integrations.copilot import CLIENT as COPILOT
from tests.hooks.hook_clients import Claude, Scripted, told
from tests.integrations.transcripts.claude_records import answer, prompt
from tests.integrations.transcripts.support import lines_of
from tests.trees import TEAM, write_tree

ADVICE = "A new session is better from here. "
CRITICAL, FRESH = 190_000, 12_000


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    return Claude(write_tree(tmp_path / "app", TEAM))


def ask(client: Claude, text: str, reply: str = "I have looked at it.", used: int = FRESH) -> Any:
    """The hook's reply to a prompt, after which the model answers and has used so much."""
    replied = client.send("UserPromptSubmit", prompt=text)
    second = int(client.now - 1_800_000_000)
    with client.transcript.open("ab") as file:
        file.write(lines_of(prompt(text, second), answer(used, reply, second=second + 1)))
    return replied


def compact(client: Claude) -> str:
    client.send("PreCompact", trigger="auto")
    return told(client.send("SessionStart", source="compact"))


def test_the_third_critical_prompt_in_a_row_brings_it_once(claude: Claude) -> None:
    ask(claude, "@dev Build the exporter", used=CRITICAL)
    replies = [ask(claude, f"Go on {n}", used=CRITICAL) for n in range(5)]
    assert [ADVICE in told(reply) for reply in replies] == [False, False, True, False, False]
    assert "3 prompts in a row" in told(replies[2])
    assert [n for n, reply in enumerate(replies) if "systemMessage" in reply] == [2]
    assert "claude 'Read .synapse/continuation/latest.md and" in replies[2]["systemMessage"]


def test_a_window_that_was_just_reset_is_not_advised(claude: Claude) -> None:
    ask(claude, "@dev Build the exporter", used=CRITICAL)
    for n in range(3):
        ask(claude, f"Go on {n}", used=CRITICAL)
    assert "new session is better" not in compact(claude)
    assert ADVICE not in told(ask(claude, "And on"))


def test_the_prompt_after_the_third_compaction_brings_it_once(claude: Claude) -> None:
    ask(claude, "@dev Build the exporter")
    replies = []
    for n in range(4):
        assert "new session is better" not in compact(claude)
        replies += [told(ask(claude, f"Go on {n}")), told(ask(claude, "And on"))]
    assert [n for n, text in enumerate(replies) if ADVICE in text] == [4]
    assert "compacted 3 times" in replies[4]


def test_a_client_that_shows_the_person_nothing_has_the_agent_say_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    client = Scripted(write_tree(tmp_path / "app", TEAM))
    monkeypatch.setattr(Scripted, "shows_notices", COPILOT.shows_notices)
    client.figures = {"used": CRITICAL, "window": 200_000}
    texts = [client.prompt(f"Go on {n}") for n in range(3)]
    assert ADVICE in texts[2] and "Tell the user so." in texts[2]
    assert "latest.md" not in texts[2]  # it has no transcript of which that could be made


def note_after(claude: Claude) -> str:
    """The line that says what comes next, in the block after a compaction."""
    lines = compact(claude).splitlines()
    return next((line.strip() for line in lines if line.startswith("  Next: ")), "")


def test_next_is_the_last_request_for_work_and_not_what_is_said_around_it(claude: Claude) -> None:
    ask(claude, "@dev Import the users")
    ask(claude, "Thanks! Now add the exporter")
    for text in ("thanks", "why does it take so long?", "go on", "please summarize what we did"):
        ask(claude, text)
    assert note_after(claude) == "Next: Go on with: Now add the exporter"
    ask(claude, "summarize")
    assert note_after(claude) == "Next: Go on with: Now add the exporter"


def test_next_is_nothing_that_an_answer_has_called_done(claude: Claude) -> None:
    ask(claude, "@dev Import the users")
    ask(claude, "go on", "I have added the import.")
    ask(claude, "thanks", "You are welcome.")
    assert note_after(claude) == ""


def test_next_is_what_somebody_has_said_is_next(claude: Claude) -> None:
    ask(claude, "@dev Import the users", "Half of it works. Next step: the duplicates.")
    assert note_after(claude) == "Next: the duplicates."


def test_next_is_what_waits_for_a_decision_where_no_work_is_begun(claude: Claude) -> None:
    ask(claude, "@dev thanks", "Open question: which of the two formats we keep.")
    assert note_after(claude) == "Next: Open question: which of the two formats we keep."


def test_next_is_the_first_open_criterion_of_the_story(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    criteria = "- [x] Rows are read\n- [ ] Duplicates are named\n- [ ] A log is kept\n"
    story = f"# Story 7: Import\n\n## Acceptance Criteria\n\n{criteria}"
    claude = Claude(write_tree(tmp_path / "app", {**TEAM, "docs/stories/story-7.md": story}))
    ask(claude, "@dev *develop story-7", "I have begun. TODO: the changelog.")
    ask(claude, "thanks")
    assert note_after(claude) == "Next: Duplicates are named"
    left = (claude.root / ".synapse/continuation/latest.md").read_text(encoding="utf-8")
    assert "\nNext: Duplicates are named\n" in left
