"""A replay tells what the hook has told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synapse_ls.hooks import session_upkeep
from synapse_ls.integrations import client_registry
from synapse_ls.integrations.claude import turns
from synapse_ls.integrations.transcript_turns import Turn, TurnDraft
from synapse_ls.queries.session_replay import ReplayStep, replay_session
from synapse_ls.storage import injection_log
from tests.hooks.hook_clients import Claude, told
from tests.support import examples
from tests.trees import TEAM, write_tree

PROMPTS = (
    "hello",
    "@dev go on",
    "@qa look at it",
    "add a unit test",
    "what does coverage say? do it by manual work",
    "*brief sum up the readme",
    "go on",
)


class Recorded(Claude):
    """A session that leaves the transcript which Claude Code would, beside what it was told."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.transcript.touch()
        self.told: list[str] = []
        self._lines = 0

    def asks(self, text: str, used: int) -> None:
        """A turn: a prompt, and the agent's work on it."""
        answer = self.prompt(text)
        self._put(type="user", message={"role": "user", "content": text})
        self._shows("UserPromptSubmit", answer)
        usage = {"input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": 9}
        self._put(
            type="assistant",
            message={
                "role": "assistant",
                "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": "Done."}],
                "usage": {**usage, "cache_read_input_tokens": used},
            },
        )

    def uses_tool(self, path: str, used: int) -> None:
        """The agent uses a tool on a file, within a turn; what it thought and read is as long."""
        self._lines += 1
        key = f"t-{self._lines}"
        given = {"file_path": str(self.root / path)}
        usage = {"input_tokens": used, "output_tokens": 9}
        thought = {"type": "thinking", "thinking": "x" * used}
        part = {"type": "tool_use", "id": key, "name": "Read", "input": given}
        answer = {"role": "assistant", "model": "claude-sonnet-4-5", "content": [thought, part]}
        self._put(type="assistant", message={**answer, "usage": usage})
        result = {"type": "tool_result", "tool_use_id": key, "content": "ok"}
        self._put(type="user", message={"role": "user", "content": [result]})
        self._shows(
            "PostToolUse", told(self.send("PostToolUse", tool_name="Read", tool_input=given))
        )

    def compacts(self) -> None:
        """The client compacts its history."""
        self.send("PreCompact", trigger="auto")
        self._put(type="system", subtype="compact_boundary", content="Conversation compacted")
        self._shows("SessionStart", told(self.send("SessionStart", source="compact")))

    def _shows(self, event: str, text: str) -> None:
        """What a hook has told the model stands in the transcript."""
        if text:
            self.told.append(text)
            attachment = {"type": "hook_additional_context", "hookEvent": event, "content": [text]}
            self._put(type="attachment", attachment=attachment)

    def _put(self, **fields: Any) -> None:
        self._lines += 1
        when = datetime.fromtimestamp(self.now, UTC).isoformat(timespec="milliseconds")
        about = {
            "sessionId": self.session,
            "uuid": f"u-{self._lines}",
            "timestamp": when.replace("+00:00", "Z"),
            "isSidechain": False,
        }
        self.write({**about, **fields})


def steps(client: Recorded, name: str = "claude") -> Iterator[ReplayStep]:
    host = client_registry.load_client(name)
    assert host is not None
    lines = client.transcript.read_bytes().splitlines(keepends=True)
    return replay_session(str(client.root), turns.read_turns(lines), host)


def texts(steps: Iterator[ReplayStep]) -> list[str]:
    return [told.text for step in steps for told in step.replies if told.text]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Recorded(write_tree(tmp_path / "team", TEAM))


SESSIONS = st.lists(
    st.tuples(st.sampled_from(PROMPTS), st.integers(500, 40_000), st.integers(0, 9)),
    min_size=1,
    max_size=14,
)


@settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(SESSIONS)
def test_it_tells_the_texts_that_the_hook_has_sent(
    monkeypatch: pytest.MonkeyPatch, session: list[tuple[str, int, int]]
) -> None:
    # Digests are there with the next event: how long a process beside takes, no transcript says.
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    with TemporaryDirectory() as folder:
        monkeypatch.setenv("SYNAPSE_LS_CACHE", f"{folder}/cache")
        client = Recorded(write_tree(Path(folder) / "team", TEAM))
        used = 10_000
        for number, (prompt, more, chance) in enumerate(session):
            if chance == 0 and number:
                client.compacts()
                used = 10_000
            used = min(used + more, 195_000)
            client.asks(prompt, used)
        assert texts(steps(client)) == client.told


LONG = (
    ("db/a.sql", 30_000),
    ("readme.md", 60_000),
    ("readme.md", 90_000),
    ("db/a.sql", 130_000),
    ("readme.md", 170_000),
    None,  # the client compacts its history
    ("readme.md", 30_000),
    ("db/b.sql", 85_000),
)


