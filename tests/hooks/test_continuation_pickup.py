"""Which session takes over from which, and which window is told where its own work was left: one that
has lost its history.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.hooks import session_upkeep
from synapse_ls.hooks.digest_worker import make_digest
from tests.hooks.hook_clients import Claude
from tests.integrations.transcripts.claude_records import answer, prompt
from tests.integrations.transcripts.support import lines_of
from tests.trees import TEAM, write_tree

HOUR = 3600.0


@pytest.fixture
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    client = Claude(write_tree(tmp_path / "app", TEAM), "first")
    client.transcript.write_bytes(
        lines_of(prompt("@dev Build it", 1), answer(9_000, "TODO: index the table.", second=2))
    )
    client.prompt("@dev Build it")
    return client


def told(first: Claude, text: str = "Hello", *, later: float = 60.0, name: str = "second") -> bool:
    """Whether a session that begins so much later is told where the first one was left."""
    other = Claude(first.root, name)
    other.transcript = first.root / f"{name}.jsonl"
    other.now = first.now + later
    block = other.prompt(text)
    assert ("TODO: index the table." in block) == ("[CONTINUATION]" in block)
    return "[CONTINUATION]" in block


def test_from_one_that_has_ended(first: Claude) -> None:
    first.send("SessionEnd", reason="prompt_input_exit")
    assert told(first)
    assert not told(first, name="third")


def test_from_one_that_was_handed_over(first: Claude) -> None:
    make_digest(str(first.root), "first", now=first.now, reason="manual")
    assert told(first)


def test_from_one_that_was_handed_over_because_it_is_nearly_full(first: Claude) -> None:
    first.uses(190_000)
    for _ in range(3):
        first.prompt("Go on")
    assert told(first, name="spawned")


def test_from_one_for_which_a_new_one_is_better(first: Claude) -> None:
    for _ in range(3):
        first.send("PreCompact", trigger="auto")
        first.send("SessionStart", source="compact")
    assert told(first)


def test_from_one_that_was_quiet_for_long(first: Claude) -> None:
    first.send("PreCompact", trigger="auto")
    assert not told(first, later=HOUR / 2)
    assert told(first, later=2 * HOUR, name="third")


def test_not_from_one_that_was_cleared(first: Claude) -> None:
    first.send("SessionEnd", reason="clear")
    assert not told(first)


def test_not_from_one_of_another_agent(first: Claude) -> None:
    first.send("SessionEnd", reason="other")
    assert not told(first, "@qa Hello")


def test_not_after_the_time_in_which_sessions_are_kept(first: Claude) -> None:
    first.send("SessionEnd", reason="other")
    assert not told(first, later=169 * HOUR)


def test_not_from_one_that_had_nothing_left(first: Claude) -> None:
    first.send("PreCompact", trigger="auto")
    with first.transcript.open("ab") as file:
        done = "I have added the index of the table."
        file.write(lines_of(prompt("Index the table", 20), answer(9_000, done, second=21)))
    first.prompt("Index the table")
    first.send("SessionEnd", reason="other")
    assert "state: finished" in (first.root / ".synapse/continuation/latest.md").read_text()
    assert not told(first)


@pytest.mark.parametrize("spoiled", ["", "# Notes\n", "---\nsession_id: x\n---\n", "\0\xff"])
def test_a_file_that_is_none_is_passed_over(first: Claude, spoiled: str) -> None:
    first.send("SessionEnd", reason="other")
    (first.root / ".synapse/continuation/latest.md").write_text(spoiled, encoding="utf-8")
    assert not told(first)


def left_by(root: Path, agent: str, item: str, *, later: float = 0.0) -> Claude:
    """A session of an agent that has ended with something open."""
    client = Claude(root, f"of-{agent}")
    client.now += later
    client.transcript = root / f"of-{agent}.jsonl"
    client.transcript.write_bytes(
        lines_of(prompt(f"@{agent} Go", 1), answer(9_000, f"TODO: {item}.", second=2))
    )
    client.prompt(f"@{agent} Go")
    client.send("SessionEnd", reason="other")
    return client


def test_what_one_agent_has_left_still_waits_after_a_session_of_another(first: Claude) -> None:
    first.send("SessionEnd", reason="other")
    assert not told(first, "@qa Hello")
    assert told(first, "@dev Hello", name="third")


def test_from_the_latest_of_its_own_agent_when_two_were_at_work(first: Claude) -> None:
    first.send("SessionEnd", reason="other")
    left_by(first.root, "qa", "rerun the payment tests", later=HOUR / 2)
    assert told(first, "@dev Hello", later=HOUR)


def test_not_from_what_its_own_agent_has_finished_since(first: Claude) -> None:
    first.send("PreCompact", trigger="auto")
    left_by(first.root, "qa", "rerun the payment tests")
    with first.transcript.open("ab") as file:
        done = "I have added the index of the table."
        file.write(lines_of(prompt("Index the table", 20), answer(9_000, done, second=21)))
    first.prompt("Index the table")
    first.send("SessionEnd", reason="other")
    assert not told(first, "@dev Hello", later=HOUR)


def test_not_by_a_fork_which_has_the_history_of_the_first(first: Claude) -> None:
    first.send("SessionEnd", reason="other")
    fork = Claude(first.root, "fork")
    fork.now = first.now
    fork.transcript = first.root / "fork.jsonl"
    fork.send("SessionStart", source="fork", context_tokens=9_000)
    assert "[CONTINUATION]" not in fork.prompt("Hello")


ADOPTED = {
    ".synapse/config.toml": '[[adopted]]\npath = "CLAUDE.md"\n',
    "CLAUDE.md": "# Guide\n\n- Never push to main\n",
}


@pytest.fixture(params=["own rules", "rules that the client reads itself"])
def resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Claude:
    """A session that was left with something open and is resumed, history and all."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    tree = TEAM if request.param == "own rules" else ADOPTED
    client = Claude(write_tree(tmp_path / "app", tree), "first")
    client.send("SessionStart", source="startup")
    client.prompt("Build it")
    client.transcript.write_bytes(
        lines_of(prompt("Build it", 1), answer(9_000, "TODO: index the table.", second=2))
    )
    client.send("SessionEnd", reason="prompt_input_exit")
    client.send("SessionStart", source="resume", context_tokens=9_000)
    return client


def test_a_session_that_is_resumed_is_not_told_where_it_was_left(resumed: Claude) -> None:
    assert "[CONTINUATION]" not in resumed.prompt("Say hello") + resumed.prompt("Go on")


def test_after_a_compaction_a_window_is_told_once(resumed: Claude) -> None:
    resumed.prompt("Go on")
    resumed.send("PreCompact", trigger="manual")
    reply = resumed.send("SessionStart", source="compact")["hookSpecificOutput"]
    assert "Open: TODO: index the table." in reply["additionalContext"]
    assert "[CONTINUATION]" not in resumed.prompt("Go on") + resumed.prompt("Go on")
