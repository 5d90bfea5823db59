"""Where the search for a tree begins and where it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from synapse_ls.storage import trusted_trees
from synapse_ls.workspace import outside_links, tree_search_upward
from synapse_ls.workspace.tree_search_upward import TreeSearch, find_root, search_tree

USER = 4711
Pretend = Callable[..., None]


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Pretend:
    """Makes the file system say that a path under `tmp_path` has another owner or device.

    Everything there belongs to `USER` until told otherwise.
    """
    facts: dict[str, dict[int, int]] = {}
    links: dict[str, int] = {}

    def look_up(
        real: Callable[..., os.stat_result],
        is_link: bool,
        path: str,
        *args: object,
        **options: object,
    ) -> os.stat_result:
        status = real(path, *args, **options)
        name = os.fspath(path)
        if not name.startswith(str(tmp_path)):
            return status
        fields = list(status)
        fields[4] = USER
        for place, value in facts.get(name, {}).items():
            fields[place] = value
        if is_link:
            fields[4] = links.get(name, fields[4])
        return os.stat_result(fields)

    monkeypatch.setattr(os, "stat", partial(look_up, os.stat, False))
    monkeypatch.setattr(os, "lstat", partial(look_up, os.lstat, True))

    def tell(
        path: Path,
        *,
        device: int | None = None,
        owner: int | None = None,
        link_owner: int | None = None,
    ) -> None:
        if link_owner is not None:
            links[str(path)] = link_owner
        told = {2: device, 4: owner}
        facts[str(path)] = {place: value for place, value in told.items() if value is not None}

    return tell


def folder(path: Path, *, tree: bool = False, repository: bool = False) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    if tree:
        (path / ".synapse").mkdir()
    if repository:
        (path / ".git").mkdir()
    return path


def look(start: Path, home: Path | str = "/nowhere") -> TreeSearch:
    return search_tree(str(start), home=str(home), user=USER)


@pytest.mark.usefixtures("pretend")
def test_the_nearest_tree_above_wins(tmp_path: Path) -> None:
    folder(tmp_path / "a", tree=True)
    nearer = folder(tmp_path / "a/b", tree=True)
    found = look(folder(tmp_path / "a/b/c/d"))
    assert (found.root, found.reason) == (str(nearer), "")


@pytest.mark.usefixtures("pretend")
def test_the_start_itself_is_looked_at(tmp_path: Path) -> None:
    start = folder(tmp_path / "a", tree=True)
    assert look(start).root == str(start)


@pytest.mark.usefixtures("pretend")
def test_a_file_starts_in_its_folder(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", tree=True)
    source = root / "main.py"
    source.touch()
    assert look(source).root == str(root)


@pytest.mark.usefixtures("pretend")
def test_a_folder_that_does_not_exist_yet_is_passed_over(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", tree=True)
    assert look(root / "new/folder").root == str(root)


@pytest.mark.usefixtures("pretend")
def test_a_file_of_that_name_is_no_tree(tmp_path: Path) -> None:
    start = folder(tmp_path / "a", repository=True)
    (start / ".synapse").touch()
    assert look(start).root is None


@pytest.mark.usefixtures("pretend")
@pytest.mark.parametrize("worktree", [False, True])
def test_the_search_ends_at_the_root_of_the_repository(tmp_path: Path, worktree: bool) -> None:
    folder(tmp_path, tree=True)
    root = folder(tmp_path / "repo", repository=not worktree)
    if worktree:
        (root / ".git").write_text("gitdir: elsewhere\n")
    start = folder(root / "src")
    found = look(start)
    assert found.root is None
    assert found.reason == (
        f"No rule tree such as .synapse/ from {start} up to {root}: that is the root of the repository."
    )


@pytest.mark.usefixtures("pretend")
def test_the_root_of_the_repository_is_still_looked_at(tmp_path: Path) -> None:
    root = folder(tmp_path / "repo", tree=True, repository=True)
    assert look(folder(root / "src")).root == str(root)


@pytest.mark.usefixtures("pretend")
def test_a_tree_in_the_home_folder_does_not_reach_the_projects_in_it(tmp_path: Path) -> None:
    home = folder(tmp_path / "home", tree=True)
    start = folder(home / "project")
    found = look(start, home)
    assert found.root is None
    assert (
        found.reason
        == f"No rule tree such as .synapse/ in {start}: the next folder up is the home folder."
    )


@pytest.mark.usefixtures("pretend")
def test_the_home_folder_is_looked_at_when_the_search_starts_there(tmp_path: Path) -> None:
    home = folder(tmp_path / "home", tree=True)
    assert look(home, home).root == str(home)


@pytest.mark.usefixtures("pretend")
def test_the_search_never_goes_above_home(tmp_path: Path) -> None:
    folder(tmp_path, tree=True)
    home = folder(tmp_path / "home")
    found = look(home, home)
    assert found.root is None
    assert found.reason == f"No rule tree such as .synapse/ in {home}: that is the home folder."


def test_the_search_ends_where_another_file_system_begins(tmp_path: Path, pretend: Pretend) -> None:
    outer = folder(tmp_path / "disk", tree=True)
    start = folder(outer / "mount")
    pretend(start, device=99)
    found = look(start)
    assert found.root is None
    assert (
        found.reason
        == f"No rule tree such as .synapse/ in {start}: {outer} is on another file system."
    )


def test_a_folder_of_another_user_is_not_looked_at(tmp_path: Path, pretend: Pretend) -> None:
    shared = folder(tmp_path / "shared", tree=True)
    pretend(shared, owner=USER + 1)
    start = folder(shared / "mine")
    found = look(start)
    assert found.root is None
    assert (
        found.reason
        == f"No rule tree such as .synapse/ in {start}: {shared} belongs to another user."
    )


def test_a_tree_that_another_user_planted_is_not_taken(tmp_path: Path, pretend: Pretend) -> None:
    start = folder(tmp_path / "mine", tree=True)
    pretend(start / ".synapse", owner=USER + 1)
    found = look(start)
    assert found.root is None
    assert found.reason == (
        f"No rule tree such as .synapse/ at {start}: {start / '.synapse'} belongs to another user "
        f"(`synapse trust` there serves it)."
    )


@pytest.fixture
def planted(tmp_path: Path, pretend: Pretend) -> Path:
    """A project of the superuser in a shared folder, where somebody has put a tree."""
    pretend(folder(tmp_path, tree=True), owner=0)
    pretend(tmp_path / ".synapse", owner=USER + 1)
    project = folder(tmp_path / "project")
    pretend(project, owner=0)
    return project


def test_above_the_start_root_takes_no_tree_that_another_user_planted(planted: Path) -> None:
    found = search_tree(str(planted), home="/nowhere", user=0)
    assert found.root is None
    assert f"{planted.parent / '.synapse'} belongs to another user" in found.reason


def test_nor_by_way_of_a_link_to_a_tree_of_its_own(
    planted: Path, pretend: Pretend, tmp_path: Path
) -> None:
    (planted.parent / ".synapse").rmdir()
    pretend(folder(tmp_path / "own", tree=True) / ".synapse", owner=0)
    (planted.parent / ".synapse").symlink_to("own/.synapse")
    pretend(planted.parent / ".synapse", owner=0, link_owner=USER + 1)
    assert search_tree(str(planted), home="/nowhere", user=0).root is None


def test_nor_a_squad_in_a_folder_that_another_user_planted(planted: Path, pretend: Pretend) -> None:
    (planted.parent / ".synapse").rmdir()
    for path in ("squads/etl/.synapse", "squads/etl"):
        pretend(folder(planted.parent / path), owner=0)
    pretend(planted.parent / "squads", owner=USER + 1)
    assert search_tree(str(planted), home="/nowhere", user=0).root is None


def test_nor_where_everybody_may_plant_one_at_the_start(planted: Path) -> None:
    planted.parent.chmod(0o1777)
    assert search_tree(str(planted.parent), home="/nowhere", user=0).root is None


def test_nor_one_of_squads(planted: Path, pretend: Pretend) -> None:
    (planted.parent / ".synapse").rmdir()
    folder(planted.parent / "squads/etl", tree=True)
    assert search_tree(str(planted), home="/nowhere", user=0).root is None


@pytest.mark.parametrize("owner", [0, USER + 1])
def test_root_takes_its_own_tree_and_that_of_the_owner_of_the_start(
    planted: Path, pretend: Pretend, owner: int
) -> None:
    pretend(planted, owner=owner)
    pretend(planted.parent / ".synapse", owner=owner)
    assert search_tree(str(planted), home="/nowhere", user=0).root == str(planted.parent)


@pytest.mark.parametrize("user", [0, USER])
def test_a_tree_of_another_user_that_is_trusted_is_taken(
    planted: Path, pretend: Pretend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, user: int
) -> None:
    pretend(planted, owner=user)
    (tmp_path / "config").mkdir()
    pretend(tmp_path / "config", owner=0)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setattr(outside_links, "is_own", lambda _: True)
    trusted_trees.trust_tree(str(planted.parent))
    assert search_tree(str(planted), home="/nowhere", user=user).root == str(planted.parent)


def test_root_may_read_the_trees_of_everyone(tmp_path: Path, pretend: Pretend) -> None:
    start = folder(tmp_path / "theirs", tree=True)
    pretend(start, owner=USER + 1)
    assert search_tree(str(start), home="/nowhere", user=0).root == str(start)


@pytest.mark.usefixtures("pretend")
def test_a_path_through_a_link_to_its_own_parent_ends(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", tree=True)
    inner = folder(root / "b")
    (inner / "back").symlink_to(inner, target_is_directory=True)
    assert look(inner / "back/back/back").root == str(root)


@pytest.mark.usefixtures("pretend")
def test_a_link_that_leads_to_itself_ends_the_search(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", tree=True)
    (root / "loop").symlink_to(root / "loop")
    found = look(root / "loop" / "x")
    assert found.root is None
    assert "cannot be read" in found.reason


@pytest.mark.usefixtures("pretend")
def test_a_path_that_no_system_accepts_is_a_sentence_not_an_error(tmp_path: Path) -> None:
    found = look(tmp_path / "nul\0byte")
    assert found.root is None
    assert found.reason.endswith(".")


def test_the_search_ends_at_the_top_of_the_file_system() -> None:
    found = search_tree("/", home="/nowhere", user=0)
    assert found.root is None
    assert found.reason == "No rule tree such as .synapse/ in /: no folder is left."


def test_find_root_asks_as_the_user_of_the_process(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", tree=True)
    assert find_root(str(folder(root / "b"))) == str(root)


def test_a_hook_may_look_for_its_tree_without_slow_imports() -> None:
    server = Path(tree_search_upward.__file__).parents[2]
    code = (
        f"import os, stat, sys; sys.path.insert(0, {str(server)!r}); before = set(sys.modules); "
        "import synapse_ls.workspace.tree_search_upward, synapse_ls.workspace.regular_files; "
        "print(*sorted(set(sys.modules) - before))"
    )
    python = [sys.executable, "-I", "-S", "-c", code]
    added = subprocess.run(python, capture_output=True, text=True, check=True).stdout.split()
    assert {name for name in added if not name.startswith("synapse_ls")} <= {"__future__", "errno"}


def test_a_squad_belongs_to_the_tree_above_it(tmp_path: Path) -> None:
    (tmp_path / ".synapse").mkdir()
    squad = tmp_path / "squads" / "etl-squad"
    (squad / ".synapse").mkdir(parents=True)
    assert find_root(str(squad / ".synapse")) == str(tmp_path)


def test_squads_without_a_tree_above_make_their_project_one(tmp_path: Path) -> None:
    squad = tmp_path / "squads" / "etl-squad"
    (squad / ".synapse").mkdir(parents=True)
    for start in (squad, squad / ".synapse", tmp_path, tmp_path / "squads"):
        assert find_root(str(start)) == str(tmp_path)
    assert tree_search_upward.holds_tree(str(tmp_path))


@pytest.mark.parametrize("name", ["_template", ".hidden", "plain"])
def test_what_is_no_squad_makes_no_project_a_tree(tmp_path: Path, name: str) -> None:
    (tmp_path / "squads" / name / (".synapse" if name != "plain" else "agents")).mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert find_root(str(tmp_path)) is None


def test_a_squad_that_is_a_link_makes_no_project_a_tree(tmp_path: Path) -> None:
    (tmp_path / "elsewhere/.synapse").mkdir(parents=True)
    (tmp_path / "project/squads").mkdir(parents=True)
    (tmp_path / "project/.git").mkdir()
    (tmp_path / "project/squads/etl").symlink_to(tmp_path / "elsewhere")
    assert find_root(str(tmp_path / "project")) is None


def test_a_squad_that_is_a_repository_of_its_own_is_a_tree_of_its_own(tmp_path: Path) -> None:
    squad = tmp_path / "squads" / "etl-squad"
    for name in (".synapse", ".git"):
        (squad / name).mkdir(parents=True)
    assert find_root(str(squad)) == str(squad)


@pytest.mark.usefixtures("pretend")
def test_squads_of_another_user_are_not_picked_up(tmp_path: Path, pretend: Pretend) -> None:
    project = folder(tmp_path / "a", repository=True)
    folder(project / "squads/etl", tree=True)
    pretend(project / "squads/etl/.synapse", owner=USER + 1)
    found = look(project)
    assert found.root is None and "belongs to another user" in found.reason


@pytest.mark.parametrize("template", [False, True])
def test_rules_of_carl_without_a_manifest_say_what_is_missing(
    tmp_path: Path, template: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".carl").mkdir()
    (tmp_path / ".carl/deploys").write_text("DEPLOYS_RULE_0=Ask first.\n")
    if template:
        (tmp_path / ".carl/manifest.template").write_text("X_STATE=active\n")
    below = tmp_path / "src"
    below.mkdir()
    found = search_tree(str(below))
    assert found.root is None
    assert found.reason == (
        f"{tmp_path / '.carl'} has no manifest, so none of its rules are read and it is no rule tree."
    )
    assert ("Copy .carl/manifest.template to .carl/manifest" in found.remedy) == template
