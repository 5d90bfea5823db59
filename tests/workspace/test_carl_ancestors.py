"""Which files above a tree CARL v2's merging may reach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from synapse_ls.workspace.carl_ancestors import ancestor_files
from synapse_ls.workspace.tree_folders import is_carl_scope
from tests.trees import write_tree

EMPTY = {".carl/carl.json": "{}\n"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir(mode=0o755)
    return made


def paths(root: Path, home: Path, user: int | None = None) -> list[str]:
    return [one.path for one in ancestor_files(str(root), home=str(home), user=user)]


def refused(root: Path, home: Path, user: int | None = None) -> list[str]:
    return [one.refusal for one in ancestor_files(str(root), home=str(home), user=user)]


def test_every_folder_up_to_the_home_folder_is_a_place(home: Path) -> None:
    root = home / "code/api"
    root.mkdir(parents=True)
    assert paths(root, home) == ["../.carl/carl.json", "../../.carl/carl.json"]


def test_nothing_is_looked_for_above_the_home_folder_itself(home: Path) -> None:
    assert paths(home, home) == []


def test_no_more_than_ten_folders_are_looked_at(home: Path) -> None:
    root = home.joinpath(*"abcdefghijkl")
    root.mkdir(parents=True)
    assert len(paths(root, home)) == 9


def test_the_way_is_that_of_the_real_path(home: Path, tmp_path: Path) -> None:
    real = write_tree(home / "code/api", EMPTY)
    (tmp_path / "link").symlink_to(real)
    (first, *_) = ancestor_files(str(tmp_path / "link"), home=str(home))
    assert first.folder == os.path.realpath(home / "code")


def test_the_climb_ends_before_a_folder_of_another_user(home: Path) -> None:
    root = home / "code/api"
    root.mkdir(parents=True)
    assert paths(root, home, user=os.geteuid() + 1) == []


def test_the_users_own_file_outside_the_repository_may_be_read(home: Path) -> None:
    write_tree(home, EMPTY)
    root = write_tree(home / "api", {**EMPTY, ".git/HEAD": "x\n"})
    assert refused(root, home) == [""]


def test_what_everybody_may_change_outside_the_repository_is_refused(home: Path) -> None:
    write_tree(home, EMPTY)
    (home / ".carl/carl.json").chmod(0o666)
    root = write_tree(home / "api", {**EMPTY, ".git/HEAD": "x\n"})
    (found,) = ancestor_files(str(root), home=str(home))
    assert found.refusal == "everybody may change it, and it is outside of the repository"
    assert "`chmod o-w ../.carl/carl.json`" in found.remedy


def test_what_everybody_may_replace_is_refused_too(home: Path) -> None:
    write_tree(home, EMPTY)
    (home / ".carl").chmod(0o777)
    root = write_tree(home / "api", EMPTY)
    (found,) = ancestor_files(str(root), home=str(home))
    assert "`chmod o-w ../.carl`" in found.remedy


def test_modes_of_a_file_system_that_has_none_say_nothing(home: Path) -> None:
    write_tree(home, EMPTY)
    (home / ".carl").chmod(0o777)
    (home / ".carl/carl.json").chmod(0o777)
    root = write_tree(home / "api", EMPTY)
    assert refused(root, home) == [""]


def test_inside_the_repository_a_file_is_one_of_its_own(home: Path) -> None:
    repository = write_tree(home / "api", {**EMPTY, ".git/HEAD": "x\n"})
    (repository / ".carl/carl.json").chmod(0o666)
    root = write_tree(repository / "web", EMPTY)
    assert refused(root, home) == ["", ""]


@pytest.mark.skipif(
    getattr(os, "geteuid", int)() != 0 or os.name == "nt",
    reason="only the superuser can give files away",
)
def test_a_file_of_another_user_outside_the_repository_is_refused(home: Path) -> None:
    write_tree(home, EMPTY)
    os.chown(home / ".carl/carl.json", 12345, -1)
    root = write_tree(home / "api", EMPTY)
    assert refused(root, home) == ["it belongs to another user"]


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("../.carl/carl.json", True),
        ("../../.carl/carl.json", True),
        (".carl/carl.json", False),
        ("../.carl/manifest", False),
        ("../x/../.carl/carl.json", False),
    ],
)
def test_only_the_one_file_of_a_folder_above_is_a_scope(path: str, is_one: bool) -> None:
    assert is_carl_scope(path) is is_one
