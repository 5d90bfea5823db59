"""Real trees: what is found there is true, and nothing else is found."""

from __future__ import annotations

from collections import Counter

from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.lint.run import check
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree
from tests.support import corpus


def check_corpus(name: str) -> tuple[Diagnostic, ...]:
    loaded = load(str(corpus() / name), Scope.ALL)
    return check(Tree(loaded.index.snapshot()), notes=loaded.notes, select=("ALL",))


def test_a_frameworks_own_tree_only_overflows_the_smallest_budget() -> None:
    (found,) = check_corpus("aiox")
    assert found.name == "budget-overflow"
    assert "FRESH (800 tokens) does not hold the rules of 12 agents" in found.message


def test_a_grown_tree_has_these_findings_by_rule() -> None:
    found = Counter(diagnostic.name for diagnostic in check_corpus("many-domains"))
    assert found == {
        "budget-overflow": 1,
        "domain-without-file": 54,
        "unknown-key": 20,
        "manifest-key-in-rules": 3,
        "odd-rule-key": 2,
        "duplicate-key": 1,
    }


def test_a_misnamed_file_is_reported_once_and_named() -> None:
    found = [d for d in check_corpus("many-domains") if d.related and d.code == "SYN201"]
    assert [d.remedy for d in found] == [
        "Rename the file `external-repo-adoption-checklist` to `external-repo-adoption`."
    ]
