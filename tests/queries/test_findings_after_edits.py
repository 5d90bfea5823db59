"""After edits of files only what they reach is checked again, and the findings are those of a check
of everything.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.queries import findings_cache
from synapse_ls.queries.findings_cache import FindingsCache
from synapse_ls.storage.plan_cache import cache_folder
from synapse_ls.text.finding import Diagnostic
from synapse_ls.workspace import tree_loader
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.file_reader import FileContent, read_file
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree
from tests.bench.bench_check import ours
from tests.lint.clean import CLEAN
from tests.lint.test_incremental import VERSIONS
from tests.support import corpus, examples
from tests.trees import write_tree

QUESTION = "everything"
LONG_AGO = 1_700_000_000_000_000_000
Step = tuple[str, str]


@pytest.fixture(autouse=True)
def _trusting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of this test, to which all that was written counts as written long ago."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(findings_cache, "CLOCK_TICK", -600_000_000_000)


class Edits:
    """A tree on disk that is edited and checked in turn."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._time = LONG_AGO
        self.partial = 0  # checks of what edits reach

    def write(self, path: str, text: str) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")
        self._time += 1_000_000_000
        os.utime(full, ns=(self._time, self._time))

    def append(self, path: str, text: str) -> None:
        self.write(path, (self.root / path).read_text(encoding="utf-8") + text)

    def everything(self) -> tuple[LoadedTree, Tree, tuple[Diagnostic, ...]]:
        """The findings of a check of everything, with the tree."""
        loaded = load_tree(str(self.root), LoadScope.ALL)
        tree = Tree(loaded.index.snapshot())
        return loaded, tree, lint_tree(tree, notes=loaded.notes)

    def check(
        self, fresh: tuple[LoadedTree, Tree, tuple[Diagnostic, ...]] | None = None
    ) -> tuple[Diagnostic, ...]:
        """The findings as a check has them that uses the cache, and checks everything where it has to, unless
        somebody has done so just now.
        """
        kept = FindingsCache(str(self.root))
        known = kept.findings(QUESTION)
        if known is None:
            known = kept.findings_after_edits(QUESTION, Policy, lambda _: 1)
            self.partial += known is not None
        if known is None:
            loaded, tree, found = fresh or self.everything()
            kept.store(QUESTION, loaded, tree, found, 1)
            return found
        return known[0]

    def follow(self, steps: Iterable[Step]) -> None:
        """Edit file after file, and compare what is found each time."""
        self.check()
        for path, text in steps:
            if text:
                self.write(path, text)
            else:
                (self.root / path).unlink(missing_ok=True)
            fresh = self.everything()
            assert self.check(fresh) == fresh[2], (path, text)


_STEPS = st.lists(
    st.sampled_from(
        [(path, text) for path, texts in VERSIONS.items() for text in ("", *texts) if text != "x"]
    ),
    min_size=1,
    max_size=8,
)


