"""Nothing is read, written, locked, moved or removed through a link that leads out of the project."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.storage import confined_folders
from synapse_ls.storage.atomic_files import (
    FileLock,
    StorageError,
    atomic_write,
    make_folders,
    move_path,
    read_bytes,
    remove_file,
    remove_folder,
)
from synapse_ls.storage.trusted_trees import trust_tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
SENTENCE = "it is a link that leads out of the project"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    for name in ("app/notes", "outside/empty"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "outside/file").write_bytes(b"theirs")
    (tmp_path / "app/own").write_bytes(b"own")
    return tmp_path / "app"


@pytest.fixture(params=[True, False], ids=["handles", "paths"])
def _ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With handles of folders, and as where the system has none."""
    if not request.param:
        monkeypatch.setattr(confined_folders, "HAS_HANDLES", False)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(root: Path, path: str) -> None:
    atomic_write(str(root / path), b"new", within=str(root))


def lock(root: Path, path: str) -> None:
    with FileLock(str(root / path), 0, within=str(root)):
        pass


ACTS: dict[str, Callable[[Path, str], object]] = {
    "write": write,
    "lock": lock,
    "read": lambda root, path: read_bytes(str(root / path), 9, within=str(root)),
    "remove": lambda root, path: remove_file(str(root / path), within=str(root)),
    "move in": lambda root, path: move_path(str(root / "own"), str(root / path), within=str(root)),
    "move out": lambda root, path: move_path(str(root / path), str(root / "got"), within=str(root)),
    "make": lambda root, path: make_folders(str(root / path / "new"), within=str(root)),
}


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("act", list(ACTS))
@pytest.mark.parametrize("target", ["../outside", "../outside/../outside"])
def test_a_folder_that_leads_out_is_not_entered(root: Path, act: str, target: str) -> None:
    (root / "link").symlink_to(target)
    with pytest.raises(StorageError, match=SENTENCE) as raised:
        ACTS[act](root, "link/file")
    assert f"{root / 'link'}" in raised.value.sentence
    assert raised.value.remedy == "Put a folder in its place."  # only where rules are, trust helps
    assert names(root.parent / "outside") == ["empty", "file"]
    assert (root.parent / "outside/file").read_bytes() == b"theirs"
    assert (root / "own").exists()


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("act", ["write", "read"])
@pytest.mark.parametrize("target", ["../outside/file", "../outside/new", "/etc/passwd"])
def test_a_file_that_leads_out_is_left_alone(root: Path, act: str, target: str) -> None:
    (root / "link").symlink_to(target)
    with pytest.raises(StorageError, match=SENTENCE) as raised:
        ACTS[act](root, "link")
    assert raised.value.remedy == "Put the file itself in its place."
    assert names(root.parent / "outside") == ["empty", "file"]


@pytest.mark.usefixtures("_ways")
def test_an_empty_folder_behind_a_link_that_leads_out_stays(root: Path) -> None:
    (root / "link").symlink_to("../outside")
    assert not remove_folder(str(root / "link/empty"), within=str(root))
    assert (root.parent / "outside/empty").is_dir()


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("act", list(ACTS))
def test_a_link_within_the_project_is_followed(root: Path, act: str) -> None:
    (root / "notes/file").mkdir() if act == "make" else (root / "notes/file").write_bytes(b"old")
    (root / "link").symlink_to("notes")
    ACTS[act](root, "link/file")


@pytest.mark.usefixtures("_ways")
def test_a_link_to_a_file_within_the_project_is_written_through(root: Path) -> None:
    (root / "link").symlink_to("notes/file")
    write(root, "link")
    assert (root / "link").is_symlink()
    assert (root / "notes/file").read_bytes() == b"new"


