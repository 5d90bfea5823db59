"""``synapse recover``, ``handoff`` and ``learn``."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from synapse_ls.formats.continuation_file import parse
from synapse_ls.hooks import session_upkeep
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import plan_cache
from tests.cli.conftest import Synapse
from tests.hooks.hook_clients import Claude
from tests.integrations.transcripts.claude_records import answer, prompt
from tests.integrations.transcripts.support import lines_of
from tests.trees import write_tree

LATEST = ".synapse/continuation/latest.md"


@pytest.fixture
def session(team: Path) -> Claude:
    """A session of @dev with a transcript."""
    client = Claude(team, "4f1c0000-session")
    client.transcript.write_bytes(
        lines_of(
            prompt("@dev Never touch the migrations.", 1),
            answer(9_000, "We decided to add a table. TODO: index it.", second=2),
        )
    )
    client.prompt("@dev Never touch the migrations.")
    return client


def test_handoff_writes_the_file_and_shows_it(synapse: Synapse, session: Claude) -> None:
    done = synapse("handoff")
    assert done.code == 0
    written = (session.root / LATEST).read_text(encoding="utf-8")
    assert done.out == written
    found = parse(written)
    assert (found.session, found.reason, found.agent) == (session.session, "manual", "dev")
    assert found.decisions == ("We decided to add a table.",)
    assert found.open_items == ("TODO: index it.",)
    assert "claude 'Read .synapse/continuation/latest.md" in done.err


def test_handoff_removes_no_other_notes(synapse: Synapse, session: Claude) -> None:
    folder = session.root / ".synapse/continuation"
    folder.mkdir(parents=True)
    for number in range(60):
        (folder / f"plan-{number:02}.md").write_text("Mine.\n")
    synapse("handoff")
    assert len(list(folder.glob("plan-*.md"))) == 60


def test_what_a_session_of_the_repository_names_is_not_read(
    synapse: Synapse, session: Claude
) -> None:
    synapse("handoff")
    shutil.rmtree(plan_cache.cache_folder())  # what another user's hook has answered is not in ours
    (session.root / LATEST).unlink()
    assert "migrations" not in synapse("audit", "--format", "json").out
    for command in (("handoff", "--dry-run"), ("handoff",)):
        assert "add a table" not in synapse(*command).out
    named = synapse("handoff", "--dry-run", "--transcript", str(session.transcript))
    assert "We decided to add a table." in named.out


def test_a_digest_that_a_session_of_the_repository_wants_is_not_made(
    synapse: Synapse, session: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(session_upkeep, "make_due_digest", lambda *_, **__: None)
        session.send("PreCompact", trigger="auto")
    shutil.rmtree(plan_cache.cache_folder())
    assert synapse("recover", "--format", "json").json["made"] == []
    assert not (session.root / ".synapse/memory").exists()


def test_a_dry_run_writes_nothing(synapse: Synapse, session: Claude) -> None:
    before = sorted(session.root.rglob("*"))
    done = synapse("handoff", "--dry-run")
    assert "We decided to add a table." in done.out
    assert sorted(session.root.rglob("*")) == before


def test_a_transcript_that_is_gone_leaves_what_the_session_has_noted(
    synapse: Synapse, session: Claude
) -> None:
    synapse("handoff")
    session.transcript.unlink()
    done = synapse("handoff")
    assert done.code == 0
    assert "We decided to add a table." in done.out
    assert "The transcript of the session cannot be read" in done.err


def test_the_file_before_is_kept(synapse: Synapse, session: Claude) -> None:
    synapse("handoff")
    mine = (session.root / LATEST).read_text(encoding="utf-8") + "\n## My notes\n\nCall Ana.\n"
    (session.root / LATEST).write_text(mine, encoding="utf-8")
    synapse("handoff")
    folder = session.root / ".synapse/continuation"
    (kept,) = [path for path in folder.glob("*.md") if path.name != "latest.md"]
    assert kept.read_text(encoding="utf-8") == mine


@pytest.mark.parametrize(
    "created",
    [
        "2026x" * 60,
        f"2099-01-01T00:00:00,{'0' * 300}Z",
        "2026-11-30/10:11:12",
        "9999-12-31T23:59:59-12:00",
        "",
    ],
)
def test_no_time_in_a_file_keeps_another_from_being_written(
    synapse: Synapse, session: Claude, created: str
) -> None:
    folder = session.root / ".synapse/continuation"
    odd = f"---\nsession_id: x\ncreated_at: {created}\n---\n"
    write_tree(
        session.root, {LATEST: odd, f".synapse/continuation/undated-{'9' * 240}.md": "Mine.\n"}
    )
    synapse("handoff")
    for number in range(3):
        assert parse((session.root / LATEST).read_text(encoding="utf-8")).session == session.session
        (session.root / LATEST).write_text(f"{odd}{number}", encoding="utf-8")
        synapse("handoff")
    assert sorted(
        p.read_text().removeprefix(odd) for p in folder.iterdir() if odd in p.read_text()
    ) == [*("", "0", "1", "2")]


def test_what_came_with_the_repository_is_no_continuation_to_go_on_with(
    synapse: Synapse, session: Claude
) -> None:
    write_tree(session.root, {LATEST: "---\nsession_id: theirs\n---\n\n## Resume\n\nNext: zebra\n"})
    report = synapse("recover", "--format", "json").json
    assert (report["continuation"], report["level2"]["command"]) == (None, None)
    shown = synapse("recover", "--agent-done").out
    assert "Read .synapse" not in shown and "`synapse handoff` puts yours in its place" in shown
    assert "claude 'Read .synapse" in synapse("handoff").err
    assert synapse("recover", "--format", "json").json["continuation"] == LATEST


@pytest.mark.parametrize("is_folder", [True, False])
def test_whatever_stands_in_its_place_is_kept_beside_it(
    synapse: Synapse, session: Claude, is_folder: bool
) -> None:
    folder = session.root / ".synapse/continuation"
    write_tree(session.root, {f"{LATEST}/mine.txt" if is_folder else LATEST: "Mine.\n" * 200_000})
    synapse("handoff")
    assert parse((session.root / LATEST).read_text(encoding="utf-8")).session == session.session
    assert (folder / ("undated.md/mine.txt" if is_folder else "undated.md")).is_file()


def test_handoff_as_data(synapse: Synapse, session: Claude) -> None:
    report = synapse("handoff", "--session", "4f1c", "--format", "json").json
    assert (report["session"], report["path"]) == (session.session, LATEST)
    assert report["open_items"] == ["TODO: index it."]
    assert report["level2"]["kind"] == "command"


def test_another_transcript_can_be_named(synapse: Synapse, session: Claude, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(lines_of(prompt("Hello", 1), answer(9_000, "We decided to wait.", second=2)))
    done = synapse("handoff", "--transcript", str(other), "--dry-run")
    assert "We decided to wait." in done.out
    assert "We decided to add a table." not in done.out
    missing = synapse("handoff", "--transcript", "nowhere.jsonl")
    assert (missing.code, "nowhere.jsonl" in missing.err) == (2, True)


def test_without_a_session_there_is_nothing_to_hand_over(synapse: Synapse, team: Path) -> None:
    for command in ("handoff", "recover"):
        done = synapse(command)
        assert done.code == 2
        assert "There are no sessions" in done.err


def test_recover_says_whether_to_go_on(synapse: Synapse, session: Claude) -> None:
    done = synapse("recover")
    assert "decision  continue: go on in this session" in done.out
    for _ in range(3):
        session.send("PreCompact", trigger="auto")
        session.send("SessionStart", source="compact")
        session.prompt("on")
    report = synapse("recover", "--format", "json").json
    assert report["decision"]["action"] == "spawn"
    assert [reason["code"] for reason in report["decision"]["reasons"]] == ["compact"]
    assert report["counters"]["compactions"] == 3


def test_recover_takes_what_else_is_known(synapse: Synapse, session: Claude) -> None:
    done = synapse("recover", "--score-before", "95", "--score-after", "60", "--agent-done")
    assert "fell from 95 to 60" in done.out
    assert "has done its part" in done.out
    assert "First write the continuation: synapse handoff" in done.out


def test_recover_makes_the_digest_that_is_due(
    synapse: Synapse, session: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(session_upkeep, "make_due_digest", lambda *_, **__: None)
        session.send("PreCompact", trigger="auto")
    done = synapse("recover")
    assert f"Made now: the digest of {session.session}." in done.out
    (record,) = (r for r in MemoryStore(str(session.root)).records() if r.type == "user_correction")
    assert (record.text, record.agent) == ("Never touch the migrations.", "dev")


def test_nothing_is_run_unless_the_tree_says_so_and_is_trusted(
    synapse: Synapse, session: Claude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "claude"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@" "$SYNAPSE_LS_SPAWNED" > "$OUT"\nexit 3\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    out = tmp_path / "out"
    monkeypatch.setenv("OUT", str(out))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    first = synapse("recover", "--spawn")
    assert (first.code, '[recovery] spawn is not "run"' in first.err) == (2, True)
    (session.root / ".synapse/config.toml").write_text('[recovery]\nspawn = "run"\n')
    second = synapse("recover", "--spawn")
    assert (second.code, "is not trusted" in second.err) == (2, True)
    assert not out.exists()
    assert synapse("trust").code == 0
    assert synapse("recover", "--spawn").code == 3
    assert out.read_text() == (
        "Read .synapse/continuation/latest.md and go on where it says; it was left by the session "
        "before this one.|1|"
    )
    assert (session.root / LATEST).exists()
    monkeypatch.setenv("SYNAPSE_LS_SPAWNED", "1")
    assert "begun by another one already" in synapse("recover", "--spawn").err


def test_learning_is_off_until_somebody_switches_it_on(synapse: Synapse, team: Path) -> None:
    store = MemoryStore(str(team))
    record = store.remember("Use pnpm, never npm.", now=1.0, type="user_correction")
    for _ in range(7):
        store.confirm(record.id, now=1.0)
    off = synapse("learn", "list")
    assert (off.code, off.out, "Learning is off" in off.err) == (0, "", True)
    assert synapse("learn", "list", "--format", "json").json == []
    assert synapse("learn", "accept", "prop-00000000").code == 2
    (team / ".synapse/config.toml").write_text("[learning]\nenabled = true\n")
    (one,) = synapse("learn", "list", "--format", "json").json
    assert (one["state"], one["target"], one["text"]) == (
        "pending",
        "GLOBAL",
        "Use pnpm, never npm.",
    )
    assert "+GLOBAL_RULE_3=Use pnpm, never npm." in synapse("learn", "show", one["id"]).out
    assert synapse("learn", "accept", one["id"].removeprefix("prop-")[:4]).code == 0
    assert "GLOBAL_RULE_3=Use pnpm, never npm.\n" in (team / ".synapse/global").read_text()
    again = synapse("learn", "accept", one["id"])
    assert (again.code, "was accepted already" in again.err) == (2, True)
    assert synapse("learn", "revert", one["id"]).code == 0
    assert "pnpm" not in (team / ".synapse/global").read_text()
    assert synapse("learn", "show", "prop-ffffffff").code == 2
