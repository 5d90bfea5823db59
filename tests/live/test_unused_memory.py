"""What a large tree no longer needs when it has been read."""

from __future__ import annotations

from pathlib import Path

from synapse_ls.live.live_tree import LiveTree, forget_reading
from synapse_ls.workspace import fact_extraction, naming_conventions
from synapse_ls.workspace.snapshot import Snapshot
from tests.trees import write_tree

TREE = {
    ".synapse/manifest": "DOCS_STATE=active\nDOCS_RECALL=text\n",
    ".synapse/docs": "DOCS_RULE_0=Check\n",
}


def test_caches_that_a_whole_tree_has_filled_are_emptied_and_small_ones_stay() -> None:
    naming_conventions.rule_file_names.cache_clear()
    naming_conventions.rule_file_names("DOCS")
    for number in range(8_001):
        fact_extraction.make_key("file", f"a/{number}")
    forget_reading(Snapshot())
    assert fact_extraction.make_key.cache_info().currsize == 0
    assert naming_conventions.rule_file_names.cache_info().currsize == 1


def test_facts_keep_no_groups_after_a_load_and_say_the_same(tmp_path: Path) -> None:
    write_tree(tmp_path, TREE)
    tree = LiveTree(str(tmp_path))
    tree.load()
    snapshot = tree.view().tree.snapshot
    forget_reading(snapshot)
    facts = snapshot.facts(".synapse/manifest")
    assert facts is not None
    assert not [name for name in vars(facts) if name.endswith(("_by_key", "_keys"))]
    domain = fact_extraction.make_key("domain", "DOCS")
    assert [path for path, _ in snapshot.definitions(domain)] == [".synapse/manifest"]
    assert domain in facts.values_by_key
