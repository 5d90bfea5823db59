"""Real trees: what is found there is true, and nothing else is found."""

from __future__ import annotations

from collections import Counter

import pytest

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.support import corpus


def check_corpus(name: str) -> tuple[Finding, ...]:
    loaded = load_tree(str(corpus() / name), LoadScope.ALL)
    return lint_tree(Tree(loaded.index.snapshot()), notes=loaded.notes, select=("ALL",))


def test_a_frameworks_own_tree_overflows_the_smallest_budget_once() -> None:
    (found,) = (d for d in check_corpus("aiox") if d.name == "budget-overflow")
    assert "AGENT_DEV_RULE_" in found.message


def test_a_frameworks_own_constitution_has_lost_the_points_below_one_rule() -> None:
    (found,) = (d for d in check_corpus("aiox") if d.name == "stale-constitution")
    assert found.message.startswith(".aiox-core/constitution.md has 4 points below this rule")
    assert "not with `generate-constitution.js`" in found.remedy


def test_a_frameworks_own_commands_collide_with_those_of_its_agents() -> None:
    (found,) = [d.message for d in check_corpus("aiox") if d.name == "command-collision"]
    assert found.startswith("`*review` (@qa), `*plan` (@aiox-master) are also commands of agents")


@pytest.mark.parametrize("name", ["aiox", "many-domains"])
def test_prose_about_three_brackets_contradicts_the_table(name: str) -> None:
    (found,) = [d.message for d in check_corpus(name) if d.name == "contradicting-bracket-prose"]
    assert [bracket for bracket in ("FRESH", "DEPLETED", "CRITICAL") if bracket in found] == [
        "FRESH",
        "DEPLETED",
        "CRITICAL",
    ]


@pytest.mark.parametrize("name", ["aiox", "many-domains"])
def test_squads_and_work_of_real_trees_are_sound(name: str) -> None:
    families = ("SYN6", "SYN7")
    assert [d for d in check_corpus(name) if d.code.startswith(families)] == []


def test_a_grown_tree_has_these_findings_by_rule() -> None:
    found = Counter(diagnostic.name for diagnostic in check_corpus("many-domains"))
    assert found == {
        "budget-overflow": 1,
        "domain-without-file": 2,
        "unknown-key": 4,
        "manifest-key-in-rules": 1,
        "odd-rule-key": 2,
        "duplicate-key": 1,
        "common-keyword": 3,
        "sleeping-trigger": 1,
        "contradicting-bracket-prose": 1,
        "boundary-without-command": 28,
    }


def test_many_domains_without_a_file_are_one_finding_with_their_number() -> None:
    (found,) = [d for d in check_corpus("many-domains") if "domains have no file" in d.message]
    assert found.message.startswith("53 domains have no file")
    assert len(found.related) == 52


def test_a_misnamed_file_is_reported_once_and_named() -> None:
    found = [d for d in check_corpus("many-domains") if d.code == "SYN201" and "Rename" in d.remedy]
    assert [d.remedy for d in found] == [
        "Rename the file `.synapse/external-repo-adoption-checklist` to "
        "`.synapse/external-repo-adoption`."
    ]
