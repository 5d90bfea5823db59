"""Keeping a loaded root up to date: only what changed is read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.workspace.fact_extraction import make_key
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree, read_listed_files, refresh_tree
from tests.workspace.trees import CORE, first_changed_path, get, state, write


def same(loaded: LoadedTree, root: Path) -> None:
    """A refreshed index has what a new one has."""
    fresh = load_tree(str(root), loaded.scope)
    now, then = loaded.index.snapshot(), fresh.index.snapshot()
    assert now.paths() == then.paths()
    for path in then.paths():
        a, b = now.facts(path), then.facts(path)
        assert a is not None
        assert b is not None
        assert (a.text, a.kind, a.is_read, a.references) == (
            b.text,
            b.kind,
            b.is_read,
            b.references,
        )
    assert sorted(loaded.notes) == sorted(fresh.notes)


def test_a_changed_file_is_read_again(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    write(root, {".synapse/manifest": "GLOBAL_STATE=active\nDEV_AGENT_TRIGGER=qa\n"})
    changed = refresh_tree(loaded, [".synapse/manifest"])
    assert make_key("trigger", "agent:qa") in changed
    assert make_key("domain", "GLOBAL") not in changed
    same(loaded, root)


def test_a_new_file_is_read(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    write(root, {".synapse/testing": "- test\n"})
    assert make_key("domain", "TESTING") in refresh_tree(loaded, [".synapse/testing"])
    same(loaded, root)


def test_a_deleted_file_is_dropped(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    (root / ".synapse/dev").unlink()
    assert make_key("file", ".synapse/dev") in refresh_tree(loaded, [".synapse/dev"])
    same(loaded, root)


def test_an_unchanged_file_changes_no_key(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    assert refresh_tree(loaded, [".synapse/dev", "src/main.py", ".synapse", ""]) == frozenset()


def test_a_deleted_folder_takes_its_files_along(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    (root / "squads/etl").rename(root / "elsewhere")
    assert make_key("domain", "ETL_LOAD") in refresh_tree(loaded, ["squads/etl"])
    same(loaded, root)


def test_a_new_folder_brings_its_files_along(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    write(root, {"squads/new/.synapse/manifest": "A_STATE=active\n", "squads/new/agents/a.md": "#"})
    assert make_key("agent", "a") in refresh_tree(loaded, ["squads/new/"])
    same(loaded, root)


@pytest.mark.parametrize("name", ["squad.yaml", "config.yaml"])
def test_the_first_file_that_makes_a_squad_brings_the_others_along(root: Path, name: str) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    write(root, {f"squads/plain/{name}": "name: plain\nversion: 1.0.0\n"})
    assert make_key("agent", "x") in refresh_tree(loaded, [f"squads/plain/{name}"])
    same(loaded, root)


def test_a_tree_that_comes_back_is_read_whole(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    (root / ".synapse").rename(root / "away")
    refresh_tree(loaded, [".synapse"])
    assert loaded.index.snapshot().facts(".synapse/manifest") is None
    (root / "away").rename(root / ".synapse")
    refresh_tree(loaded, [".synapse"])
    same(loaded, root)


def test_a_listed_file_stays_listed_when_it_changes(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.PROMPT)
    path = f"{CORE}/tasks/build.md"
    write(root, {path: "# Other\n"})
    assert refresh_tree(loaded, [path]) == frozenset()
    assert get(loaded, path, is_read=False) == ""


def test_a_listed_file_that_was_read_is_read_again(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.PROMPT)
    path = f"{CORE}/tasks/build.md"
    read_listed_files(loaded, [path])
    write(root, {path: "# Other\n"})
    refresh_tree(loaded, [path])
    assert get(loaded, path) == "# Other\n"


def test_a_workflow_that_becomes_active_brings_its_definition_along(root: Path) -> None:
    path = ".aiox/deep/a-state.yaml"
    write(root, {path: state("qa-loop", status="paused")})
    loaded = load_tree(str(root), LoadScope.PROMPT)
    write(root, {path: state("qa-loop")})
    refresh_tree(loaded, [path])
    assert get(loaded, f"{CORE}/workflows/qa-loop.yaml")
    same(loaded, root)


def test_sessions_make_nothing_stale(root: Path) -> None:
    for scope in LoadScope:
        loaded = load_tree(str(root), scope)
        refresh_tree(loaded, [".synapse"])
        write(root, {f".synapse/sessions/{scope}.json": "{}"})
        assert refresh_tree(loaded, [f".synapse/sessions/{scope}.json"]) == frozenset()
        assert first_changed_path(str(root), loaded.stamps) is None


def test_a_configuration_that_moves_the_places_loads_them(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    write(
        root,
        {".synapse/config.toml": '[paths]\nagents = ["team"]\n', "team/lead.md": "# Lead\n"},
    )
    changed = refresh_tree(loaded, [".synapse/config.toml"])
    assert {make_key("agent", "lead"), make_key("agent", "dev")} <= changed
    same(loaded, root)


def test_a_configuration_that_moves_nothing_reads_nothing_else(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    before = loaded.index.snapshot().facts(".synapse/dev")
    write(root, {".synapse/config.toml": 'profile = "synapse-live"\n'})
    assert make_key("setting", "config") in refresh_tree(loaded, [".synapse/config.toml"])
    assert loaded.index.snapshot().facts(".synapse/dev") is before


def test_a_note_goes_with_its_cause(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    write(root, {".synapse/dev": b"x" * 2_000_001})
    refresh_tree(loaded, [".synapse/dev"])
    assert [note.kind for note in loaded.notes] == ["too-large"]
    write(root, {".synapse/dev": "- small\n"})
    refresh_tree(loaded, [".synapse/dev"])
    assert loaded.notes == []