def test_it_tells_what_the_hook_has_told_within_long_turns(
    client: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    add_sql(client.root)
    client.asks("@dev go on", 10_000)
    for use in LONG:
        if use is None:
            client.compacts()
        else:
            client.uses_tool(*use)
    client.asks("go on", 86_000)
    found = list(steps(client))
    assert texts(iter(found)) == client.told
    events = [[told.record["event"] for told in step.replies if told.text] for step in found]
    before, after = events[0].index("SessionStart"), events[0][-1]
    assert (before, after) == (4, "PostToolUse")
    assert "[MODERATE]" in found[0].replies[-1].text


def add_sql(root: Path) -> None:
    """A domain that waits for files."""
    manifest = root / ".synapse/manifest"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(f"{text}SQL_STATE=active\nSQL_PATHS=**/*.sql\n", encoding="utf-8")
    (root / ".synapse/sql").write_text("SQL_RULE_0=Name every index\n", encoding="utf-8")


def worked(prompt: str, used: int, reply: str = "Done.", *, compacted: bool = False) -> Turn:
    return Turn(prompt, None, used, 200_000, reply=reply, compacted=compacted)


def test_a_full_block_has_what_a_digest_adds_to_a_hand_off_that_comes_once(
    client: Recorded,
) -> None:
    host = client_registry.load_client("claude")
    assert host is not None
    turns = [
        worked("Build it", 185_000, "We decided to use cookies.\n\nTODO: the changelog."),
        worked("go on", 186_000),
        worked("go on", 187_000),
    ]
    first, second, third = replay_session(str(client.root), turns, host)
    assert "cookies" not in first.full + second.replies[0].text
    assert "We decided to use cookies." in third.full
    assert "TODO: the changelog." in third.full
    assert "[HANDOFF WARNING]" in second.replies[0].text
    assert "[HANDOFF WARNING]" not in third.replies[0].text


def test_after_a_compaction_it_goes_on_with_what_the_digest_has(client: Recorded) -> None:
    host = client_registry.load_client("claude")
    assert host is not None
    turns = [
        worked("Build it", 90_000, "We decided to use cookies."),
        worked("go on", 9_000, compacted=True),
    ]
    _, second = replay_session(str(client.root), turns, host)
    assert "[CONTINUATION]" in second.before[0].text
    assert "We decided to use cookies." in second.before[0].text


def test_a_digest_in_the_midst_of_a_turn_has_what_was_said_before_it(client: Recorded) -> None:
    host = client_registry.load_client("claude")
    assert host is not None
    draft = TurnDraft("Build it")
    draft.set_usage(90_000, 200_000)
    draft.add_reply("We decided to use cookies.")
    draft.add_tool_call("Bash", {"command": "npm ci"}, "1")
    draft.add_compaction()
    draft.add_reply("We decided to use tokens.")
    draft.add_tool_call("Bash", {"command": "npm test"}, "2")
    first, second = replay_session(
        str(client.root), [draft.to_turn(), worked("go on", 9_000)], host
    )
    told = "\n".join(told.text for told in first.after)
    assert "We decided to use cookies." in told
    assert "tokens" not in told
    assert second.turn.prompt == "go on"


def test_nothing_in_the_tree_its_sessions_or_the_log_changes(client: Recorded) -> None:
    client.asks("@dev add a unit test", 20_000)
    client.asks("*develop story-1", 30_000)

    def everything() -> dict[Path, bytes]:
        kept = (
            injection_log.log_path(str(client.root)),
            injection_log.log_path(str(client.root), "blocks"),
        )
        paths = [*client.root.rglob("*"), *map(Path, kept)]
        return {path: path.read_bytes() for path in paths if path.is_file()}

    before = everything()
    assert len(list(steps(client))) == 2
    assert everything() == before


def test_a_full_block_with_every_prompt_is_what_it_is_compared_with(client: Recorded) -> None:
    for number in range(5):
        client.asks(f"step {number}", 20_000 + number)
    found = list(steps(client))
    assert [step.tokens for step in found[1:]] == [0, 0, 0, 0]
    assert {step.full_tokens for step in found} == {found[0].tokens}
    assert found[3].full == found[0].replies[0].text


def test_another_client_is_told_in_its_own_way(client: Recorded) -> None:
    client.asks("hello", 20_000)
    client.asks("go on", 21_000)
    first, second = texts(
        steps(client, "antigravity")
    )  # it keeps nothing, so everything is told again
    assert first == second


def test_the_log_line_of_a_replay_is_that_of_the_hook(client: Recorded) -> None:
    client.asks("@dev add a unit test", 20_000)
    (record,) = injection_log.read_replies(str(client.root))
    (step,) = steps(client)
    assert step.reply is not None
    assert {**step.reply.record, "session": record["session"]} == record


def test_a_step_knows_whether_the_same_was_told_then(client: Recorded) -> None:
    client.asks("hello", 20_000)
    host = client_registry.load_client("claude")
    assert host is not None
    turns = [
        Turn("hello", injected=(client.told[0],)),
        Turn("@dev go on", injected=("other",)),
        Turn("x"),
    ]
    found = replay_session(str(client.root), turns, host)
    assert [step.matches_transcript for step in found] == [True, False, None]


def test_files_that_were_touched_wake_their_domains(client: Recorded) -> None:
    add_sql(client.root)
    host = client_registry.load_client("claude")
    assert host is not None
    files = (str(client.root / "db" / "a.sql"),)
    (step,) = replay_session(
        str(client.root), [Turn("hello", None, 90_000, 200_000, files=files)], host
    )
    (tool,) = step.after
    assert step.replies == [step.reply, tool]
    assert (tool.record["event"], "Name every index" in tool.text) == ("PostToolUse", True)


def test_turns_are_read_as_they_are_asked_for(client: Recorded) -> None:
    host = client_registry.load_client("claude")
    assert host is not None
    read: list[int] = []

    def turns() -> Iterator[Turn]:
        for number in range(1000):
            read.append(number)
            yield Turn(json.dumps(number))

    found = replay_session(str(client.root), turns(), host)
    assert next(found).number == 1
    assert read == [0]


def test_the_log_says_what_arrived_once_the_transcript_shows_it(client: Recorded) -> None:
    client.asks("hello", 20_000)
    client.asks("@dev go on", 30_000)
    last, first = injection_log.read_replies(str(client.root))
    assert (first["arrived"], last["arrived"]) == (True, None)