@settings(
    deadline=None,
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(_STEPS)
def test_after_any_edits_the_findings_are_those_of_a_check_of_everything(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    edits = Edits(tmp_path_factory.mktemp("tree"))
    for path, texts in VERSIONS.items():
        edits.write(path, texts[0])
    edits.follow(steps)


@pytest.mark.parametrize("path", VERSIONS)
def test_after_each_edit_of_a_file_the_findings_are_those_of_a_check_of_everything(
    tmp_path: Path, path: str
) -> None:
    edits = Edits(tmp_path / "tree")
    for other, texts in VERSIONS.items():
        edits.write(other, texts[0])
    edits.follow((path, text) for text in (*VERSIONS[path], *reversed(VERSIONS[path])) if text)


_INSTRUCTIONS = {
    "CLAUDE.md": "# Rules\n\nRead @docs/style.md and @AGENTS.md first.\n",
    "AGENTS.md": "# Agents\n\n- Never push to main.\n- See @docs/style.md.\n",
    "docs/style.md": "- Use tabs.\n",
}


@pytest.mark.parametrize("path", _INSTRUCTIONS)
def test_when_a_file_of_instructions_goes_or_comes_the_findings_are_those_of_a_check_of_everything(
    tmp_path: Path, path: str
) -> None:
    edits = Edits(write_tree(tmp_path / "tree", {**CLEAN, **_INSTRUCTIONS}))
    edits.follow([(path, ""), (path, _INSTRUCTIONS[path]), (path, "See @docs/gone.md.\n")])


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
    found = ((path, snapshot.facts(path)) for path in snapshot.paths())
    return [path for path, facts in found if facts and facts.is_read]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aiox", "many-domains", "carl", "chati"])
def test_edits_of_a_real_tree_give_the_findings_of_a_check_of_everything(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / "tree"
    shutil.copytree(corpus() / name, root, symlinks=True)
    edits = Edits(root)
    edits.follow(mutations(root, read_own(root), 8))


@pytest.mark.slow
def test_edits_of_a_clean_tree_give_the_findings_of_a_check_of_everything(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", CLEAN)
    edits = Edits(root)
    edits.follow(mutations(root, read_own(root), 24))
    assert edits.partial > 8


@pytest.mark.slow
def test_edits_of_many_squads_give_the_findings_of_a_check_of_everything(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    ours(root, 40)
    edits = Edits(root)
    edits.follow(mutations(root, read_own(root), 24))
    assert edits.partial > 16


def _edits_of_squads(tmp_path: Path) -> Edits:
    """Squads that were checked once, so that they are remembered."""
    ours(tmp_path / "tree", 50)
    edits = Edits(tmp_path / "tree")
    edits.check()
    return edits


RULES = "squads/squad-3/.synapse/area-3-4"


def test_an_edit_has_only_the_files_beside_it_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits = _edits_of_squads(tmp_path)
    edits.append(RULES, "AREA_3_4_RULE_90=Say why.\n")
    opened: list[str] = []

    def read(path: str) -> FileContent | None:
        opened.append(path.removeprefix(f"{edits.root}/"))
        return read_file(path)

    monkeypatch.setattr(findings_cache, "read_file", read)
    edits.check()
    assert edits.partial == 1
    assert opened and all(path.startswith(("squads/squad-3/", ".synapse/")) for path in opened)


def test_a_file_that_comes_or_goes_leaves_the_others_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits = _edits_of_squads(tmp_path)
    opened: list[str] = []

    def read(path: str) -> FileContent | None:
        opened.append(path.removeprefix(f"{edits.root}/"))
        return read_file(path)

    monkeypatch.setattr(tree_loader, "read_file", read)
    edits.write("squads/squad-2/.synapse/area-2-x", "AREA_2_X_RULE_0=x\n")
    (edits.root / RULES).unlink()
    found = edits.check()
    monkeypatch.undo()
    assert opened == ["squads/squad-2/.synapse/area-2-x"]
    assert edits.partial == 1
    assert found == edits.everything()[2]


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\0" * 40])
def test_a_remembered_tree_that_is_damaged_is_none(tmp_path: Path, damage: bytes) -> None:
    edits = _edits_of_squads(tmp_path)
    [kept] = Path(cache_folder()).glob("*.check-tree")
    kept.write_bytes(damage + kept.read_bytes()[len(damage) :] if damage else b"")
    edits.append(RULES, "AREA_3_4_RULE_90=Say why.\n")
    assert edits.check() == edits.everything()[2]
    assert edits.partial == 0
    edits.append(RULES, "AREA_3_4_RULE_91=Say why not.\n")
    assert edits.check() == edits.everything()[2]
    assert edits.partial == 1


def test_a_tree_that_another_check_remembered_is_not_taken_for_this_one(tmp_path: Path) -> None:
    edits = _edits_of_squads(tmp_path)
    [kept] = Path(cache_folder()).glob("*.check-tree")
    before = kept.read_bytes()
    edits.write("squads/squad-2/.synapse/area-2-x", "AREA_2_X_RULE_0=x\n")
    edits.check()
    kept.write_bytes(before)
    edits.append(RULES, "AREA_3_4_RULE_90=Say why.\n")
    assert edits.check() == edits.everything()[2]
    assert edits.partial == 1


def test_a_file_that_changes_while_an_edit_is_checked_has_all_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits = _edits_of_squads(tmp_path)
    edits.append(RULES, "AREA_3_4_RULE_90=Say why.\n")

    def read(path: str) -> FileContent | None:
        edits.append("squads/squad-3/.synapse/manifest", "AREA_3_5_NON_NEGOTIABLE=true\n")
        return read_file(path)

    monkeypatch.setattr(findings_cache, "read_file", read)
    kept = FindingsCache(str(edits.root))
    assert kept.findings_after_edits(QUESTION, Policy, lambda _: 1) is None


def test_a_memory_that_expires_ends_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits = _edits_of_squads(tmp_path)
    memory = "---\ntype: decision\nexpires: 2100-01-01\n---\n\nA decision.\n"
    edits.write(".synapse/memory/shared/durable/one.md", memory)
    edits.check()
    assert FindingsCache(str(edits.root)).findings(QUESTION) is not None
    late = 4_102_444_800_000_000_000 + 1  # 2100-01-01
    monkeypatch.setattr("time.time_ns", lambda: late)
    monkeypatch.setattr("time.time", lambda: late / 1e9)
    assert FindingsCache(str(edits.root)).findings(QUESTION) is None
