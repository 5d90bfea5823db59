"""Whose repository a folder is in: the project's own, or one that something leads to."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.queries.git_revision import verify_revision
from synapse_ls.storage.trusted_trees import trust_tree
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import repository_discovery
from synapse_ls.workspace.git_runner import GitError, find_git, run_git
from synapse_ls.workspace.repository_discovery import (
    find_foreign_place,
    find_repository,
    holds_repository,
)
from tests.activation.crew import git, repository

pytestmark = [
    pytest.mark.skipif(not shutil.which("git"), reason="there is no git"),
    pytest.mark.skipif(sys.platform == "win32", reason="links"),
]

Attack = Callable[[Path, Path], None]


@pytest.fixture(autouse=True)
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another project of the same person, with a linked work tree."""
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    made = repository(tmp_path / "other", "secret-plans")
    git(made, "worktree", "add", "-q", "-b", "hidden", "../others-worktree")
    return made


def subjects(folder: Path) -> str:
    """The subjects of commits, as an activation asks for them."""
    ends = time.monotonic() + 120
    program = find_git(str(folder))
    assert program is not None
    answer = run_git(program, ("log", "-3", "--format=%s"), str(folder), ends)
    return answer.data.decode()


def add_submodule(outer: Path, source: Path, name: str) -> Path:
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source), name)
    return outer / name


def make_plain(place: Path) -> Path:
    return repository(place / "project")


def make_sub_folder(place: Path) -> Path:
    (repository(place / "project") / "a/b").mkdir(parents=True)
    return place / "project/a/b"


def make_work_tree(place: Path) -> Path:
    git(repository(place / "main"), "worktree", "add", "-q", "-b", "fix", "../beside")
    return place / "beside"


def make_relative_work_tree(place: Path) -> Path:
    found = make_work_tree(place)
    (place / "main/.git/worktrees/beside/gitdir").write_text("../../../../beside/.git\n")
    (found / ".git").write_text("gitdir: ../main/.git/worktrees/beside\n")
    return found


def make_work_tree_of_a_bare_one(place: Path) -> Path:
    repository(place / "main")
    git(place, "clone", "-q", "--bare", "main", "project/.bare")
    git(place / "project/.bare", "worktree", "add", "-q", "-b", "fix", "../fix")
    return place / "project/fix"


def make_bare_inside(place: Path) -> Path:
    make_work_tree_of_a_bare_one(place)
    (place / "project/.git").write_text("gitdir: ./.bare\n")
    return place / "project"


def make_submodule(place: Path) -> Path:
    return add_submodule(repository(place / "main"), repository(place / "source"), "libs/inner")


def make_submodule_of_a_submodule(place: Path) -> Path:
    return add_submodule(make_submodule(place), repository(place / "deep"), "deeper")


def make_submodule_of_a_work_tree(place: Path) -> Path:
    return add_submodule(make_work_tree(place), repository(place / "source"), "inner")


def make_linked_folder(place: Path) -> Path:
    (place / "link").symlink_to(make_work_tree(place))
    return place / "link"


@pytest.mark.parametrize(
    "make",
    [
        make_plain,
        make_sub_folder,
        make_work_tree,
        make_relative_work_tree,
        make_work_tree_of_a_bare_one,
        make_bare_inside,
        make_submodule,
        make_submodule_of_a_submodule,
        make_submodule_of_a_work_tree,
        make_linked_folder,
    ],
)
def test_what_git_itself_makes_is_the_projects_own(
    make: Callable[[Path], Path], tmp_path: Path
) -> None:
    folder = make(tmp_path)
    assert find_foreign_place(str(folder)) is None
    assert find_repository(str(folder)) is not None


def place_file(project: Path, target: object) -> None:
    (project / ".git").write_text(f"gitdir: {target}\n")


def file_to_a_repository(project: Path, other: Path) -> None:
    place_file(project, other / ".git")


def file_to_a_work_tree(project: Path, other: Path) -> None:
    place_file(project, "../other/.git/worktrees/others-worktree")


def linked_git(project: Path, other: Path) -> None:
    (project / ".git").symlink_to(other / ".git")


