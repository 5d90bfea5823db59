"""A working day, event by event: what a session leaves, and what the next one begins with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from synapse_ls.formats.continuation_file import parse, render_continuation
from synapse_ls.memory.memory_store import MemoryStore
from tests.hooks.claude_transcripts import Session
from tests.trees import TEAM, write_tree

RULE = "No, use pnpm instead of npm in this repository, always."
ERROR = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:{port}\n    at TCPConnectWrap ({id})"


class Day:
    """What the day has left behind."""

    def __init__(self, root: Path) -> None:
        self.root = root
        first = Session(root, "5f0c2a9e-1b7d-4c1e-9a58-0d6f3b2e7c41")
        first.start()
        self.first_block = first.ask("@dev Add a refund endpoint to the billing service", "On it.")
        first.ask(
            "Look at the tests first", "I'll use the existing fixtures because they are fast."
        )
        first.edits("src/refund.ts")
        first.ask("Install what is missing", "Running npm install.")
        first.ask(RULE, "Understood, pnpm it is.")
        self.told = [
            first.runs("pnpm test", error=ERROR.format(port=port, id=f"net.js:{port}"))
            for port in (5432, 5433)
        ]
        first.ask("Why does it fail?", "The database is not running.")
        self.told.append(first.runs("pnpm test", error=ERROR.format(port=5434, id="net.js:1")))
        first.runs("docker compose up -d db")
        first.runs("pnpm test")
        first.ask("Good. Now the webhook", "We decided to keep the webhook synchronous.")
        first.edits("src/webhook.ts")
        first.ask("Next: document it", "The README still needs a section on refunds.")
        first.ask("And the changelog?", "Added.")
        first.ask("What about idempotency keys?", "TODO: idempotency keys are not yet handled.")
        first.ask("Go on", "Working.")
        self.session = first
        self.before = first.document()
        self.again = first.compacts()
        self.digests = sorted((root / ".synapse/memory/digests").glob("*.md"))
        self.digest = self.digests[0].read_text(encoding="utf-8")
        first.ask("Handle the idempotency keys now", "Implemented with a table of keys.")
        first.ask("Run the tests", "All tests pass now.")
        first.ask("Write the README section", "The section on refunds still needs an example.")
        first.ends()
        self.left = (root / ".synapse/continuation/latest.md").read_text(encoding="utf-8")
        self.second = Session(root, "77aa0c11-2222-4333-8444-555566667777")
        self.second.start()
        self.next_block = self.second.ask("@dev Where were we?", "At the README.")


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    folder = tmp_path_factory.mktemp("day")
    (folder / "home").mkdir()
    return Day(write_tree(folder / "billing", TEAM))


def test_ten_prompts_were_counted_and_the_window_is_measured(day: Day) -> None:
    assert day.before["prompt_count"] == 10
    usage = day.before["context"]["usage"]
    assert (usage["model"], usage["window"]) == ("claude-sonnet-4-5-20250929", 200_000)
    assert usage["used"] > 40_000
    document = day.session.document()
    assert document["prompt_count"] == 13
    assert document["context"]["compactions"] == 1
    assert document["context"]["last_tokens_used"] < usage["used"]


def test_a_digest_was_made_before_the_compaction(day: Day) -> None:
    assert "agent_context: dev" in day.digest
    assert "compact_trigger: compact" in day.digest
    assert "turns: 1-10" in day.digest
    assert RULE in day.digest
    assert "We decided to keep the webhook synchronous." in day.digest
    assert "idempotency keys are not yet handled" in day.digest
    assert "src/webhook.ts" in day.digest
    assert "pnpm test" in day.digest


def test_the_error_and_how_it_went_away_are_in_the_digest_as_a_quotation(day: Day) -> None:
    errors = day.digest.partition("## Errors and Resolutions")[2].partition("\n## ")[0]
    assert '"Error: connect ECONNREFUSED 127.0.0.1:543' in errors
    assert "3 times" in errors
    assert "docker compose" in errors


def test_the_third_time_the_error_is_a_gotcha_and_is_told_at_once(day: Day) -> None:
    known = ["Known problem" in text for text in day.told]
    assert known == [False, False, True]
    assert "met 3 times" in day.told[2]
    assert "quoted, not an instruction" in day.told[2]
    (gotcha,) = (r for r in MemoryStore(str(day.root)).records() if r.type == "gotcha")
    assert "ECONNREFUSED" in gotcha.title
    assert "pnpm test" in gotcha.tags
    assert "It went away: `pnpm test` succeeded after: ran `docker compose`" in gotcha.text


def test_after_the_compaction_the_block_says_where_the_work_was(day: Day) -> None:
    assert "[ACTIVE AGENT: @dev]" in day.again
    state = day.again.partition("[CONTINUATION]")[2]
    assert "agent @dev" in state
    assert "webhook synchronous" in state
    assert "src/webhook.ts" in state


def test_the_correction_is_a_memory_of_the_agent_that_was_corrected(day: Day) -> None:
    (correction,) = (r for r in MemoryStore(str(day.root)).records() if r.type == "user_correction")
    assert (correction.text, correction.agent, correction.scope) == (RULE, "dev", "private")
    assert correction.explicit


def test_the_next_session_is_told_the_correction_and_where_to_go_on(day: Day) -> None:
    assert RULE.removesuffix(".") in day.next_block
    state = day.next_block.partition("[CONTINUATION]")[2].partition("\n\n")[0]
    assert "This goes on with work that was left" in state
    assert "still needs an example" in state


def test_where_the_session_was_is_told_once(day: Day) -> None:
    assert "[CONTINUATION]" not in day.second.ask("@dev And now?", "On.")
    third = Session(day.root, "third")
    third.start()
    assert "[CONTINUATION]" not in third.ask("@dev Hello", "Hello.")


def test_the_continuation_file_round_trips(day: Day) -> None:
    found = parse(day.left)
    assert found.session == day.session.name
    assert (found.reason, found.agent) == ("ended", "dev")
    assert found.state == "unfinished"
    assert render_continuation(found) == day.left


def test_a_session_that_has_ended_says_so_and_has_its_own_digest(day: Day) -> None:
    assert day.session.document()["ended"]
    later = sorted((day.root / ".synapse/memory/digests").glob("*.md"))[1:]
    assert [("turns: 11-13" in path.read_text(encoding="utf-8")) for path in later] == [True]


def test_no_folder_of_a_persons_words_is_for_git_whatever_the_tree_ignores(day: Day) -> None:
    for folder in ("sessions", "continuation", "memory/digests"):
        own = day.root / ".synapse" / folder / ".gitignore"
        assert "*" in own.read_text(encoding="utf-8").splitlines(), folder


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_what_is_kept_of_a_persons_words_is_for_that_person_alone(day: Day) -> None:
    for folder in ("sessions", "continuation", "memory"):
        for path in (day.root / ".synapse" / folder).rglob("*"):
            if path.name == ".gitignore":
                continue  # has none of them
            assert path.stat().st_mode & 0o077 == 0, path


def test_nothing_of_it_is_seen_by_git(day: Day) -> None:
    ignored = (day.root / ".synapse/.gitignore").read_text(encoding="utf-8")
    for line in ("sessions/", "continuation/", "metrics/", "memory/**/digests/"):
        assert line in ignored.splitlines()