@pytest.mark.usefixtures("_ways")
def test_a_link_of_a_project_that_is_itself_behind_a_link_is_followed(root: Path) -> None:
    (root.parent / "other-name").symlink_to("app")
    (root / "link").symlink_to(root / "notes")
    write(root.parent / "other-name", "link/file")
    assert (root / "notes/file").read_bytes() == b"new"


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("git", [".git", ".bare", "src/.bare"])
def test_a_link_into_gits_own_folder_is_not_followed(root: Path, git: str) -> None:
    for name in ("HEAD", "hooks", "objects", "refs"):
        (root / git / name).mkdir(parents=True)
    (root / "link").symlink_to(f"{git}/hooks")
    with pytest.raises(StorageError, match="link"):
        write(root, "link/post-checkout")
    with pytest.raises(StorageError, match="or into git's own folder, is not followed"):
        write(root, f"{git}/hooks/post-checkout")
    assert names(root / git / "hooks") == []


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("act", list(ACTS))
@pytest.mark.parametrize("path", [".git/hooks", ".GIT/hooks", "notes/../own", "../app/own"])
def test_a_plain_path_into_gits_own_folder_or_upward_is_not_followed(
    root: Path, act: str, path: str
) -> None:
    (root / ".git").mkdir()
    (root / ".git/hooks").write_bytes(b"git's")
    with pytest.raises(StorageError, match="or into git's own folder, is not followed"):
        ACTS[act](root, path)
    assert (root / ".git/hooks").read_bytes() == b"git's"
    assert (root / "own").read_bytes() == b"own"


@pytest.mark.usefixtures("_ways")
def test_a_link_to_the_file_by_which_git_knows_a_work_tree_is_not_followed(root: Path) -> None:
    (root / ".git").write_bytes(b"gitdir: elsewhere")
    (root / "link").symlink_to(".git")
    with pytest.raises(StorageError, match="link"):
        write(root, "link")


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("place", ["squads/etl", ".synapse"])
def test_a_place_that_the_user_trusts_is_written_to(root: Path, place: str) -> None:
    (root / "squads").mkdir()
    (root / place).symlink_to(root.parent / "outside")
    trust_tree(str(root.parent / "outside"))
    write(root, f"{place}/file")
    assert (root.parent / "outside/file").read_bytes() == b"new"


@pytest.mark.usefixtures("_ways")
def test_the_folder_of_rules_of_a_trusted_project_is_written_to(root: Path) -> None:
    (root.parent / "outside/.synapse").mkdir()
    (root / ".synapse").symlink_to(root.parent / "outside/.synapse")
    trust_tree(str(root.parent / "outside"))
    write(root, ".synapse/file")
    assert (root.parent / "outside/.synapse/file").read_bytes() == b"new"


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("act", ["write", "read", "lock", "remove", "make"])
def test_nor_are_notes_kept_in_that_folder_unless_it_is_itself_named(root: Path, act: str) -> None:
    theirs = root.parent / "outside/.synapse"
    (theirs / "sessions").mkdir(parents=True)
    (theirs / "sessions/file").write_bytes(b"theirs")
    (root / ".synapse").symlink_to(theirs)
    trust_tree(str(root.parent / "outside"))
    with pytest.raises(StorageError, match=SENTENCE) as raised:
        ACTS[act](root, ".synapse/sessions/file")
    assert raised.value.remedy.endswith(f"synapse trust {theirs}")
    assert (theirs / "sessions/file").read_bytes() == b"theirs"
    trust_tree(str(theirs))
    write(root, ".synapse/sessions/file")
    assert (theirs / "sessions/file").read_bytes() == b"new"


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("act", ["write", "read"])
@pytest.mark.parametrize("link", ["link", ".synapse/y", ".synapse/sessions/a.json"])
def test_no_link_in_the_project_leads_to_secrets(root: Path, link: str, act: str) -> None:
    (root / ".env").write_bytes(b"own")
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(root / ".env")
    with pytest.raises(StorageError, match="says that it holds secrets"):
        ACTS[act](root, link)
    assert (root / ".env").read_bytes() == b"own"


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("target", ["", "/src", "/.synapse/../src", "/.synapse"])
def test_a_trusted_project_is_no_place_for_the_notes_of_another_one(
    root: Path, target: str
) -> None:
    other = root.parent / "outside"
    for name in (".synapse", "src"):
        (other / name).mkdir()
    (root / ".synapse").mkdir()
    (root / ".synapse/continuation").symlink_to(f"{other}{target}")
    trust_tree(str(other))
    with pytest.raises(StorageError, match=SENTENCE):
        write(root, ".synapse/continuation/latest.md")


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("act", ["write", "remove", "lock", "read", "move out"])
@pytest.mark.parametrize("link", ["sessions", "memory/digests"])
def test_notes_are_kept_behind_no_link_to_other_files_of_the_project(
    root: Path, link: str, act: str
) -> None:
    place = root / ".synapse" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(root / "notes")
    (root / "notes/file").write_bytes(b"own")
    with pytest.raises(StorageError, match="a link to other files of the project"):
        ACTS[act](root, f".synapse/{link}/file")
    assert (root / "notes/file").read_bytes() == b"own"


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("act", ["write", "read"])
@pytest.mark.parametrize("note", [".synapse/metrics/errors.json", "memory/short_term.md"])
def test_no_note_is_itself_such_a_link(root: Path, note: str, act: str) -> None:
    (root / note).parent.mkdir(parents=True)
    (root / note).symlink_to(root / "own")
    with pytest.raises(StorageError, match="a link to other files of the project"):
        ACTS[act](root, note)
    assert (root / "own").read_bytes() == b"own"


