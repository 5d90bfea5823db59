"""`synapse why` on what a nearer ``carl.json`` replaces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.trees import write_tree

FAR = "../.carl/carl.json"
HOUSE = json.dumps(
    {
        "config": {
            "context_brackets": {"FRESH": {"rules": ["House fresh"]}},
            "commands": {"ENCORE": ["House encore"]},
        },
        "domains": {"GLOBAL": {"state": "active", "rules": ["House global", "More of it"]}},
    },
    indent=1,
)
BAND = json.dumps(
    {
        "config": {
            "context_brackets": {"FRESH": {"rules": ["Own fresh"]}},
            "commands": {"ENCORE": ["Own encore"]},
        },
        "domains": {"GLOBAL": {"state": "active", "rules": ["Own global"]}},
    }
)
LINE = HOUSE[: HOUSE.index("More of it")].count("\n") + 1


@pytest.fixture(autouse=True)
def band(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree of CARL v2 below another one; it is where commands run."""
    house = write_tree(tmp_path / "house", {".carl/carl.json": HOUSE})
    monkeypatch.setenv("HOME", str(house))
    monkeypatch.chdir(write_tree(house / "band", {".carl/carl.json": BAND}))


@pytest.mark.parametrize(
    ("asked", "name", "nearer"),
    [
        ("More of it", "GLOBAL_RULE_1", "GLOBAL"),
        (f"{FAR}:{LINE}", "GLOBAL_RULE_1", "GLOBAL"),
        ("GLOBAL", f"GLOBAL ({FAR})", "GLOBAL"),
        ("GLOBAL_RULE_0", "GLOBAL_RULE_0", "GLOBAL"),
        ("House fresh", "FRESH_RULE_0", "bracket FRESH"),
        ("House encore", "ENCORE_RULE_0", "*encore"),
    ],
)
def test_which_file_replaces_it_and_what_to_do(
    synapse: Synapse, asked: str, name: str, nearer: str
) -> None:
    found = synapse("why", asked, "--format", "json").json
    (replaced,) = (one for one in found if one["file"] == FAR)
    assert (replaced["name"], replaced["rendered"]) == (name, False)
    assert replaced["reason"] == (
        f"the nearer .carl/carl.json has {nearer} too, and CARL v2 takes all of it from there"
    )
    assert replaced["remedy"] == (
        f"write into .carl/carl.json what is missing there, or take {nearer} out of that file"
    )


def test_what_counts_is_told_first(synapse: Synapse) -> None:
    found = synapse("why", "GLOBAL", "--format", "json").json
    assert [one["name"] for one in found] == ["GLOBAL", f"GLOBAL ({FAR})"]


def test_a_star_command_on_the_line_of_other_rules_is_found_alone(synapse: Synapse) -> None:
    (found,) = synapse("why", "*encore", "--format", "json").json
    assert found["text"] == "Own encore"
