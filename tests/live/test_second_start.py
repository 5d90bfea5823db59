"""A tree that was served before begins with what was found then, as if all of it were read."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from synapse_ls.formats.session_file import new_session
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.queries import findings_cache
from synapse_ls.queries.findings_cache import WHOLE_TREE_QUESTION, FindingsCache
from synapse_ls.storage.plan_cache import cache_folder
from synapse_ls.text.finding import Diagnostic
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree
from tests.bench.bench_check import ours
from tests.lint.clean import CLEAN
from tests.lint.test_incremental import VERSIONS
from tests.queries.test_findings_after_edits import Edits, mutations, read_own
from tests.support import corpus
from tests.trees import write_tree

TREES = ["aiox", "many-domains", "carl", "chati"]
RULES = "squads/squad-3/.synapse/area-3-4"


@pytest.fixture(autouse=True)
def _trusting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of this test, to which all that was written counts as written long ago."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(findings_cache, "CLOCK_TICK", -600_000_000_000)


def fresh(root: Path) -> LiveTree:
    """A start for which everything is read."""
    tree = LiveTree(str(root))
    tree.load()
    return tree


def served(root: Path) -> LiveTree:
    """A start that may know what was found before, and is known to the next one."""
    tree = LiveTree(str(root), remembers=True)
    tree.load()
    tree.store_findings()
    return tree


def findings(tree: LiveTree) -> dict[str, tuple[Diagnostic, ...]]:
    return {path: tree.diagnostics(path) for path in tree.paths_with_diagnostics()}


def assert_same(tree: LiveTree, other: LiveTree) -> None:
    """Two starts find the same, know the same texts, and give an agent the same."""
    assert findings(tree) == findings(other)
    snapshot, expected = tree.view().tree.snapshot, other.view().tree.snapshot
    assert snapshot.paths() == expected.paths()
    for path in snapshot.paths():
        facts, known = snapshot.facts(path), expected.facts(path)
        assert facts and known
        assert (facts.text, facts.problems, facts.id) == (known.text, known.problems, known.id)
        assert (facts.definitions, facts.references) == (known.definitions, known.references)
    assert tree.view().assembly.text == other.view().assembly.text
    block, anew = (one.view().block("MODERATE", prompt="a test") for one in (tree, other))
    assert block.text == anew.text


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roots that are read as a whole."""
    found: list[str] = []

    def load_and_note(root: str, *arguments: object, **more: object) -> LoadedTree:
        found.append(root)
        return load_tree(root, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("synapse_ls.live.live_tree.load_tree", load_and_note)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
def test_a_real_tree_is_after_a_second_start_as_after_a_first(
    tmp_path: Path, name: str, loads: list[str]
) -> None:
    root = tmp_path / "tree"
    shutil.copytree(corpus() / name, root, symlinks=True)
    served(root)
    del loads[:]
    again = served(root)
    assert not loads
    assert_same(again, fresh(root))


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
def test_a_real_tree_that_was_edited_between_two_starts_is_as_after_a_first(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / "tree"
    shutil.copytree(corpus() / name, root, symlinks=True)
    edits = Edits(root)
    served(root)
    for number, (path, text) in enumerate(mutations(root, read_own(root), 12)):
        edits.write(path, text)
        if number % 3 == 2:
            assert_same(served(root), fresh(root))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_between_starts_and_in_editors_all_is_as_after_a_first(
    tmp_path: Path, seed: int
) -> None:
    edits, chance = Edits(tmp_path / "tree"), Random(seed)
    steps = [(path, text) for path, texts in VERSIONS.items() for text in ("", *texts)]
    for path, texts in VERSIONS.items():
        edits.write(path, texts[0])
    served(edits.root)
    for _ in range(8):
        for path, text in chance.sample(steps, chance.randrange(4)):
            change(edits, path, text)
        tree = served(edits.root)
        expected = findings(fresh(edits.root))
        assert findings(tree) == expected
        follow(tree, edits, chance.sample(steps, 6), expected)


def change(edits: Edits, path: str, text: str) -> None:
    if text:
        edits.write(path, text)
    else:
        (edits.root / path).unlink(missing_ok=True)


def follow(
    tree: LiveTree,
    edits: Edits,
    steps: Iterable[tuple[str, str]],
    expected: dict[str, tuple[Diagnostic, ...]],
) -> None:
    """Edit in an editor and on disk in turn, and compare with a fresh start each time; ``expected`` is what one
    finds in the files as they are.
    """
    for number, (path, text) in enumerate(steps):
        before = findings(tree)
        if number % 2:
            change(edits, path, text)
            told = tree.update_from_disk([path]).diagnostics
            expected = findings(fresh(edits.root))
        else:
            told = tree.begin_edit(path, text).diagnostics | tree.settle().diagnostics
            other = fresh(edits.root)
            other.edit(path, text)
            assert findings(tree) == findings(other), (path, text)
            told |= tree.close(path).diagnostics
        now = findings(tree)
        assert now == expected, (path, text)
        assert told >= {one for one in {*before, *now} if before.get(one) != now.get(one)}


def test_what_depends_on_other_files_moves_with_the_first_keystroke(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {**CLEAN, ".synapse/lost": "LOST_RULE_0=Say why.\n"})
    served(root)
    text = (root / ".synapse/lost").read_text()
    tree, other = served(root), fresh(root)
    for one in (tree, other):
        one.begin_edit(".synapse/lost", f"# moved\n{text}")
    assert findings(tree) == findings(other)
    assert findings(tree)[".synapse/lost"]


def test_nothing_changes_for_an_agent_when_a_file_of_no_matter_is_touched(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", CLEAN)
    served(root)
    tree = served(root)
    assert not tree.update_from_disk(["README.md"]).context
    edits = Edits(root)
    edits.append(".synapse/global", "GLOBAL_RULE_90=Say why.\n")
    assert tree.update_from_disk([".synapse/global"]).context


def test_findings_of_synapse_check_are_those_of_the_next_start(
    tmp_path: Path, loads: list[str]
) -> None:
    ours(tmp_path / "tree", 50)
    edits = Edits(tmp_path / "tree")
    edits.append(RULES, "nonsense\n")
    loaded, tree, found = edits.everything()
    FindingsCache(str(edits.root)).store(WHOLE_TREE_QUESTION, loaded, tree, found, 1)
    started = served(edits.root)
    assert not loads
    assert_same(started, fresh(edits.root))


def test_a_session_that_has_become_stale_has_no_rule_read(tmp_path: Path, loads: list[str]) -> None:
    ours(tmp_path / "tree", 50)
    root = tmp_path / "tree"
    (root / ".synapse/sessions").mkdir()
    served(root)
    del loads[:]
    document = new_session("one", str(root), "2020-01-01T00:00:00Z")
    (root / ".synapse/sessions/one.json").write_text(json.dumps(document))
    os.utime(root / ".synapse/sessions/one.json", (1_600_000_000, 1_600_000_000))
    again = served(root)
    assert not loads
    assert ".synapse/sessions/one.json" in findings(again)
    assert findings(again) == findings(fresh(root))


@pytest.mark.parametrize("kind", ["check", "check-tree", "check-text"])
@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\0" * 40])
def test_what_is_kept_and_damaged_is_dropped(
    tmp_path: Path, loads: list[str], kind: str, damage: bytes
) -> None:
    ours(tmp_path / "tree", 20)
    root = tmp_path / "tree"
    served(root)
    [kept] = Path(cache_folder()).glob(f"*.{kind}")
    kept.write_bytes(damage + kept.read_bytes()[len(damage) :] if damage else b"")
    del loads[:]
    assert_same(served(root), fresh(root))
    assert loads[0] == str(root)
    del loads[:]
    served(root)
    assert not loads


def test_another_version_of_the_program_reads_everything(
    tmp_path: Path, loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path / "tree", CLEAN)
    served(root)
    del loads[:]
    monkeypatch.setattr(findings_cache, "_program_digest", lambda: "another")
    served(root)
    assert loads


def test_more_text_than_is_kept_is_read_with_each_start(
    tmp_path: Path, loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings_cache, "_MAX_TEXT", 1_000)
    ours(tmp_path / "tree", 50)
    served(tmp_path / "tree")
    del loads[:]
    assert_same(served(tmp_path / "tree"), fresh(tmp_path / "tree"))
    assert loads


def test_a_file_that_changes_while_a_start_stores_is_read_by_the_next(tmp_path: Path) -> None:
    ours(tmp_path / "tree", 20)
    edits = Edits(tmp_path / "tree")
    tree = LiveTree(str(edits.root), remembers=True)
    tree.load()
    edits.append("squads/squad-1/.synapse/area-1-4", "nonsense\n")
    tree.store_findings()
    assert_same(served(edits.root), fresh(edits.root))
