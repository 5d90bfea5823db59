from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from synapse_ls.storage import trusted_trees
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.workspace import outside_links, user_folders

posix = pytest.mark.skipif(sys.platform == "win32", reason="permission bits")


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration folder of the test's own."""
    monkeypatch.delenv("SYNAPSE_LS_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "config"))
    return tmp_path / "config/synapse-ls"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "a tree"
    folder.mkdir()
    return folder


def test_a_relative_path_names_no_configuration_folder(
    config: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", "of-the-repository")
    user_folders.forget_foreign_folders(os.curdir)
    trusted_trees.trust_tree(str(root))
    assert (config / "trusted.json").exists()
    assert list(root.iterdir()) == []


@posix
@pytest.mark.parametrize("variable", ["SYNAPSE_LS_CONFIG", "XDG_CONFIG_HOME"])
@pytest.mark.parametrize(
    "folder",
    ["/proc/self/cwd/.evil", "/dev/fd/../cwd/.evil", "/./proc/self/cwd/..", "{root}/.evil"],
)
def test_a_path_that_leads_into_the_project_names_no_configuration_folder(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, variable: str, folder: str
) -> None:
    (root / ".git").mkdir()
    (root / "inner").mkdir()
    monkeypatch.chdir(root / "inner")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    before = user_folders.config_folder()
    monkeypatch.setenv(variable, folder.format(root=root))
    user_folders.forget_foreign_folders(os.curdir)
    outer = str(tmp_path / "home/.config/synapse-ls")
    assert user_folders.config_folder() == (before if variable.startswith("SYN") else outer)


@posix
@pytest.mark.parametrize("variable", ["SYNAPSE_LS_CONFIG", "HOME"])
@pytest.mark.parametrize(
    "mark", [".synapse", "system/core_identity.md", "squads/etl/.synapse", "chati.dev"]
)
def test_a_folder_of_the_served_project_is_none_of_the_user(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, variable: str, mark: str
) -> None:
    (root / mark).mkdir(parents=True)
    (root / "evil").mkdir()
    monkeypatch.chdir("/")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(user_folders, "account_home", lambda: str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(variable, str(root / "evil"))
    assert user_folders.forget_foreign_folders(str(root)) == [f"{variable}={root / 'evil'}"]
    assert user_folders.config_folder() == str(tmp_path / "home/.config/synapse-ls")


@posix
def test_nor_is_one_of_a_folder_that_the_client_names_as_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "unpacked"
    (project / "sub/.synapse").mkdir(parents=True)
    (project / "conf").mkdir()
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(project / "conf"))
    inner = str(project / "sub")
    assert user_folders.forget_foreign_folders(inner) == []
    named = user_folders.forget_foreign_folders(inner, named=[str(project)])
    assert named == [f"SYNAPSE_LS_CONFIG={project / 'conf'}"]


@posix
def test_a_home_of_the_project_makes_it_no_trusted_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".git").mkdir()
    (root / "home").mkdir()
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(root / "home"))
    trusted_trees.trust_tree(str(root))
    assert trusted_trees.is_trusted(str(root))
    monkeypatch.setattr(user_folders, "account_home", lambda: str(root.parent / "home"))
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", "/proc/self/cwd/home")
    user_folders.forget_foreign_folders(os.curdir)
    assert not trusted_trees.is_trusted(str(root))


@posix
def test_a_project_around_the_home_holds_the_users_own_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".git").mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setattr(user_folders, "account_home", lambda: str(root))
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(root / ".config/own"))
    user_folders.forget_foreign_folders(os.curdir)
    assert user_folders.config_folder() == str(root / ".config/own")


def test_nothing_is_trusted_at_first(root: Path) -> None:
    assert not trusted_trees.is_trusted(str(root))
    assert outside_links.read_trusted() == ()


def test_a_tree_is_trusted_until_it_is_not(root: Path) -> None:
    assert trusted_trees.trust_tree(str(root)) and trusted_trees.is_trusted(str(root))
    assert not trusted_trees.trust_tree(str(root))
    assert trusted_trees.trust_tree(str(root), trusts=False) and not trusted_trees.is_trusted(
        str(root)
    )
    assert not trusted_trees.trust_tree(str(root), trusts=False)


def test_a_folder_in_it_or_around_it_is_another_tree(root: Path) -> None:
    trusted_trees.trust_tree(str(root))
    (root / "sub").mkdir()
    assert not trusted_trees.is_trusted(str(root / "sub")) and not trusted_trees.is_trusted(
        str(root.parent)
    )


@posix
def test_a_link_to_a_tree_is_the_tree(root: Path, tmp_path: Path) -> None:
    trusted_trees.trust_tree(str(root))
    (tmp_path / "link").symlink_to(root)
    assert trusted_trees.is_trusted(str(tmp_path / "link"))


@posix
def test_a_trusted_path_that_leads_elsewhere_now_is_not_trusted(root: Path, tmp_path: Path) -> None:
    trusted_trees.trust_tree(str(root))
    root.rename(tmp_path / "moved")
    (tmp_path / "other").mkdir()
    root.symlink_to(tmp_path / "other")
    assert not trusted_trees.is_trusted(str(root))


@posix
def test_the_list_is_the_user_s_alone(root: Path, config: Path) -> None:
    trusted_trees.trust_tree(str(root))
    assert (config / user_folders.FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert config.stat().st_mode & 0o777 == 0o700


@posix
@pytest.mark.parametrize("name", ["", user_folders.FILE_NAME])
def test_a_list_that_others_may_write_counts_for_nothing(
    root: Path, config: Path, name: str
) -> None:
    trusted_trees.trust_tree(str(root))
    path = config / name
    path.chmod(path.stat().st_mode | 0o022)
    assert not trusted_trees.is_trusted(str(root))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"trusted": {}}', '{"trusted": [1]}', "\xff"])
def test_a_list_that_cannot_be_read_counts_for_nothing(root: Path, config: Path, text: str) -> None:
    config.mkdir(parents=True)
    (config / user_folders.FILE_NAME).write_bytes(text.encode("latin-1"))
    config.chmod(0o700)
    assert not trusted_trees.is_trusted(str(root))


@posix
def test_trust_that_would_count_for_nothing_is_an_error(root: Path, config: Path) -> None:
    config.mkdir(parents=True)
    config.chmod(0o777)
    with pytest.raises(StorageError, match="others may write there"):
        trusted_trees.trust_tree(str(root))
