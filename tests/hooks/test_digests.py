"""When digests are made, and that none is lost."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synapse_ls.formats import session_file
from synapse_ls.hooks import daily_cleanup, digest_worker, session_upkeep
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import plan_cache, program_start
from synapse_ls.storage.atomic_files import FileLock
from tests.hooks.hook_clients import Claude
from tests.integrations.transcripts.claude_records import answer, prompt, result, tool
from tests.integrations.transcripts.support import lines_of
from tests.support import examples
from tests.trees import TEAM, write_tree


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    """A session that makes its digests in this process."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    client = Claude(write_tree(tmp_path / "app", TEAM))
    client.transcript.write_bytes(
        lines_of(
            prompt("No, use pnpm instead of npm.", 1),
            answer(9_000, "TODO: the changelog.", second=2),
        )
    )
    client.prompt("hello")
    return client


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The processes that would have been started: none of them is."""
    found: list[tuple[str, ...]] = []

    def note(*arguments: str) -> bool:
        found.append(arguments)
        return True

    monkeypatch.setattr(program_start, "start_process", note)
    return found


def digests(client: Claude) -> list[str]:
    folder = client.root / ".synapse/memory/digests"
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]


def recovery(client: Claude) -> dict[str, Any]:
    found: dict[str, Any] = client.document().get("recovery", {})
    return found


def test_a_process_that_is_killed_after_the_mark_loses_nothing(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(digest_worker, "_make_due_digest", killed)
        with pytest.raises(KeyboardInterrupt):
            claude.send("PreCompact", trigger="auto")
    assert recovery(claude)["due"]["reason"] == "compact"
    assert digests(claude) == []
    claude.prompt("go on")
    assert "due" not in recovery(claude)
    assert len(digests(claude)) == 1


def test_a_compaction_that_nobody_announced_has_its_digest(claude: Claude) -> None:
    claude.send("SessionStart", source="compact")
    assert "compact_trigger: compact" in digests(claude)[0]


def test_a_long_transcript_and_a_prompt_that_waits_are_left_to_another_process(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    def detached(_: str, session: str) -> bool:
        started.append(session)
        return True

    monkeypatch.setattr(session_upkeep, "start_worker", detached)
    monkeypatch.setattr(session_upkeep, "SMALL_TRANSCRIPT", 10)
    claude.send("PreCompact", trigger="auto")
    assert started == [claude.session]
    assert digests(claude) == []
    digest_worker.main(str(claude.root), claude.session)
    assert len(digests(claude)) == 1


def test_another_process_that_is_at_it_is_no_failure(claude: Claude, tmp_path: Path) -> None:
    folder = claude.root / ".synapse/memory/digests"
    folder.mkdir(parents=True)
    with FileLock(str(folder / f".{claude.session}"), 0, within=str(claude.root), keep=False):
        claude.send("PreCompact", trigger="auto")
    assert digests(claude) == [] and "due" in recovery(claude)
    assert not (tmp_path / "cache/hook.log").exists()


def test_what_cannot_be_made_is_tried_a_few_times_and_then_let_go(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(digest_worker, "read_turns", failing)
    claude.send("PreCompact", trigger="auto")
    for _ in range(session_file.MAX_TRIES):
        assert digest_worker.make_digest(str(claude.root), claude.session, now=claude.now) is None
    assert "due" not in recovery(claude)


def test_only_what_is_new_since_the_last_digest_is_looked_at(claude: Claude) -> None:
    claude.send("PreCompact", trigger="auto")
    with claude.transcript.open("ab") as file:
        file.write(lines_of(prompt("Now the webhook", 20), answer(9_000, "Done.", second=21)))
    claude.prompt("x")
    claude.send("SessionEnd", reason="other")
    first, second = digests(claude)
    assert ("turns: 1-1" in first, "turns: 2-2" in second) == (True, True)
    assert "pnpm" not in second.partition("## Requests")[2]


def test_a_turn_that_goes_on_after_its_digest_is_read_to_its_end(claude: Claude) -> None:
    claude.send("PreCompact", trigger="auto")
    said = "We decided to sign webhooks. TODO: rotate the keys."
    with claude.transcript.open("ab") as file:
        file.write(lines_of(answer(9_000, said, tool("Edit", str(claude.root / "a.ts")), second=9)))
    claude.send("SessionEnd", reason="other")
    second = digests(claude)[1]
    assert "- We decided to sign webhooks." in second
    assert "- TODO: rotate the keys." in second
    assert "- Files: a.ts" in second
    assert ("turns: 1-1" in second, "## User Corrections" in second) == (True, False)
    (record,) = (r for r in MemoryStore(str(claude.root)).records() if r.type == "user_correction")
    assert record.evidence == 1


def test_a_prompt_that_was_answered_since_is_open_no_longer(claude: Claude) -> None:
    with claude.transcript.open("ab") as file:
        file.write(lines_of(prompt("Build the exporter", 20)))
    claude.send("PreCompact", trigger="auto")
    assert "- Not answered yet: Build the exporter" in digests(claude)[0]
    with claude.transcript.open("ab") as file:
        file.write(lines_of(answer(9_000, "It streams rows now.", second=21)))
    claude.send("SessionEnd", reason="other")
    assert "Not answered yet" not in digests(claude)[1]


def test_a_continuation_lists_what_was_remembered_with_it(claude: Claude) -> None:
    claude.send("PreCompact", trigger="auto")
    (record,) = (r for r in MemoryStore(str(claude.root)).records() if r.type == "user_correction")
    left = (claude.root / ".synapse/continuation/latest.md").read_text(encoding="utf-8")
    assert f"- {record.id} [hot] {record.title}" in left


def test_a_continuation_says_a_long_error_once(claude: Claude) -> None:
    words = "The importer cannot read the file of the partner because " + "x " * 60
    failed = {"type": "tool_result", "tool_use_id": "t", "content": words, "is_error": True}
    with claude.transcript.open("ab") as file:
        file.write(
            lines_of(
                prompt("Import it", 20),
                answer(9_000, "Now.", {**tool("Read", "a.csv"), "name": "Import"}, second=21),
                {**result(), "message": {"role": "user", "content": [failed]}},
            )
        )
    claude.send("PreCompact", trigger="auto")
    left = (claude.root / ".synapse/continuation/latest.md").read_text(encoding="utf-8")
    assert left.count("The importer cannot read") == 1


def runs(client: Claude, command: str, error: str, second: int) -> None:
    """The model runs a command in a turn of its own."""
    use = {"type": "tool_use", "id": f"r{second}", "name": "Bash", "input": {"command": command}}
    back = {"type": "tool_result", "tool_use_id": f"r{second}", "content": error or "ok"}
    given = {**back, "is_error": True} if error else back
    with client.transcript.open("ab") as file:
        file.write(
            lines_of(
                prompt("Run the tests", second),
                answer(9_000, "Running.", use, second=second + 1),
                {**result(), "message": {"role": "user", "content": [given]}},
            )
        )


def test_an_error_waits_from_digest_to_digest_until_it_is_solved(claude: Claude) -> None:
    runs(claude, "npm test", "Error: no database", 20)
    claude.send("PreCompact", trigger="auto")
    runs(claude, "npm run lint", "", 30)
    claude.send("SessionStart", source="compact")
    claude.send("PreCompact", trigger="auto")
    left = claude.root / ".synapse/continuation/latest.md"
    assert '- "Error: no database", from `npm test`: not solved' in left.read_text()
    claude.send("SessionStart", source="compact")
    runs(claude, "npm test", "", 40)
    claude.send("SessionEnd", reason="other")
    assert '- "Error: no database", from `npm test`: `npm test` succeeded' in left.read_text()
    assert "not solved" not in left.read_text()


def test_a_digest_that_is_made_twice_says_it_once(claude: Claude) -> None:
    claude.send("PreCompact", trigger="auto")
    digest_worker.make_digest(str(claude.root), claude.session, now=claude.now, reason="manual")
    assert len(digests(claude)) == 1
    (record,) = (r for r in MemoryStore(str(claude.root)).records() if r.type == "user_correction")
    assert record.evidence == 1


def test_nor_is_it_said_again_where_no_continuation_can_be_written(
    claude: Claude, tmp_path: Path
) -> None:
    latest = claude.root / ".synapse/continuation/latest.md"
    latest.parent.mkdir()
    latest.symlink_to(tmp_path / "outside.md")
    claude.send("PreCompact", trigger="auto")
    claude.prompt("go on")
    claude.send("SessionEnd", reason="other")
    (record,) = (r for r in MemoryStore(str(claude.root)).records() if r.type == "user_correction")
    assert record.evidence == 1 and "due" not in recovery(claude)


def test_a_correction_that_is_made_again_is_confirmed(claude: Claude) -> None:
    claude.send("PreCompact", trigger="auto")
    with claude.transcript.open("ab") as file:
        file.write(lines_of(prompt("No, use pnpm instead of npm!", 20), answer(9_000, second=21)))
    digest_worker.make_digest(str(claude.root), claude.session, now=claude.now, reason="manual")
    (record,) = (r for r in MemoryStore(str(claude.root)).records() if r.type == "user_correction")
    assert (record.evidence, record.scope) == (2, "shared")


def test_a_session_without_anything_left_to_do_leaves_no_continuation(claude: Claude) -> None:
    claude.transcript.write_bytes(lines_of(prompt("Hello", 1), answer(9_000, "Hello.", second=2)))
    claude.send("SessionEnd", reason="other")
    assert len(digests(claude)) == 1
    assert not (claude.root / ".synapse/continuation/latest.md").exists()


def test_a_session_that_is_nearly_full_is_written_down_at_once(claude: Claude) -> None:
    with claude.transcript.open("ab") as file:
        file.write(
            lines_of(prompt("Build it", 20), answer(170_000, "TODO: index the table.", second=21))
        )
    assert "[HANDOFF WARNING]" in claude.prompt("go on")
    assert recovery(claude)["streak"] == 1
    assert "compact_trigger: critical" in digests(claude)[0]
    left = (claude.root / ".synapse/continuation/latest.md").read_text(encoding="utf-8")
    assert "Next: Go on with: Build it" in left and "- TODO: index the table." in left
    assert "[HANDOFF WARNING]" not in claude.prompt("and on")
    claude.prompt("and on and on")
    assert recovery(claude)["streak"] == 3
    assert len(digests(claude)) == 1


def test_a_tree_in_which_nothing_happens_keeps_nothing(claude: Claude) -> None:
    claude.prompt("more")
    assert "recovery" not in claude.document()
    assert not (claude.root / ".synapse/memory").exists()


def test_a_session_that_was_left_without_a_word_is_looked_after_by_the_next_one(
    claude: Claude, started: list[tuple[str, ...]]
) -> None:
    for number, later in enumerate((600, 7_200, 60), 2):
        other = Claude(claude.root, f"session-{number}")
        other.transcript = claude.root / f"other-{number}.jsonl"
        other.now = time.time() + later
        other.prompt("hello")
        assert len(started) == int(number > 2)
    module, root, since, until = started[0]
    assert (module, root) == ("synapse_ls.hooks.daily_cleanup", str(claude.root))
    assert digests(claude) == []
    daily_cleanup.main(root, since, repr(float(until) + 1e10))
    assert "compact_trigger: ended" in digests(claude)[0]
    daily_cleanup.main(root, since, repr(float(until) + 1e10))
    assert len(digests(claude)) == 1


def test_a_session_that_came_with_the_repository_gets_no_digest(claude: Claude) -> None:
    shutil.rmtree(plan_cache.cache_folder())  # what another user's hook has answered is not in ours
    daily_cleanup.main(str(claude.root), "0", repr(claude.now + 60))
    assert digests(claude) == []


def test_sessions_that_need_no_digest_keep_no_other_from_it(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily_cleanup, "MAX_SESSIONS", 1)
    other = Claude(claude.root, "session-2")
    other.transcript = claude.root / "there-is-none.jsonl"
    other.now = claude.now + 60
    other.prompt("hello")
    daily_cleanup.main(str(claude.root), "0", repr(other.now + 60))
    assert len(digests(claude)) == 1


def test_memories_are_put_away_by_themselves_at_most_once_a_day(
    claude: Claude, started: list[tuple[str, ...]]
) -> None:
    def begins(number: int, later: float) -> None:
        other = Claude(claude.root, f"session-{number}")
        other.transcript = claude.root / f"other-{number}.jsonl"
        other.now = time.time() + later
        other.prompt("hello")

    begins(2, 60)
    assert started == []  # there is nothing to remember yet
    MemoryStore(str(claude.root)).remember(
        "The build is slow today.", now=time.time(), storage="session"
    )
    for number, later in enumerate((70, 80, 86_000, 86_500, 172_000), 3):
        begins(number, later)
    tidied = [
        one for one in started if one[0] == "synapse_ls.hooks.daily_cleanup" and len(one) == 2
    ]
    assert tidied == [("synapse_ls.hooks.daily_cleanup", str(claude.root))] * 2


def test_who_has_one_session_a_day_has_them_archived(
    claude: Claude, started: list[tuple[str, ...]]
) -> None:
    began = time.time()
    for day in range(1, 10):
        daily = Claude(claude.root, f"day-{day}")
        daily.transcript = claude.root / f"day-{day}.jsonl"
        daily.now = began + day * 86_400
        daily.prompt("hello")
        written = claude.root / f".synapse/sessions/day-{day}.json"
        os.utime(written, (daily.now, daily.now))
    tidied = ("synapse_ls.hooks.daily_cleanup", str(claude.root))
    assert started.count(tidied) == 3  # once the first is a week old
    daily_cleanup.tidy(str(claude.root), now=daily.now)
    kept = {path.name for path in (claude.root / ".synapse/sessions/archive").glob("*.json")}
    assert "day-1.json" in kept and "day-9.json" not in kept


def test_that_can_be_switched_off(claude: Claude, started: list[tuple[str, ...]]) -> None:
    (claude.root / ".synapse/config.toml").write_text("[memory]\ngc = false\n")
    MemoryStore(str(claude.root)).remember(
        "The build is slow today.", now=time.time(), storage="session"
    )
    Claude(claude.root, "session-2").prompt("hello")
    assert started == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                (
                    "due",
                    "done",
                    "carried",
                    "streak",
                    "failing",
                    "met",
                    "scores",
                    "transcript",
                    "reason",
                    "at",
                    "tries",
                    "turns",
                    "digest",
                    "open",
                    "decisions",
                    "files",
                    "agent",
                    "next",
                    "Bash",
                )
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(JSON)
def test_whatever_stands_in_a_session_no_event_fails(claude: Claude, spoiled: object) -> None:
    path = claude.root / ".synapse/sessions/session-1.json"
    document = {**claude.document(), "recovery": spoiled}
    path.write_text(json.dumps(document), encoding="utf-8")
    claude.send(
        "PostToolUseFailure", tool_name="Bash", tool_input={"command": "npm test"}, error="Error: x"
    )
    claude.send("PostToolUse", tool_name="Bash", tool_input={"command": "npm test"})
    claude.prompt("go on")
    claude.send("PreCompact", trigger="auto")
    claude.send("SessionStart", source="compact")
    claude.send("SessionEnd", reason="other")
    assert "due" not in recovery(claude)


def with_numbers(value: Any, number: float) -> Any:
    """A document in which each number is this one."""
    if isinstance(value, dict):
        return {key: with_numbers(entry, number) for key, entry in value.items()}
    if isinstance(value, list):
        return [with_numbers(entry, number) for entry in value]
    return number if isinstance(value, int | float) and not isinstance(value, bool) else value


@pytest.mark.parametrize(
    "number", [10**400, -(10**400), 10**19, 1e300, -1], ids=["long", "below", "19", "float", "-1"]
)
def test_whatever_number_stands_in_a_session_no_event_fails(claude: Claude, number: float) -> None:
    claude.prompt("go on")
    path = claude.root / ".synapse/sessions/session-1.json"
    document = {"prompt_count": 1, "context": {"prompts": 1}, **claude.document()}
    path.write_text(json.dumps(with_numbers(document, number)), encoding="utf-8")
    claude.send("PostToolUse", tool_name="Bash", tool_input={"command": "npm test"})
    claude.prompt("go on")
    claude.send("PreCompact", trigger="auto")
    assert "[GLOBAL]" in json.dumps(claude.send("SessionStart", source="compact"))
    claude.send("SessionEnd", reason="other")


def test_a_session_whose_first_event_is_a_compaction_has_its_digest(claude: Claude) -> None:
    other = Claude(claude.root, "session-2")
    other.transcript = claude.transcript
    other.send("PreCompact", trigger="auto")
    assert "session_id: session-2" in digests(claude)[0]
    assert other.document()["prompt_count"] == 0


def test_one_without_a_transcript_is_not_begun_by_it(claude: Claude) -> None:
    other = Claude(claude.root, "session-2")
    other.transcript = claude.root / "nowhere.jsonl"
    other.send("PreCompact", trigger="auto")
    assert not (claude.root / ".synapse/sessions/session-2.json").exists()
