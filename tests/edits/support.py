"""Trees before and after a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan
from synapse_ls.workspace.rule_tree import Tree
from tests.trees import tree_of

MANIFEST = ".synapse/manifest"

SMALL = {
    MANIFEST: """\
        # The tree of a small team

        GLOBAL_STATE=active

        # Tests
        TESTING_STATE=active
        TESTING_RECALL=unit test,coverage
        """,
    ".synapse/global": "GLOBAL_RULE_0=Name things well\n",
    ".synapse/testing": """\
        # How we test

        TESTING_RULE_0=One behaviour for each test
        TESTING_RULE_3=No inactive
        """,
}


def text_of(tree: Tree, path: str) -> str:
    """The text of a file that is there."""
    facts = tree.snapshot.facts(path)
    assert facts is not None, f"{path} is not there"
    return facts.text


def result(files: Mapping[str, str], change: Callable[[Tree], EditPlan]) -> Tree:
    """The tree of ``files`` after a change."""
    tree = tree_of(files)
    return tree_after(tree, change(tree))


def refusal(files: Mapping[str, str], change: Callable[[Tree], object]) -> UserError:
    """Why a change to the tree of ``files`` is refused."""
    with pytest.raises(UserError) as caught:
        change(tree_of(files))
    assert caught.value.sentence.endswith(".")
    return caught.value


def added(old: Tree, new: Tree, path: str) -> str:
    """What a file has more than before, if nothing else of it changed."""
    before, now = text_of(old, path), text_of(new, path)
    head = next(
        (i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), len(before)
    )
    tail = len(before) - head
    assert now[:head] + now[len(now) - tail :] == before
    return now[head : len(now) - tail]
