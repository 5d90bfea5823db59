"""Changes to trees that other people wrote, and back again: every byte has to be the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from synapse_ls.edits.domain_edits import add_domain, toggle_domain
from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.edits.rename_plans import rename_domain
from synapse_ls.edits.rule_edits import add_rule, edit_rule, remove_rule
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import BUILT_IN, LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_loader import load_tree
from tests.support import corpus

TEXT = "Say what you have not verified"


@pytest.fixture(params=["aiox", "many-domains"])
def tree(request: pytest.FixtureRequest) -> Tree:
    return Tree(load_tree(str(corpus() / request.param), LoadScope.PROMPT).index.snapshot())


def texts(tree: Tree) -> dict[str, str]:
    facts = (tree.snapshot.facts(path) for path in tree.snapshot.paths())
    return {found.path: found.text for found in facts if found}


def ordinary(tree: Tree) -> Iterator[Domain]:
    """Domains with ordinary rules in a file of their own."""
    for domain in tree.domains:
        kinds = {rule.kind for rule in tree.rules_of(domain)}
        if kinds & {"rule", "plain"} and domain.name.lower() not in BUILT_IN:
            yield domain


def test_a_domain_switched_over_twice_is_as_it_was(tree: Tree) -> None:
    for domain in tree.domains:
        if domain.name != "CONSTITUTION":
            once = tree_after(tree, toggle_domain(tree, domain.label))
            assert once.domains_by_label[domain.label].is_active is not domain.is_active
            assert texts(tree_after(once, toggle_domain(once, domain.label))) == texts(tree)


def test_a_domain_renamed_and_back_is_as_it_was(tree: Tree) -> None:
    for domain in tree.domains:
        if domain.name.lower() not in BUILT_IN:
            once = tree_after(tree, rename_domain(tree, domain.label, "something-else"))
            assert len(once.rules_of(once.domains_by_label["SOMETHING_ELSE"])) == len(
                tree.rules_of(domain)
            )
            assert texts(
                tree_after(once, rename_domain(once, "something-else", domain.name))
            ) == texts(tree)


def test_a_rule_added_and_removed_leaves_nothing(tree: Tree) -> None:
    for domain in ordinary(tree):
        once = tree_after(tree, add_rule(tree, domain.label, TEXT))
        new = next(r for r in once.rules_of(once.domains_by_label[domain.label]) if r.text == TEXT)
        which = new.key or str(new.index)
        assert texts(tree_after(once, remove_rule(once, domain.label, which))) == texts(tree)


def test_a_rule_edited_and_back_is_as_it_was(tree: Tree) -> None:
    for domain in ordinary(tree):
        rule = tree.rules_of(domain)[0]
        which = rule.key or str(rule.index)
        try:
            once = tree_after(tree, edit_rule(tree, domain.label, which, TEXT))
        except UserError as error:
            assert "more than once" in error.sentence
            continue
        assert texts(tree_after(once, edit_rule(once, domain.label, which, rule.text))) == texts(
            tree
        )


def test_a_new_domain_leaves_every_other_file_alone(tree: Tree) -> None:
    now = texts(tree_after(tree, add_domain(tree, "payments", rules=[TEXT])))
    old = texts(tree)
    assert set(now) - set(old) == {".synapse/payments"}
    assert [path for path in old if old[path] != now[path]] == [".synapse/manifest"]
    assert now[".synapse/manifest"].startswith(old[".synapse/manifest"])
