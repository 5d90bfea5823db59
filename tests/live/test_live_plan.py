"""The plan of a live tree after edits is that of the whole tree."""

from __future__ import annotations

from marshal import loads
from pathlib import Path
from random import Random

import pytest

from synapse_ls.engine.compiled_plan import STORED_FIELDS, Plan
from synapse_ls.engine.plan_compiler import compile_plan
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
