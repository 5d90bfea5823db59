from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Synapse
from tests.trees import write_tree

SQUAD = {
    "squads/etl-squad/squad.yaml": "name: etl-squad\nversion: 1.0.0\n",
    "squads/etl-squad/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
    "squads/etl-squad/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches\n",
}


def test_the_table(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    done = synapse("domains")
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot


def test_json_is_stable(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    write_tree(team, SQUAD)
    assert synapse("domains", "--format", "json", "--squad", "etl-squad").json == snapshot


@pytest.mark.parametrize("name", ["etl-squad", "ETL_SQUAD"])
def test_one_squad(synapse: Synapse, team: Path, name: str) -> None:
    write_tree(team, SQUAD)
    [only] = synapse("domains", "--squad", name, "--format", "json").json
    assert only["label"] == "ETL_PIPELINE"


def test_a_squad_that_does_not_exist_has_near_misses(synapse: Synapse, team: Path) -> None:
    write_tree(team, SQUAD)
    done = synapse("domains", "--squad", "etl-sqad")
    assert done.code == 2
    assert "Did you mean etl-squad?" in done.err


def test_a_workspace_without_squads_says_so(synapse: Synapse, team: Path) -> None:
    assert "The workspace has no squads." in synapse("domains", "--squad", "etl").err
