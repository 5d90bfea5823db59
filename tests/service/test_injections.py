"""The log of what agents were told."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from synapse_ls.engine.hashing import text_hash
from synapse_ls.service import injections
from tests.service.clients import Claude
from tests.trees import TEAM, write_tree


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Claude(write_tree(tmp_path / "team", TEAM))


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").glob("*.injections*"))


def test_each_reply_is_a_line_the_latest_first(client: Claude) -> None:
    text = client.prompt("hello")
    client.uses(90_000)
    client.prompt("@dev go on")
    last, first = injections.read(str(client.root))
    assert first["hash"] == text_hash(text)
    assert (first["bracket"], first["source"], first["used"]) == ("FRESH", "estimated", None)
    assert (last["bracket"], last["source"], last["used"]) == ("MODERATE", "measured", 90_000)
    assert last["time"] - first["time"] == 60
    names = [name for _, written in last["sections"] for _, name in injections.entries_of(written)]
    assert "AGENT_DEV_AUTH_0" in names


def test_a_prompt_never_gets_into_the_log(client: Claude, tmp_path: Path) -> None:
    client.prompt("hunter2 is my password; *synapse context hunter2 *brief hunter2 @dev hunter2")
    (path,) = files(tmp_path)
    assert "hunter2" not in path.read_text()


def test_nor_does_the_text_of_a_rule(client: Claude, tmp_path: Path) -> None:
    assert "Write small functions" in client.prompt("hello")
    (path,) = files(tmp_path)
    assert "Write small functions" not in path.read_text()


def test_a_sub_agent_has_its_own_window(client: Claude) -> None:
    client.prompt("hello", agent_id="sub-7")
    (record,) = injections.read(str(client.root))
    assert record["window"] == "sub-7"


def test_a_reply_without_a_session_is_noted_too(client: Claude) -> None:
    client.session = ""
    client.prompt("hello")
    (record,) = injections.read(str(client.root))
    assert record["session"] == ""


def test_an_event_that_tells_nothing_leaves_no_line(client: Claude) -> None:
    client.send("SessionStart", source="startup")
    client.send("PreCompact")
    assert list(injections.read(str(client.root))) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_its_user_can_read_the_log(client: Claude, tmp_path: Path) -> None:
    client.prompt("hello")
    (path,) = files(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_log_starts_anew_beside_its_predecessor(
    client: Claude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(injections, "LIMIT", 3_000)
    for number in range(12):
        client.prompt(f"@{'dev' if number % 2 else 'qa'} go on")
    assert [path.suffix for path in files(tmp_path)] == [".injections", ".1"]
    assert all(path.stat().st_size < 6_000 for path in files(tmp_path))
    times = [record["time"] for record in injections.read(str(client.root))]
    assert times == sorted(times, reverse=True)
    assert times[0] == client.now


def test_trees_have_logs_of_their_own(client: Claude, tmp_path: Path) -> None:
    client.prompt("hello")
    other = Claude(write_tree(tmp_path / "other", TEAM))
    assert list(injections.read(str(other.root))) == []


def test_what_is_no_line_of_ours_is_passed_over(client: Claude, tmp_path: Path) -> None:
    client.prompt("hello")
    (path,) = files(tmp_path)
    with path.open("ab") as file:
        file.write(b'{"v": 1, "time"\n[]\n{"v": 99}\n\xff\xfe\n\n')
    client.prompt("go on")
    assert len(list(injections.read(str(client.root)))) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_folder_that_others_can_write_to_gets_no_log(client: Claude, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    assert client.prompt("hello")
    assert files(tmp_path) == []


def test_a_log_that_cannot_be_written_is_no_failure(client: Claude, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert client.prompt("hello")
    assert client.document()["prompt_count"] == 1
