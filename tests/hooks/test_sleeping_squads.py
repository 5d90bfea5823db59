"""A prompt looks at the rule files of a squad when a domain of it takes part, and then at all that has
changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from synapse_ls.storage import plan_cache
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

SQUAD = {
    "squads/etl/.synapse/manifest": """\
        LOADING_STATE=active
        LOADING_RECALL=loading
        PIPELINE_STATE=active
        PIPELINE_RECALL=pipeline
        """,
    "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=One step after the other\n",
}
LONG_AGO = 1_600_000_000


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "tree", {**TEAM, **SQUAD})
    for path in (root, *root.rglob("*")):
        os.utime(path, (LONG_AGO, LONG_AGO))
    return root


def client_in(root: Path) -> Claude:
    """A session whose window is half full, so that squads may take part."""
    client = Claude(root)
    client.uses(110_000)
    return client


def put(root: Path, path: str, text: str, moment: int) -> None:
    """Write a file of some time ago, and have its folder changed then."""
    (root / path).write_text(text, encoding="utf-8")
    for changed in (root / path, (root / path).parent):
        os.utime(changed, (moment, moment))


def test_a_file_that_comes_to_a_sleeping_squad_is_told_when_its_domain_wakes(
    root: Path, compiled_roots: list[str]
) -> None:
    client = client_in(root)
    client.prompt("hello")
    del compiled_roots[:]
    put(root, "squads/etl/.synapse/loading", "LOADING_RULE_0=Load twice\n", LONG_AGO + 60)
    client.prompt("go on")
    assert not compiled_roots
    assert "Load twice" in client.prompt("begin with the loading")


@pytest.mark.parametrize("word", ["loading", "pipeline"])
def test_a_file_that_comes_while_a_domain_of_the_squad_takes_part_is_told(
    root: Path, word: str
) -> None:
    client = client_in(root)
    client.prompt(f"hello {word}")
    put(root, f"squads/etl/.synapse/{word}", f"{word.upper()}_RULE_0=Do it twice\n", LONG_AGO + 60)
    assert "Do it twice" in client.prompt(f"go on with the {word}")


def test_a_better_name_takes_the_place_of_the_file_that_was_read(root: Path) -> None:
    client = client_in(root)
    (root / "squads/etl/.synapse/pipeline").rename(root / "squads/etl/.synapse/pipeline.md")
    assert "One step" in client.prompt("hello pipeline")
    put(root, "squads/etl/.synapse/pipeline", "PIPELINE_RULE_0=Twice\n", LONG_AGO + 60)
    assert "Twice" in client.prompt("go on with the pipeline")


def test_a_squad_that_changes_otherwise_is_read_at_once(
    root: Path, compiled_roots: list[str]
) -> None:
    client = client_in(root)
    client.prompt("hello")
    del compiled_roots[:]
    manifest = root / "squads/etl/.synapse/manifest"
    text = manifest.read_text() + "LOADING_ALWAYS_ON=true\n"
    put(root, "squads/etl/.synapse/manifest", text, LONG_AGO + 60)
    client.prompt("go on")
    assert compiled_roots
    del compiled_roots[:]
    manifest.unlink()
    client.prompt("go on now")
    assert compiled_roots


def test_who_asks_about_the_whole_tree_sees_a_file_of_a_sleeping_squad(root: Path) -> None:
    client = client_in(root)
    client.prompt("hello")
    found = plan_cache.read_plan(str(root), "")
    assert found is not None
    assert found.is_current_for(None)
    put(root, "squads/etl/.synapse/loading", "LOADING_RULE_0=Load twice\n", LONG_AGO + 60)
    assert found.is_current()
    assert not found.is_current_for(None)
