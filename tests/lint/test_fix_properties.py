"""What holds of every fix: twice is once, nothing new is found, what people wrote stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from synapse_ls.lint import rule_pages
from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.lint.fix_plan import FixOutcome, plan_fixes
from synapse_ls.lint.lint_rule import LintRule
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, LoadScope, load_tree
from tests.lint.clean import EVERY_RULE
from tests.lint.test_pages import write_example
from tests.support import corpus


class Case:
    """A tree on disk, looked at with every rule."""

    def __init__(self, root: Path) -> None:
        self._loaded: LoadedTree = load_tree(str(root), LoadScope.ALL)
        self.tree = Tree(self._loaded.index.snapshot())

    def find(self, tree: Tree) -> tuple[Diagnostic, ...]:
        return lint_tree(tree, notes=self._loaded.notes, select=EVERY_RULE)

    def mended(self, *, unsafe: bool) -> FixOutcome:
        return plan_fixes(self.tree, self.find, unsafe=unsafe)

    def again(self, tree: Tree, *, unsafe: bool) -> FixOutcome:
        return plan_fixes(tree, self.find, unsafe=unsafe)


def told(found: tuple[Diagnostic, ...]) -> Counter[tuple[str, str]]:
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


def holds_of(case: Case, *, unsafe: bool) -> None:
    mended = case.mended(unsafe=unsafe)
    assert not case.again(mended.tree, unsafe=unsafe).plan, "fixing twice changes more than once"
    before, after = told(case.find(case.tree)), told(case.find(mended.tree))
    assert not after - before, "a fix brings up a finding"
    kept, now = prose(case.tree), prose(mended.tree)
    lost = {path: set(lines) - set(now[path]) for path, lines in kept.items() if path in now}
    assert not any(lost.values()), "a comment is lost"
    assert all(now[path].count("") >= lines.count("") for path, lines in kept.items())


@pytest.fixture(params=all_rules(), ids=lambda rule: rule.code)
def rule(request: pytest.FixtureRequest) -> LintRule:
    found = request.param
    assert isinstance(found, LintRule)
    return found


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_it_holds_of_every_example(rule: LintRule, unsafe: bool, tmp_path: Path) -> None:
    holds_of(Case(write_example(tmp_path, rule_pages.rule_page(rule).bad)), unsafe=unsafe)


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("name", ["aiox", "carl", "chati", "many-domains"])
def test_it_holds_of_real_trees(name: str, unsafe: bool) -> None:
    holds_of(Case(corpus() / name), unsafe=unsafe)