def common_elsewhere(project: Path, other: Path) -> None:
    git(project, "init", "-q")
    (project / ".git/commondir").write_text(f"{other}/.git\n")


def own_work_tree_folder_with_another_common(project: Path, other: Path) -> None:
    made = project / "fake/worktrees/x"
    made.mkdir(parents=True)
    (made / "HEAD").write_text("ref: refs/heads/secret-plans\n")
    (made / "gitdir").write_text(f"{project}/.git\n")
    (made / "commondir").write_text(f"{other}/.git\n")
    place_file(project, "fake/worktrees/x")


def alternates(project: Path, other: Path) -> None:
    git(project, "init", "-q", "-b", "main")
    (project / ".git/objects/info").mkdir(exist_ok=True)
    (project / ".git/objects/info/alternates").write_text(f"# a\n{other}/.git/objects\n")
    head = git(other, "rev-parse", "HEAD")
    (project / ".git/refs/heads/main").write_text(f"{head.strip()}\n")


def alternates_of_alternates(project: Path, other: Path) -> None:
    alternates(project, other)
    info = project / ".git/objects/info"
    (project / "store/info").mkdir(parents=True)
    (info / "alternates").rename(project / "store/info/alternates")
    (info / "alternates").write_text("../../store\n")


def linked_objects(project: Path, other: Path) -> None:
    alternates(project, other)
    shutil.rmtree(project / ".git/objects")
    (project / ".git/objects").symlink_to(other / ".git/objects")


def linked_parts_of_objects(project: Path, other: Path) -> None:
    alternates(project, other)
    (project / ".git/objects/info/alternates").unlink()
    for folder in (other / ".git/objects").iterdir():
        if len(folder.name) == 2:
            (project / ".git/objects" / folder.name).symlink_to(folder)


def linked_head(project: Path, other: Path) -> None:
    git(project, "init", "-q")
    (project / ".git/HEAD").unlink()
    (project / ".git/HEAD").symlink_to(other / ".git/HEAD")


def make_decoy(project: Path) -> Path:
    """A sound repository inside of the project, for what only looks as if it led there."""
    return repository(project / "decoy")


def file_through_a_link(project: Path, other: Path) -> None:
    """``sub/link/../.git`` is ``sub/.git`` by its letters, and the other one's for the system."""
    make_decoy(project).rename(project / "sub")
    (other / "inner").mkdir()
    (project / "sub/link").symlink_to(other / "inner")
    place_file(project, "sub/link/../.git")


def file_with_a_blank(project: Path, other: Path) -> None:
    make_decoy(project)
    (project / "decoy/.git ").symlink_to(other / ".git")
    place_file(project, "decoy/.git ")


def common_with_a_blank(project: Path, other: Path) -> None:
    git(project, "init", "-q")
    (project / ".git/common").mkdir()
    (project / ".git/common ").symlink_to(other / ".git")
    (project / ".git/commondir").write_text("common \n")


def file_with_a_nul(project: Path, other: Path) -> None:
    """git takes line ends off before it looks for a NUL."""
    make_decoy(project).rename(project / "store")
    (project / "store\n").symlink_to(other / ".git")
    (project / ".git").write_bytes(b"gitdir: store\n\0")


def common_with_a_nul(project: Path, other: Path) -> None:
    git(project, "init", "-q")
    (make_decoy(project) / ".git").rename(project / "common")
    (project / "common\n").symlink_to(other / ".git")
    (project / ".git/commondir").write_bytes(b"../common\n\0")


def alternates_with_a_nul(project: Path, other: Path) -> None:
    alternates(project, other)
    (project / ".git/objects/info/alternates").write_bytes(f"{other}/.git/objects\0".encode())


def common_through_a_link(project: Path, other: Path) -> None:
    git(project, "init", "-q")
    (other / ".git/inner").mkdir()
    (project / ".git/lfs").symlink_to(other / ".git/inner")
    (project / ".git/commondir").write_text("lfs/..\n")


def linked_index(project: Path, other: Path) -> None:
    git(project, "init", "-q")
    (project / ".git/index").symlink_to(other / ".git/index")


def linked_branches(project: Path, other: Path) -> None:
    alternates(project, other)
    (project / ".git/objects/info/alternates").unlink()
    (project / ".git/refs/heads/theirs").symlink_to(other / ".git/refs/heads")


