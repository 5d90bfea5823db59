"""Keeping a loaded root up to date: only what changed is read again."""

from __future__ import annotations

from pathlib import Path

from synapse_ls.workspace.facts import key
from synapse_ls.workspace.loader import Loaded, Scope, load, read, refresh
from synapse_ls.workspace.stamps import first_change
from tests.workspace.trees import CORE, get, state, write


def same(loaded: Loaded, root: Path) -> None:
    """A refreshed index has what a new one has."""
    fresh = load(str(root), loaded.scope)
    now, then = loaded.index.snapshot(), fresh.index.snapshot()
    assert now.paths() == then.paths()
    for path in then.paths():
        a, b = now.facts(path), then.facts(path)
        assert a is not None
        assert b is not None
        assert (a.text, a.kind, a.read, a.references) == (b.text, b.kind, b.read, b.references)
    assert sorted(loaded.notes) == sorted(fresh.notes)


def test_a_changed_file_is_read_again(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {".synapse/manifest": "GLOBAL_STATE=active\nDEV_AGENT_TRIGGER=qa\n"})
    changed = refresh(loaded, [".synapse/manifest"])
    assert key("trigger", "agent:qa") in changed
    assert key("domain", "GLOBAL") not in changed
    same(loaded, root)


def test_a_new_file_is_read(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {".synapse/testing": "- test\n"})
    assert key("domain", "TESTING") in refresh(loaded, [".synapse/testing"])
    same(loaded, root)


def test_a_deleted_file_is_dropped(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    (root / ".synapse/dev").unlink()
    assert key("file", ".synapse/dev") in refresh(loaded, [".synapse/dev"])
    same(loaded, root)


def test_an_unchanged_file_changes_no_key(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    assert refresh(loaded, [".synapse/dev", "src/main.py", ".synapse", ""]) == frozenset()


def test_a_deleted_folder_takes_its_files_along(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    (root / "squads/etl").rename(root / "elsewhere")
    assert key("domain", "ETL_LOAD") in refresh(loaded, ["squads/etl"])
    same(loaded, root)


def test_a_new_folder_brings_its_files_along(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {"squads/new/.synapse/manifest": "A_STATE=active\n", "squads/new/agents/a.md": "#"})
    assert key("agent", "a") in refresh(loaded, ["squads/new/"])
    same(loaded, root)


def test_the_first_file_that_makes_a_squad_brings_the_others_along(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {"squads/plain/squad.yaml": "name: plain\nversion: 1.0.0\n"})
    assert key("agent", "x") in refresh(loaded, ["squads/plain/squad.yaml"])
    same(loaded, root)


def test_a_tree_that_comes_back_is_read_whole(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    (root / ".synapse").rename(root / "away")
    refresh(loaded, [".synapse"])
    assert loaded.index.snapshot().facts(".synapse/manifest") is None
    (root / "away").rename(root / ".synapse")
    refresh(loaded, [".synapse"])
    same(loaded, root)


def test_a_listed_file_stays_listed_when_it_changes(root: Path) -> None:
    loaded = load(str(root), Scope.PROMPT)
    path = f"{CORE}/tasks/build.md"
    write(root, {path: "# Other\n"})
    assert refresh(loaded, [path]) == frozenset()
    assert get(loaded, path, is_read=False) == ""


def test_a_listed_file_that_was_read_is_read_again(root: Path) -> None:
    loaded = load(str(root), Scope.PROMPT)
    path = f"{CORE}/tasks/build.md"
    read(loaded, [path])
    write(root, {path: "# Other\n"})
    refresh(loaded, [path])
    assert get(loaded, path) == "# Other\n"


def test_a_workflow_that_becomes_active_brings_its_definition_along(root: Path) -> None:
    path = ".aiox/deep/a-state.yaml"
    write(root, {path: state("qa-loop", status="paused")})
    loaded = load(str(root), Scope.PROMPT)
    write(root, {path: state("qa-loop")})
    refresh(loaded, [path])
    assert get(loaded, f"{CORE}/workflows/qa-loop.yaml")
    same(loaded, root)


def test_sessions_make_nothing_stale(root: Path) -> None:
    for scope in Scope:
        loaded = load(str(root), scope)
        refresh(loaded, [".synapse"])
        write(root, {f".synapse/sessions/{scope}.json": "{}"})
        assert refresh(loaded, [f".synapse/sessions/{scope}.json"]) == frozenset()
        assert first_change(str(root), loaded.stamps) is None


def test_a_configuration_that_moves_the_places_loads_them(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(
        root,
        {".synapse/config.toml": '[paths]\nagents = ["team"]\n', "team/lead.md": "# Lead\n"},
    )
    changed = refresh(loaded, [".synapse/config.toml"])
    assert {key("agent", "lead"), key("agent", "dev")} <= changed
    same(loaded, root)


def test_a_configuration_that_moves_nothing_reads_nothing_else(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    before = loaded.index.snapshot().facts(".synapse/dev")
    write(root, {".synapse/config.toml": 'profile = "synapse-live"\n'})
    assert key("setting", "config") in refresh(loaded, [".synapse/config.toml"])
    assert loaded.index.snapshot().facts(".synapse/dev") is before


def test_a_note_goes_with_its_cause(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {".synapse/dev": b"x" * 2_000_001})
    refresh(loaded, [".synapse/dev"])
    assert [note.kind for note in loaded.notes] == ["too-large"]
    write(root, {".synapse/dev": "- small\n"})
    refresh(loaded, [".synapse/dev"])
    assert loaded.notes == []
