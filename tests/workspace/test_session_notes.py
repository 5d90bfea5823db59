"""What is noted of sessions when a whole tree is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from synapse_ls.workspace import tree_notes
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_loader import load_tree, refresh_tree
from tests.workspace.trees import write

NOW = 1_800_000_000.0  # 2027-01-15T08:00:00Z
SESSION = '{{"uuid": "s", "schema_version": "2.0", "last_activity": "{at}"}}'
RECENT = SESSION.format(at="2027-01-15T07:00:00Z")
OLD = SESSION.format(at="2027-01-01T00:00:00Z")


def notes(tmp_path: Path, files: dict[str, str], config: str = "") -> list[tuple[str, str]]:
    """The kinds and names of what is noted of session files that were all written just now."""
    named = {f".synapse/sessions/{name}": text for name, text in files.items()}
    write(tmp_path, {".synapse/config.toml": config, **named})
    for path in named:
        os.utime(tmp_path / path, (NOW, NOW))
    loaded = load_tree(str(tmp_path), LoadScope.PROMPT)
    found = tree_notes.session_notes(
        str(tmp_path), loaded.index.snapshot().config.session.stale_hours, NOW
    )
    return [(note.kind, note.path.rpartition("/")[2]) for note in found]


def test_sessions_in_use_are_not_worth_a_word(tmp_path: Path) -> None:
    older = '{"uuid": "s", "schema_version": "1.0", "last_activity": "2027-01-15T07:00:00"}'
    assert notes(tmp_path, {"a.json": RECENT, "b.json": older}) == []


def test_a_tree_without_sessions_has_none_to_note(tmp_path: Path) -> None:
    assert notes(tmp_path, {}) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema_version": "9.0"}'])
def test_what_is_no_session_is_noted(tmp_path: Path, text: str) -> None:
    assert notes(tmp_path, {"a.json": text}) == [("invalid-session", "a.json")]


def test_other_files_beside_sessions_are_left_alone(tmp_path: Path) -> None:
    assert notes(tmp_path, {"_active-agent.json": "{", ".x.json": "{", "a.json.lock": "{"}) == []


def test_stale_sessions_are_one_note_at_the_first(tmp_path: Path) -> None:
    found = notes(tmp_path, {"b.json": OLD, "a.json": OLD, "c.json": RECENT})
    assert found == [("stale-session", "a.json")]


@pytest.mark.parametrize(
    ("count", "who"),
    [(1, "This session has"), (2, "and one other have"), (3, "and 2 others have")],
)
def test_a_note_counts_stale_sessions_in_good_english(tmp_path: Path, count: int, who: str) -> None:
    write(tmp_path, {f".synapse/sessions/{n}.json": OLD for n in range(count)})
    (note,) = tree_notes.session_notes(str(tmp_path), 168, NOW)
    assert f"{who} had no activity for 168 hours" in note.message


def test_a_session_that_was_not_written_for_long_is_stale_unread(tmp_path: Path) -> None:
    assert notes(tmp_path, {"a.json": "{"}, "[session]\nstale_hours = 1\n") != []
    os.utime(tmp_path / ".synapse/sessions/a.json", (0, 0))
    found = tree_notes.session_notes(str(tmp_path), 1, NOW)
    assert [note.kind for note in found] == ["stale-session"]


def test_the_configuration_says_when_a_session_is_stale(tmp_path: Path) -> None:
    assert notes(tmp_path, {"a.json": OLD}, "[session]\nstale_hours = 1000\n") == []


def test_a_session_without_a_time_is_not_stale(tmp_path: Path) -> None:
    assert notes(tmp_path, {"a.json": '{"uuid": "s", "schema_version": "2.0"}'}) == []


def test_only_some_of_very_many_sessions_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_notes, "MAX_SESSIONS", 1)
    assert len(notes(tmp_path, {"a.json": "{", "b.json": "{"})) == 1


def test_a_write_of_a_session_changes_no_note_until_everything_is_read_again(
    tmp_path: Path,
) -> None:
    path = ".synapse/sessions/a.json"
    write(tmp_path, {".synapse/global": "GLOBAL_RULE_0=a\n", path: "{"})
    loaded = load_tree(str(tmp_path), LoadScope.ALL)
    before = list(loaded.notes)
    write(tmp_path, {path: RECENT})
    assert refresh_tree(loaded, [path, ".synapse/sessions"]) == frozenset()
    assert loaded.notes == before
    assert [note.kind for note in before] == ["invalid-session"]


def test_a_prompt_does_not_look_at_the_sessions_of_others(tmp_path: Path) -> None:
    write(tmp_path, {".synapse/global": "GLOBAL_RULE_0=a\n", ".synapse/sessions/a.json": "{"})
    assert load_tree(str(tmp_path), LoadScope.PROMPT).notes == []


WHOLE = """\
---
session_id: s
created_at: 2026-03-02T16:40:00Z
---

## Resume

Next: go on
"""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "session_id"),
        ("## Resume\n\nNext: go on\n", "session_id"),
        (WHOLE.replace("---\n\n", "\n"), "session_id"),
        (WHOLE.replace("session_id: s", "session_id:"), "session_id"),
        (WHOLE.replace("2026-03-02T16:40:00Z", "yesterday"), "created_at"),
        (WHOLE.replace("created_at: 2026-03-02T16:40:00Z\n", ""), "created_at"),
        (WHOLE + "\0" * 9000, "cannot be read"),
    ],
)
def test_a_continuation_that_no_session_takes_over_is_noted(
    tmp_path: Path, text: str, why: str
) -> None:
    write(tmp_path, {".synapse/config.toml": "", ".synapse/continuation/latest.md": text})
    (note,) = load_tree(str(tmp_path), LoadScope.ALL).notes
    assert (note.kind, note.path) == ("invalid-continuation", ".synapse/continuation/latest.md")
    assert why in note.message


def test_a_continuation_that_says_whose_it_is_is_not_worth_a_word(tmp_path: Path) -> None:
    write(tmp_path, {".synapse/config.toml": "", ".synapse/continuation/latest.md": WHOLE})
    assert not load_tree(str(tmp_path), LoadScope.ALL).notes
