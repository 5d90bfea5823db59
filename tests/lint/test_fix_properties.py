"""What holds of every fix: twice is once, nothing new is found, what people wrote stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from synapse_ls.lint import rule_pages
from synapse_ls.lint.fixes import FixOutcome, plan_fixes
from synapse_ls.lint.lint_rule import LintRule
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.text.finding import Finding
from synapse_ls.text.text_edit import TextEdit, apply_edits
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.lint.clean import EVERY_RULE
from tests.lint.random_trees import trees
from tests.lint.test_pages import write_example
from tests.support import corpus
from tests.trees import Files, tree_of

SYNTAX = "SYN1"
REVEALED = ("SYN116", "SYN120")
"""What may be said of the form of a line that is read only since a person had it mended."""


class RandomCase:
    """A tree in memory, looked at with every rule."""

    notes: Sequence[Finding] = ()

    def __init__(self, files: Files) -> None:
        self.tree = tree_of(files)
        self._found: dict[Tree, tuple[Finding, ...]] = {}

    def find(self, tree: Tree) -> tuple[Finding, ...]:
        """What is found in a tree, found out once."""
        if tree not in self._found:
            self._found[tree] = lint_tree(tree, notes=self.notes, select=EVERY_RULE)
        return self._found[tree]

    def mended(self, *, unsafe: bool) -> FixOutcome:
        return self.again(self.tree, unsafe=unsafe)

    def again(self, tree: Tree, *, unsafe: bool) -> FixOutcome:
        return plan_fixes(tree, self.find, unsafe=unsafe)


class Case(RandomCase):
    """A tree on disk, looked at with every rule."""

    def __init__(self, root: Path) -> None:
        loaded = load_tree(str(root), LoadScope.ALL)
        self.tree, self.notes = Tree(loaded.index.snapshot()), loaded.notes
        self._found = {}


def told(found: tuple[Finding, ...]) -> Counter[tuple[str, str]]:
    """By path and code; that a trigger which begins to work may sleep is the profile's affair."""
    return Counter((d.path, d.code) for d in found if d.code != "SYN404")


def prose(tree: Tree) -> Mapping[str, list[str]]:
    """The comments of each file, and how many blank lines it has."""
    kept = {}
    for path in tree.snapshot.paths():
        facts = tree.snapshot.facts(path)
        lines = [line.strip() for line in facts.text.splitlines()] if facts else []
        kept[path] = [line for line in lines if not line or line.startswith(("# ", "<!--"))]
    return kept


def holds_of(case: RandomCase, *, unsafe: bool) -> None:
    mended = case.mended(unsafe=unsafe)
    assert not case.again(mended.tree, unsafe=unsafe).plan, "fixing twice changes more than once"
    before, after = told(case.find(case.tree)), told(case.find(mended.tree))
    assert not after - before, "a fix brings up a finding"
    kept, now = prose(case.tree), prose(mended.tree)
    lost = {path: set(lines) - set(now[path]) for path, lines in kept.items() if path in now}
    assert not any(lost.values()), "a comment is lost"
    assert all(now[path].count("") >= lines.count("") for path, lines in kept.items())


def with_fix(tree: Tree, found: Finding) -> Tree:
    """The tree once the fix of one finding is applied and no other."""
    edits: dict[str, list[TextEdit]] = {}
    for path, edit in found.fix.edits if found.fix else ():
        edits.setdefault(path, []).append(edit)
    snapshot = tree.snapshot
    for path, own in edits.items():
        facts = snapshot.facts(path)
        snapshot = snapshot.with_text(path, apply_edits(facts.text if facts else "", own))
    return Tree(snapshot)


def each_fix_does_what_it_says(case: RandomCase) -> None:
    """A fix that is offered removes its finding and brings no other."""
    before = case.find(case.tree)
    same = [(d.code, d.path, d.message) for d in before]
    for one in before:
        if one.fix is None:
            continue
        after = case.find(with_fix(case.tree, one))
        left = [(d.code, d.path, d.message) for d in after]
        this = (one.code, one.path, one.message)
        assert left.count(this) < same.count(this), f"{one.fix.title} leaves {this}"
        brought = {code for _, code in told(after) - told(before)}
        # What was not read before may well be wrong in what it says, but it has the right form.
        allowed = {
            code
            for code in brought
            if not one.fix.safe and (code in REVEALED or not code.startswith(SYNTAX))
        }
        assert brought == allowed, f"{one.fix.title} for {this} brings {brought}"


def the_count_is_what_changed(case: RandomCase) -> None:
    mended = case.mended(unsafe=False)
    gone = len(case.find(case.tree)) - len(case.find(mended.tree))
    assert bool(mended.count) == bool(mended.plan)
    assert mended.count <= gone, "a fix is counted that mended nothing"


@pytest.fixture(params=all_rules(), ids=lambda rule: rule.code)
def rule(request: pytest.FixtureRequest) -> LintRule:
    found = request.param
    assert isinstance(found, LintRule)
    return found


def test_it_holds_of_every_example(rule: LintRule, tmp_path: Path) -> None:
    case = Case(write_example(tmp_path, rule_pages.rule_page(rule).bad))
    for unsafe in (False, True):
        holds_of(case, unsafe=unsafe)
    each_fix_does_what_it_says(case)


@pytest.mark.slow
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("name", ["aiox", "carl", "chati", "many-domains"])
def test_it_holds_of_real_trees(name: str, unsafe: bool) -> None:
    holds_of(Case(corpus() / name), unsafe=unsafe)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aiox", "carl", "chati", "many-domains"])
def test_each_fix_of_a_real_tree_removes_its_finding_and_brings_no_other(name: str) -> None:
    case = Case(corpus() / name)
    each_fix_does_what_it_says(case)
    the_count_is_what_changed(case)


slow_search = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@slow_search
@given(trees())
def test_each_fix_of_any_tree_removes_its_finding_and_brings_no_other(files: Files) -> None:
    each_fix_does_what_it_says(RandomCase(files))


@slow_search
@given(trees())
def test_one_run_of_all_fixes_of_any_tree_is_enough_and_counts_what_it_changed(
    files: Files,
) -> None:
    case = RandomCase(files)
    for unsafe in (False, True):
        mended = case.mended(unsafe=unsafe)
        assert not case.again(mended.tree, unsafe=unsafe).plan
    the_count_is_what_changed(case)