def linked_branches_by_way_of_the_project(project: Path, other: Path) -> None:
    linked_branches(project, other)
    (project / "theirs").mkdir()
    (project / ".git/refs/heads/theirs").rename(project / "theirs/inner")
    (project / ".git/refs/heads/theirs").symlink_to(project / "theirs")


def linked_branches_by_way_of_the_hooks(project: Path, other: Path) -> None:
    linked_branches(project, other)
    (project / ".git/hooks").mkdir(exist_ok=True)
    (project / ".git/refs/heads/theirs").rename(project / ".git/hooks/inner")
    (project / ".git/refs/heads/theirs").symlink_to(project / ".git/hooks")


def linked_objects_one_by_one(project: Path, other: Path) -> None:
    alternates(project, other)
    (project / ".git/objects/info/alternates").unlink()
    for found in (other / ".git/objects").glob("??/*"):
        (project / ".git/objects" / found.parent.name).mkdir(exist_ok=True)
        (project / ".git/objects" / found.parent.name / found.name).symlink_to(found)


def work_tree_with_alternates(project: Path, other: Path) -> None:
    main = repository(project.parent / "main")
    project.rmdir()
    git(main, "worktree", "add", "-q", "-b", "fix", str(project))
    (main / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")


ATTACKS = (
    file_to_a_repository,
    file_to_a_work_tree,
    linked_git,
    common_elsewhere,
    own_work_tree_folder_with_another_common,
    alternates,
    alternates_of_alternates,
    linked_objects,
    linked_parts_of_objects,
    linked_head,
    file_through_a_link,
    file_with_a_blank,
    common_with_a_blank,
    common_through_a_link,
    linked_index,
    linked_branches,
    linked_objects_one_by_one,
    work_tree_with_alternates,
)


@pytest.fixture(params=ATTACKS)
def attacked(request: pytest.FixtureRequest, tmp_path: Path, other: Path) -> Path:
    """A project in which something leads git to the other one."""
    project = tmp_path / "project"
    project.mkdir()
    request.param(project, other)
    return project


def test_what_leads_to_another_repository_is_not_followed(attacked: Path, other: Path) -> None:
    """Nor from a folder inside, until the person trusts the other one."""
    found = find_foreign_place(str(attacked))
    assert found is not None and found.trusted_folder == str(other)
    assert find_repository(str(attacked)) is None
    with pytest.raises(GitError, match="not the project's own"):
        subjects(attacked)
    (attacked / "a/b").mkdir(parents=True)
    assert find_repository(str(attacked / "a/b")) is None
    trust_tree(str(other))
    assert find_foreign_place(str(attacked)) is None


@pytest.mark.parametrize("lead", [file_with_a_nul, common_with_a_nul, alternates_with_a_nul])
def test_nor_is_a_path_with_a_nul(tmp_path: Path, other: Path, lead: Attack) -> None:
    project = tmp_path / "project"
    project.mkdir()
    lead(project, other)
    found = find_foreign_place(str(project))
    assert found is not None and not found.trusted_folder
    assert "holds a NUL" in found.describe()
    with pytest.raises(GitError, match="holds a NUL"):
        subjects(project)


def test_nor_are_alternates_that_versions_of_git_read_in_two_ways(
    tmp_path: Path, other: Path
) -> None:
    objects = repository(tmp_path / "project") / ".git/objects"
    (objects / "a/b/c/d").mkdir(parents=True)
    (objects / "link").symlink_to(objects / "a/b/c/d")
    path = "link/../../../../other/.git/objects"
    assert Path(os.path.normpath(objects / path)) == other / ".git/objects"
    (objects / "info/alternates").write_text(f"{path}\n")
    found = find_foreign_place(str(tmp_path / "project"))
    assert found is not None and "in two ways" in found.describe()


@pytest.mark.parametrize("is_link", [True, False])
@pytest.mark.parametrize(
    "name", ["HEAD", "packed-refs", "refs/heads/main", "info/grafts", "objects/info/alternates"]
)
def test_git_is_not_asked_where_its_own_folder_has_a_pipe(
    tmp_path: Path, name: str, is_link: bool
) -> None:
    project = repository(tmp_path / "project")
    place = project / ".git" / name
    place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    os.mkfifo(project / "pipe" if is_link else place)
    if is_link:
        place.symlink_to(project / "pipe")
    with pytest.raises(UserError, match=r"is a (named pipe|link to a file)"):
        verify_revision(str(project), "HEAD")


def test_a_socket_in_gits_folder_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git's own monitor of files listens there."""
    project = repository(tmp_path / "project")
    monkeypatch.chdir(project / ".git")  # its path would be too long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("fsmonitor--daemon.ipc")
    assert find_foreign_place(str(project)) is None
    assert subjects(project)


HEADS = ["", "garbage", "ref: heads/x", "refs/heads/x", "0" * 39, "link to elsewhere"]


def make_inner(project: Path, other: Path, head: str) -> Path:
    """A repository with such a head inside of a folder from which git is led elsewhere."""
    file_to_a_repository(project, other)
    inner = repository(project / "inner")
    place = inner / ".git/HEAD"
    if head.startswith("link to "):
        place.unlink()
        place.symlink_to(head.removeprefix("link to "))
    else:
        place.write_text(f"{head}\n")
    return inner


@pytest.mark.parametrize("head", HEADS)
def test_a_folder_whose_head_git_does_not_take_hides_nothing_above_it(
    tmp_path: Path, other: Path, head: str
) -> None:
    (tmp_path / "project").mkdir()
    inner = make_inner(tmp_path / "project", other, head)
    found = find_foreign_place(str(inner))
    assert found is not None and found.trusted_folder == str(other)
    with pytest.raises(GitError, match="not the project's own"):
        subjects(inner)


@pytest.mark.parametrize(
    "head", ["ref: refs/heads/main", "ref:\trefs/heads/main", "0f" * 20, "link to refs/heads/main"]
)
def test_any_other_is_the_one_that_counts(tmp_path: Path, other: Path, head: str) -> None:
    (tmp_path / "project").mkdir()
    inner = make_inner(tmp_path / "project", other, head)
    assert find_foreign_place(str(inner)) is None
    taken = find_repository(str(inner))
    assert taken is not None and taken.folder == str(inner)


def test_nor_is_a_root_that_is_a_link_into_another_repository(tmp_path: Path, other: Path) -> None:
    project = repository(tmp_path / "project")
    git(project, "worktree", "add", "-q", "-b", "fix", "../own-worktree")
    for name, target in (("link", other), ("own", tmp_path / "own-worktree"), ("below", project)):
        (target / "inner").mkdir()
        (project / name).symlink_to(target / "inner")
    assert find_foreign_place(str(project / "own")) is None
    assert find_foreign_place(str(project / "below")) is None
    found = find_foreign_place(str(project / "link"))
    assert found is not None and found.trusted_folder == str(other)
    assert find_repository(str(project / "link")) is None
    with pytest.raises(GitError, match="not the project's own"):
        subjects(project / "link")
    trust_tree(str(other))
    assert find_foreign_place(str(project / "link")) is None


def test_what_leads_on_from_where_a_root_is_a_link_to_is_not_followed(
    tmp_path: Path, other: Path
) -> None:
    third = repository(tmp_path / "third")
    alternates(third, other)
    (third / "inner").mkdir()
    link = tmp_path / "link"
    link.symlink_to(third / "inner")
    found = find_foreign_place(str(link))
    assert found is not None and found.trusted_folder == str(other)
    with pytest.raises(GitError, match="not the project's own"):
        subjects(link)


@pytest.mark.parametrize(
    "lead", [linked_branches_by_way_of_the_project, linked_branches_by_way_of_the_hooks]
)
def test_a_folder_whose_links_are_not_looked_at_is_not_followed(
    tmp_path: Path, other: Path, lead: Attack
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    lead(project, other)
    assert find_repository(str(project)) is None


@pytest.mark.parametrize(
    ("name", "padding"),
    [("objects/info/alternates", "#" * 1_000_001 + "\n"), ("commondir", "/" * 33_000)],
    ids=["alternates", "commondir"],
)
def test_what_is_too_large_to_be_looked_through_is_not_followed(
    tmp_path: Path, other: Path, name: str, padding: str
) -> None:
    project = repository(tmp_path / "project")
    (project / ".git" / name).write_text(f"{padding}{other}/.git/objects\n")
    found = find_foreign_place(str(project))
    assert found is not None and "bytes" in found.describe()
    with pytest.raises(GitError, match="bytes"):
        subjects(project)


SECRET = "/registry.example/:_authToken=marzipan"


@pytest.mark.parametrize("name", ["commondir", "objects/info/alternates", ""])
@pytest.mark.parametrize("is_link", [True, False])
def test_what_leads_nowhere_is_named_without_its_text(
    tmp_path: Path, name: str, is_link: bool
) -> None:
    """It may be the first line of any file of the person, by a link."""
    project = repository(tmp_path / "project")
    text = SECRET if name else f"gitdir: {SECRET}"
    (tmp_path / ".npmrc").write_text(f"{text}\n")
    place = project / ".git" / name
    if not name:
        place.rename(project / "kept")
    place.unlink(missing_ok=True)
    place.symlink_to(tmp_path / ".npmrc") if is_link else place.write_text(f"{text}\n")
    found = find_foreign_place(str(project))
    assert found is not None and found.path == str(place)
    assert "marzipan" not in found.describe() + found.trusted_folder


def test_git_folders_that_are_nested_too_deeply_are_not_followed(tmp_path: Path) -> None:
    project = repository(tmp_path / "project")
    deep = project / ".git"
    for _ in range(70):
        deep /= "a"
    deep.mkdir(parents=True)
    found = find_foreign_place(str(project))
    assert found is not None and "levels of folders" in found.describe()


def test_more_folders_of_git_than_can_be_looked_at_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository(tmp_path / "project")
    assert find_foreign_place(str(project)) is None
    monkeypatch.setattr(repository_discovery, "_MOST_FOLDERS", 3)
    found = find_foreign_place(str(project))
    assert found is not None and "more than 3 folders" in found.describe()


def name_alternates(store: Path, targets: list[Path]) -> None:
    (store / "info").mkdir(parents=True, exist_ok=True)
    (store / "info/alternates").write_text("".join(f"{target}\n" for target in targets))


def test_folders_of_objects_that_name_each_other_many_times_are_looked_at_once(
    tmp_path: Path,
) -> None:
    project = repository(tmp_path / "project")
    stores = [project / ".git/objects", *(project / f".git/objects/s{n}" for n in range(5))]
    for store in stores:
        store.mkdir(exist_ok=True)
    for store, target in itertools.pairwise(stores):
        name_alternates(store, [target] * 20)
    assert find_foreign_place(str(project)) is None


def test_more_folders_of_objects_than_can_be_looked_at_are_not_followed(tmp_path: Path) -> None:
    project = repository(tmp_path / "project")
    objects = project / ".git/objects"
    outer = [objects / f"s{n}" for n in range(10)]
    name_alternates(objects, outer)
    for store in outer:
        name_alternates(store, inner := [store / f"s{n}" for n in range(12)])
        for target in inner:
            target.mkdir()
    found = find_foreign_place(str(project))
    assert found is not None and "more than 100 folders" in found.describe()


def test_a_git_folder_that_is_trusted_is_followed(tmp_path: Path) -> None:
    project = repository(tmp_path / "project")
    (project / ".git").rename(tmp_path / "kept.git")
    place_file(project, tmp_path / "kept.git")
    found = find_foreign_place(str(project))
    assert found is not None and found.trusted_folder == str(tmp_path / "kept.git")
    assert holds_repository(found.trusted_folder)
    trust_tree(found.trusted_folder)
    assert "main" in os.fsdecode(git(project, "branch")) and subjects(project)


def test_a_submodule_that_names_another_folder_is_not_followed(tmp_path: Path) -> None:
    inner = make_submodule(tmp_path)
    fake = tmp_path / "main/vendor"
    fake.mkdir()
    place_file(fake, (tmp_path / "main/.git/modules/libs/inner"))
    assert find_foreign_place(str(inner)) is None
    assert find_foreign_place(str(fake)) is not None
