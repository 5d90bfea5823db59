"""What a change since a revision can have brought is what a check of everything finds in the files that
changed, and what it finds in others and did not find before.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.lint import lint_runner
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.queries import findings_since_revision
from synapse_ls.queries.findings_since_revision import (
    CausedFindings,
    RevisionChanges,
    find_caused,
    load_former,
)
from synapse_ls.queries.git_revision import tree_at
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree
from tests.bench.bench_check import ours
from tests.lint.clean import CLEAN
from tests.lint.test_incremental import VERSIONS
from tests.queries.test_revision import git
from tests.support import corpus, examples
from tests.trees import TEAM, write_tree

Step = tuple[str, str]
Said = Counter[tuple[object, ...]]


def mutations(root: Path, paths: Sequence[str], count: int) -> Iterable[Step]:
    """Edits as people make them: a line is changed, doubled, moved or taken out."""
    chance = Random(7)
    for number in range(count):
        path = chance.choice(paths)
        lines = (root / path).read_text(encoding="utf-8").splitlines(keepends=True) or ["\n"]
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        match number % 4:
            case 0:
                lines[at] = lines[at].replace("a", "e").replace("active", "inactive")
            case 1:
                lines.insert(other, lines[at])
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                del lines[at]
        yield path, "".join(lines) or "\n"


def read_own(root: Path) -> list[str]:
    """The files that a check reads."""
    snapshot = load_tree(str(root), LoadScope.ALL).index.snapshot()
    files = ((path, snapshot.facts(path)) for path in snapshot.paths())
    return [path for path, facts in files if facts and facts.is_read]


def commit(root: Path) -> None:
    """Has git keep everything as it is."""
    if not (root / ".git").exists():
        git(root, "init", "-q")
    git(root, "add", "-A", "--force")
    git(root, "commit", "-qm", "one", "--allow-empty")


def caused(root: Path, revision: str = "HEAD", loaded: LoadedTree | None = None) -> CausedFindings:
    loaded = loaded or load_tree(str(root), LoadScope.ALL)
    tree = Tree(loaded.index.snapshot())
    return find_caused(RevisionChanges(str(root), revision), loaded, tree, Policy)


def said(found: Finding) -> tuple[object, ...]:
    return found.path, found.code, found.severity, found.span, found.message


def find_all(root: Path) -> Said:
    """What a check of everything finds at the last commit."""
    return Counter(map(said, lint_tree(tree_at(str(root), "HEAD"))))


def compare(root: Path, edited: Iterable[str], was: Said | None = None) -> Said:
    """Compares what is found with two checks of everything; returns what is found now. ``was`` is what was found at
    the last commit, where that is known.
    """
    loaded = load_tree(str(root), LoadScope.ALL)
    now = lint_tree(Tree(loaded.index.snapshot()), notes=loaded.notes)
    was = find_all(root) if was is None else was.copy()
    noted = {(note.path, note.message) for note in loaded.notes}
    expected = []
    for one in now:
        if one.path in edited:
            expected.append(one)
        elif was[said(one)]:
            was[said(one)] -= 1
        elif (one.path, one.message) not in noted:
            expected.append(one)
    assert list(caused(root, loaded=loaded).findings) == expected
    return Counter(said(one) for one in now if (one.path, one.message) not in noted)


def edit(root: Path, steps: Iterable[Step]) -> set[str]:
    """Edits files; returns those that are others than before."""
    before: dict[str, bytes] = {}
    for path, text in steps:
        full = root / path
        before.setdefault(path, full.read_bytes() if full.exists() else b"")
        if text:
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text, encoding="utf-8")
        else:
            full.unlink(missing_ok=True)
    return {
        path
        for path, data in before.items()
        if not (root / path).exists() or (root / path).read_bytes() != data
    }


_STEPS = st.lists(
    st.sampled_from(
        [(path, text) for path, texts in VERSIONS.items() for text in ("", *texts) if text != "x"]
    ),
    min_size=1,
    max_size=8,
)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """A repository with the first version of each file, and what is found in it."""
    root = tmp_path_factory.mktemp("committed")
    edit(root, ((path, texts[0] or "x") for path, texts in VERSIONS.items()))
    commit(root)
    return root, find_all(root)


@settings(deadline=None, max_examples=examples(25))
@given(steps=_STEPS)
def test_after_any_edits_the_findings_are_those_of_two_checks_of_everything(
    committed: tuple[Path, Said], tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    root = tmp_path_factory.mktemp("edited") / "tree"
    shutil.copytree(committed[0], root)
    compare(root, edit(root, steps), committed[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aiox", "many-domains", "carl", "chati"])
def test_edits_of_a_real_tree_give_the_findings_of_two_checks_of_everything(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / "tree"
    shutil.copytree(corpus() / name, root, symlinks=True)
    commit(root)
    chance, own = Random(5), read_own(root)
    was = find_all(root)
    for number in range(6):
        edited = edit(root, mutations(root, chance.sample(own, min(3, len(own))), number + 1))
        was = compare(root, edited, was)
        commit(root)


def test_the_files_of_the_change_have_all_their_findings(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", TEAM)
    with (root / ".synapse/manifest").open("a") as manifest:
        manifest.write("LOST_STATE=active\n")
    commit(root)
    assert caused(root).findings == ()
    with (root / ".synapse/manifest").open("a") as manifest:
        manifest.write("# only a remark\n")
    found = caused(root)
    assert "domain-without-file" in {one.name for one in found.findings}
    assert found.changed == {".synapse/manifest"}


def test_another_file_has_what_the_change_has_brought_and_not_what_it_had(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", TEAM)
    with (root / ".synapse/manifest").open("a") as manifest:
        manifest.write("LOST_STATE=active\n")
    commit(root)
    (root / ".synapse/global").unlink()
    found = caused(root)
    assert ".synapse/global" in found.gone
    assert all(one.path == ".synapse/manifest" for one in found.findings)
    assert not any("LOST" in one.message for one in found.findings)
    assert any("GLOBAL" in one.message for one in found.findings)


def test_what_git_ignores_is_no_change(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {**TEAM, ".gitignore": "/.synapse/mine\n"})
    commit(root)
    (root / ".synapse/mine").write_text("MINE_RULE_0=TODO\n")
    with (root / ".synapse/manifest").open("a") as manifest:
        manifest.write("# only a remark\n")
    assert caused(root).changed == {".synapse/manifest"}
    (root / ".synapse/new").write_text("NEW_RULE_0=TODO\n")
    assert caused(root).changed == {".synapse/manifest", ".synapse/new"}


def test_what_others_added_to_the_branch_is_no_change(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", TEAM)
    commit(root)
    git(root, "branch", "-M", "main")
    git(root, "checkout", "-qb", "mine")
    (root / ".synapse/new").write_text("NEW_RULE_0=TODO\n")
    commit(root)
    git(root, "checkout", "-q", "main")
    with (root / ".synapse/manifest").open("a") as manifest:
        manifest.write("LOST_STATE=active\n")
    commit(root)
    git(root, "checkout", "-q", "mine")
    assert caused(root, "main").changed == {".synapse/new"}


def test_a_tree_may_lie_below_the_repository(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "repository/services/api", TEAM)
    commit(tmp_path / "repository")
    (tmp_path / "repository/other").write_text("")
    (root / ".synapse/global").write_text("GLOBAL_RULE_0=TODO\n")
    assert caused(root).changed == {".synapse/global"}
    compare(root, {".synapse/global"})


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_squad_that_a_link_leads_to_changes_where_it_is(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", TEAM)
    write_tree(
        root / "shared/etl",
        {
            "squad.yaml": "name: etl\nversion: 1.0.0\n",
            ".synapse/manifest": "E_STATE=active\nE_RECALL=extract\n",
            ".synapse/e": "E_RULE_0=Keep the source.\n",
        },
    )
    (root / "squads").mkdir(exist_ok=True)
    (root / "squads/etl").symlink_to("../shared/etl")
    commit(root)
    (root / "shared/etl/.synapse/manifest").write_text("E_STATE=active\nLOST_STATE=active\n")
    (root / "shared/etl/.synapse/e").unlink()
    found = caused(root)
    assert found.changed == {"squads/etl/.synapse/manifest"}
    assert found.gone == {"squads/etl/.synapse/e"}
    compare(root, found.changed)
    commit(root)
    (root / "squads/etl").unlink()
    assert "squads/etl/.synapse/manifest" in caused(root).gone


@pytest.mark.skipif(not Path("/proc/self/cwd").is_symlink(), reason="there is no /proc/self/cwd")
def test_nothing_of_a_revision_is_written_through_its_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        **TEAM,
        ".synapse/config.toml": '[[adopted]]\npath = "docs/stories/y.md/.config/git/config"\n',
        "proc/.config/git/config": "[core]\n",
        "proc/self/cwd/keep": "",
        "deep/er/keep": "",
    }
    root = write_tree(tmp_path / "home/src/tree", files)
    (root / "docs/stories").mkdir(parents=True, exist_ok=True)
    (root / "docs/stories/y.md").symlink_to("../../d/../../proc/self/cwd/../..")
    (root / "d").symlink_to(".")
    commit(root)
    (root / "d").unlink()
    (root / "d").symlink_to("deep/er")  # below which `..` is another folder
    commit(root)
    monkeypatch.chdir(root)
    monkeypatch.setattr("tempfile.tempdir", "/tmp")  # two folders above what is checked out is `/`
    caused(root, "HEAD~1")
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["src"]


def test_an_import_is_dead_where_the_change_took_its_file_away(tmp_path: Path) -> None:
    files = {
        **TEAM,
        "CLAUDE.md": "# Team\n\n@docs/style.md\n@docs/lost.md\n",
        "docs/style.md": "x\n",
    }
    root = write_tree(tmp_path / "tree", files)
    commit(root)
    (root / "docs/style.md").unlink()
    found = [one for one in caused(root).findings if one.name == "dead-import"]
    assert [(one.path, "style" in one.message) for one in found] == [("CLAUDE.md", True)]


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_file_that_is_a_link_to_another_one_has_not_changed(tmp_path: Path) -> None:
    rules = "# Team\n\n- Write tests first\n- Never push to main\n"
    root = write_tree(tmp_path / "tree", {**TEAM, "AGENTS.md": rules})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    with (root / ".synapse/config.toml").open("a") as file:
        file.write('\n[[adopted]]\npath = "AGENTS.md"\n')
    commit(root)
    with (root / ".synapse/global").open("a") as file:
        file.write("GLOBAL_RULE_90=Say why.\n")
    loaded = load_tree(str(root), LoadScope.ALL)
    before = load_former(RevisionChanges(str(root), "HEAD"), loaded).index.snapshot()
    now = loaded.index.snapshot().facts("AGENTS.md")
    was = before.facts("AGENTS.md")
    assert now and was and (now.content_identity == was.content_identity)


def test_only_what_the_change_reaches_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "tree"
    ours(root, 50)
    commit(root)
    with (root / "squads/squad-3/.synapse/area-3-4").open("a") as rules:
        rules.write("AREA_3_4_RULE_90=Say why.\n")
    loaded = load_tree(str(root), LoadScope.ALL)
    linted: list[str] = []

    def lint(tree: Tree, path: str, *rest: object) -> tuple[Finding, ...]:
        linted.append(path)
        return lint_runner.lint_file(tree, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(findings_since_revision, "lint_file", lint)
    tree = Tree(loaded.index.snapshot())
    found = find_caused(RevisionChanges(str(root), "HEAD"), loaded, tree, Policy)
    assert found.changed == {"squads/squad-3/.synapse/area-3-4"}
    assert all(path.startswith("squads/squad-3/") for path in linted)


def test_a_clean_tree_stays_clean(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", CLEAN)
    commit(root)
    for path in read_own(root):
        if path.endswith((".md", "manifest")):
            with (root / path).open("a") as file:
                file.write("\n")
    compare(root, caused(root).changed)
