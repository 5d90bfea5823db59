"""``synapse profile list|show|diff|use``."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Synapse
from tests.hooks.hook_clients import Claude
from tests.trees import write_tree

CONFIG = {
    ".synapse/config.toml": """\
profile = "lean"

[profiles.lean]
extends = "synapse-live"
tag = "team-rules"
protect = ["GLOBAL"]

[profiles.lean.brackets.FRESH]
budget = 300

[profiles.lean.brackets.ROOMY]
floor = 80
budget = 3000
"""
}


def test_the_profile_in_force_is_marked(synapse: Synapse, team: Path) -> None:
    write_tree(team, CONFIG)
    done = synapse("profile", "list")
    assert (done.code, done.err) == (0, "")
    layers = [f"L{number}" for number in range(8)]
    marked = [line.split() for line in done.out.splitlines() if line.startswith("*")]
    assert marked == [["*", "lean", "synapse", *layers, "synapse-live"]]


def test_a_profile_in_full(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    write_tree(team, CONFIG)
    assert synapse("profile", "show").out == snapshot


def test_json_is_stable(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    write_tree(team, CONFIG)
    assert synapse("profile", "show", "lean", "--format", "json").json == snapshot


def test_what_two_profiles_differ_in(synapse: Synapse, team: Path) -> None:
    write_tree(team, CONFIG)
    found = synapse("profile", "diff", "synapse-live", "--format", "json").json
    assert (found["one"], found["other"]) == ("synapse-live", "lean")
    by_place = {each["at"]: (each["before"], each["after"]) for each in found["differences"]}
    assert by_place["brackets.FRESH.budget"] == (800, 300)
    assert by_place["brackets.ROOMY.floor"] == (None, 80)
    assert by_place["frame.close"] == ("\n\n</synapse-rules>", "\n\n</team-rules>")


def test_a_difference_is_short(synapse: Synapse, team: Path) -> None:
    own = '[profiles.few]\nuse_brackets = ["FRESH", "CRITICAL"]\ndrop = ["KEYWORD"]\n'
    write_tree(team, {".synapse/config.toml": own})
    rows = [line.split() for line in synapse("profile", "diff", "synapse", "few").out.splitlines()]
    assert ["brackets.MODERATE", "from", "40%", "–"] in rows
    assert ["drop", "SUMMARY", "KEYWORD", "…", "KEYWORD", "SUMMARY", "…"] in rows
    assert max(map(len, rows)) < 10


def test_a_profile_and_itself(synapse: Synapse, team: Path) -> None:
    assert synapse("profile", "diff", "synapse").out == "synapse and synapse say the same.\n"


def test_the_block_has_the_profile_s_frame_and_budget(synapse: Synapse, team: Path) -> None:
    write_tree(team, CONFIG)
    found = synapse("context", "--format", "json").json
    assert (found["bracket"], found["budget"]) == ("ROOMY", 3000)
    assert found["block"].startswith("<team-rules>\n\n[")
    assert found["block"].endswith("\n\n</team-rules>")


LONG = {".synapse/global": "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 90}\n" for i in range(60))}
OTHER_BRACKET = (
    '[profiles.own]\nextends = "synapse-live"\n[profiles.own.brackets.CRITICAL]\nbudget = 9\n'
)


def test_a_budget_of_one_bracket_leaves_the_first_block_of_another_whole(
    synapse: Synapse, team: Path
) -> None:
    write_tree(team, {".synapse/config.toml": OTHER_BRACKET, **LONG})
    live, own = (synapse("context", "--profile", name) for name in ("synapse-live", "own"))
    assert own.out == live.out and "Rule 59 " in own.out


def test_a_profile_bounds_the_first_block_by_its_own_key(synapse: Synapse, team: Path) -> None:
    bound = '[profiles.own]\nextends = "synapse-live"\nwhole_first_block = false\n'
    write_tree(team, {".synapse/config.toml": bound, **LONG})
    assert "Rule 59 " not in synapse("context", "--profile", "own").out


def test_profiles_differ_in_what_bounds_the_first_block(synapse: Synapse, team: Path) -> None:
    rows = synapse("profile", "diff", "synapse", "synapse-live").out.splitlines()
    assert ["whole_first_block", "no", "yes"] in [row.split() for row in rows]


@pytest.mark.parametrize("command", [("show", "leam"), ("diff", "leam"), ("use", "leam")])
def test_a_profile_that_does_not_exist(
    synapse: Synapse, team: Path, command: tuple[str, str]
) -> None:
    write_tree(team, CONFIG)
    done = synapse("profile", *command)
    assert done.code == 2
    assert "There is no profile" in done.err
    assert "lean" in done.err


def test_what_cannot_count_is_told(synapse: Synapse, team: Path) -> None:
    write_tree(team, {".synapse/config.toml": '[profiles.lean]\norder = ["GLOBL"]\n'})
    done = synapse("profile", "show", "lean")
    assert "There is no section `GLOBL`" in done.err


def test_a_profile_is_chosen(synapse: Synapse, team: Path) -> None:
    write_tree(team, {".synapse/config.toml": "[profiles.lean]\n"})
    assert synapse("profile", "use", "lean").code == 0
    assert (team / ".synapse/config.toml").read_text() == 'profile = "lean"\n[profiles.lean]\n'
    assert synapse("profile", "show", "--format", "json").json["name"] == "lean"


def test_a_heading_that_changes_is_told_and_the_old_one_taken_back(
    synapse: Synapse, team: Path
) -> None:
    headed = '[profiles.lean.headings]\nGLOBAL = "## House rules"\n'
    client = Claude(team)
    assert "[GLOBAL]" in client.prompt("begin")
    write_tree(team, {".synapse/config.toml": f'profile = "lean"\n{headed}'})
    told = client.prompt("go on")
    assert "## House rules\n  1. Write small functions" in told
    (team / ".synapse/global").write_text("GLOBAL_RULE_0=Another\n")
    assert "House rules: no longer applies" in client.prompt("and on")
    assert "headings" in synapse("profile", "show").out
