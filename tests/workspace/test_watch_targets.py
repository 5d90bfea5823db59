"""What is watched for a tree."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synapse_ls.storage import trusted_trees
from synapse_ls.workspace.file_watching import folders_to_watch, linked_folders, watched_root

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "app"
    (folder / "squads").mkdir(parents=True)
    (folder / "packages/etl").mkdir(parents=True)
    return folder


def test_a_squad_that_a_link_brings_in_is_watched(root: Path) -> None:
    (root / "squads/etl").symlink_to("../packages/etl")
    assert linked_folders(str(root)) == ((str(root / "packages/etl"), "squads/etl"),)


def test_a_squad_outside_of_the_project_is_watched_once_it_is_trusted(root: Path) -> None:
    shared = root.parent / "shared"
    shared.mkdir()
    (root / "squads/shared").symlink_to(shared)
    (root / "squads/everything").symlink_to("/")
    assert linked_folders(str(root)) == ()
    trusted_trees.trust_tree(str(shared))
    assert linked_folders(str(root)) == ((str(shared), "squads/shared"),)


@pytest.mark.parametrize("path", [".synapse", "squads", "docs/stories", ".aios"])
def test_a_folder_that_a_link_leads_out_of_the_project_is_not_watched(
    root: Path, path: str
) -> None:
    (root / "squads/etl").mkdir()
    (root / "docs").mkdir()
    if path == "squads":
        (root / "squads").rename(root / "away")
    (root / path).symlink_to("/")
    watched = {one.path: one.deep for one in folders_to_watch([watched_root(str(root))], [])}
    assert str(root / path) not in watched
    assert watched[str(root)] is False
