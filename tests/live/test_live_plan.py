"""The plan of a live tree after edits: it is that of the whole tree, and rule files alone do not have it made
anew.
"""

from __future__ import annotations

from marshal import loads
from pathlib import Path
from random import Random

import pytest

from synapse_ls.engine.compiled_plan import STORED_FIELDS, Plan
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.ide import tree_view
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.workspace.rule_tree import Tree
from tests.storage.test_plan_rule_update import LINES, SQUAD
from tests.trees import TEAM, write_tree

OWN = {"squads/etl/.synapse/pipeline": LINES, "squads/etl/.synapse/rules": LINES}
RULES = tuple(path for path in {**TEAM, **OWN} if path.startswith((".synapse/", "squads/")))


@pytest.fixture
def tree(tmp_path: Path) -> LiveTree:
    live = LiveTree(str(write_tree(tmp_path, {**TEAM, **SQUAD})))
    live.load()
    return live


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roots whose plan a view has made of the whole tree."""
    found: list[str] = []

    def compile_whole(tree: Tree, root: str) -> Plan:
        found.append(root)
        return compile_plan(tree, root)

    monkeypatch.setattr(tree_view, "compile_plan", compile_whole)
    return found


def fields(plan: Plan) -> dict[str, object]:
    """All that is stored of a plan, its keywords as they are packed."""
    found = {name: getattr(plan, name) for name in STORED_FIELDS}
    return {**found, "packed": [*map(loads, plan.packed)]}


def is_right(tree: LiveTree) -> bool:
    """Whether the view's plan is what the whole tree gives."""
    view = tree.view()
    return fields(view.plan) == fields(compile_plan(Tree(view.tree.snapshot), tree.root))


@pytest.mark.parametrize("seed", range(8))
def test_after_any_edits_the_plan_is_that_of_the_whole_tree(tree: LiveTree, seed: int) -> None:
    random = Random(seed)
    assert is_right(tree)
    for _ in range(25):
        path = random.choice(RULES)
        lines = (tree.text(path) or "").splitlines()
        place = random.randrange(len(lines) + 1)
        lines[place : place + random.randrange(3)] = random.choices(LINES, k=random.randrange(3))
        tree.edit(path, "".join(f"{line}\n" for line in lines))
        if random.random() < 0.7:  # else the next edit comes before anybody looks
            assert is_right(tree), path


def test_edits_of_rules_are_taken_into_the_plan_that_is_there(
    tree: LiveTree, compiled: list[str]
) -> None:
    assert tree.view().plan and not compiled
    tree.edit(".synapse/global", "GLOBAL_RULE_0=Say why\n")
    tree.edit(".synapse/agent-dev", "AGENT_DEV_RULE_0=Test first\n")
    assert "Say why" in tree.view().assembly.text
    assert not compiled
    tree.edit(".synapse/global", "GLOBAL_RULE_0=Say how\n")
    assert "Say how" in tree.view().assembly.text
    assert not compiled and is_right(tree)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".synapse/manifest", "GLOBAL_STATE=active\n"),
        (".synapse/another", "ANOTHER_RULE_0=New\n"),
        ("squads/etl/.synapse/rules", "OTHER_RULE_0=Which domains there are\n"),
    ],
)
def test_what_says_which_domains_there_are_has_the_plan_made_anew(
    tree: LiveTree, compiled: list[str], path: str, text: str
) -> None:
    assert tree.view().plan and not compiled
    tree.edit(path, text)
    assert is_right(tree) and len(compiled) == 1


def test_many_files_at_once_have_the_plan_made_anew(tree: LiveTree, compiled: list[str]) -> None:
    assert tree.view().plan and not compiled
    for number, path in enumerate(RULES[1:10]):
        tree.edit(path, f"X_RULE_0=Number {number}\n")
    assert is_right(tree) and len(compiled) == 1
