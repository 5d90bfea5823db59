"""While somebody types in a long file, what is said of it is what a fresh start says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from synapse_ls.live.live_tree import LiveTree
from synapse_ls.workspace.parted_facts import PartedFacts
from tests.trees import write_tree

RULES = "".join(f"GLOBAL_RULE_{n}=Check input {n}\n" for n in range(600))
MANIFEST = "GLOBAL_STATE=active\n" + "".join(
    f"AREA_{n}_STATE=active\nAREA_{n}_RECALL=area {n}\n" for n in range(300)
)
FILES = {
    ".synapse/manifest": MANIFEST,
    ".synapse/global": RULES,
    ".synapse/config.toml": 'profile = "synapse"\n',
}
TYPED = (
    "x",
    "\n",
    "=",
    "#",
    " ",
    "GLOBAL_RULE_5=Check input 5\n",
    "AREA_5_STATE=active\n",
    "prose\n",
)


def test_an_edit_of_a_long_file_is_read_in_parts(tmp_path: Path) -> None:
    tree = LiveTree(str(write_tree(tmp_path, FILES)))
    tree.load()
    for path in (".synapse/manifest", ".synapse/global"):
        tree.open(path, FILES[path])
        tree.prepare_edits(path)
        tree.begin_edit(path, FILES[path].replace("5\n", "five\n", 1))
        assert isinstance(tree.view().tree.snapshot.facts(path), PartedFacts)


@pytest.mark.slow
@pytest.mark.parametrize("path", [".synapse/manifest", ".synapse/global"])
def test_after_any_typing_the_findings_are_those_of_a_fresh_start(
    path: str, tmp_path: Path
) -> None:
    dice = random.Random(path)
    root = str(write_tree(tmp_path, FILES))
    tree = LiveTree(root)
    tree.load()
    text = FILES[path]
    tree.open(path, text)
    for turn in range(24):
        place = dice.randrange(len(text))
        end = place + dice.choice((0, 0, 1, 30))
        text = FILES[path] if turn == 9 else text[:place] + dice.choice(TYPED) + text[end:]
        tree.begin_edit(path, text)
        if turn % 8 == 7:
            tree.settle()
            fresh = LiveTree(root)
            fresh.load()
            fresh.open(path, text)
            for other in FILES:
                assert tree.diagnostics(other) == fresh.diagnostics(other)
            assert tree.view().assembly.text == fresh.view().assembly.text