@pytest.mark.usefixtures("_ways")
def test_rules_may_lie_behind_a_link_within_the_project(root: Path) -> None:
    (root / ".synapse").symlink_to("notes")
    write(root, ".synapse/global")
    assert names(root / "notes") == ["global"]


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("act", ["write", "remove", "lock", "read", "move out"])
def test_and_notes_only_if_it_leads_to_a_folder_of_the_same_name(root: Path, act: str) -> None:
    (root / ".synapse").symlink_to("notes")
    (root / "notes/sessions").mkdir()
    (root / "notes/sessions/file").write_bytes(b"own")
    with pytest.raises(StorageError, match="a link to other files of the project"):
        ACTS[act](root, ".synapse/sessions/file")
    assert (root / "notes/sessions/file").read_bytes() == b"own"
    (root / ".synapse").unlink()
    (root / "tools").mkdir()
    (root / "notes").rename(root / "tools/.synapse")
    (root / ".synapse").symlink_to("tools/.synapse")
    ACTS[act](root, ".synapse/sessions/file")


def test_a_folder_that_becomes_a_link_while_it_is_used_is_not_followed(root: Path) -> None:
    with confined_folders.open_folder(str(root / "notes"), str(root)) as folder:
        (root / "notes").rename(root / "kept")
        (root / "notes").symlink_to("../outside")
        descriptor = os.open(folder.spot("a"), os.O_WRONLY | os.O_CREAT, dir_fd=folder.fd)
        os.close(descriptor)
    assert names(root / "kept") == ["a"]


def test_no_handle_stays_open(root: Path) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("there is no list of handles")
    (root / "link").symlink_to("../outside")
    (root / "inner").symlink_to("notes")
    before = len(names(Path("/proc/self/fd")))
    for act in ACTS.values():
        for path in ("link/file", "inner/file", "missing/file"):
            try:
                act(root, path)
            except StorageError:
                continue
    assert len(names(Path("/proc/self/fd"))) == before


@pytest.mark.usefixtures("_ways")
def test_no_folder_is_made_for_notes_behind_such_a_link(root: Path) -> None:
    (root / ".synapse").symlink_to("notes")
    with pytest.raises(StorageError, match="a link to other files of the project"):
        make_folders(str(root / ".synapse/memory/x"), within=str(root))
    assert names(root / "notes") == []
