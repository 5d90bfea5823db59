from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration folder of the test's own."""
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))


def test_the_tree_here_is_trusted(synapse: Synapse, team: Path) -> None:
    assert synapse("trust").out == f"{team} is trusted now.\n"
    assert synapse("trust").out == f"{team} is trusted, as before.\n"
    assert synapse("trust", "--list").out == f"{team}\n"


def test_a_folder_in_the_tree_means_the_tree(synapse: Synapse, team: Path) -> None:
    (team / "src").mkdir()
    assert synapse("trust", "src", "--format", "json").json["root"] == str(team)


def test_trust_can_be_taken_back(synapse: Synapse, team: Path) -> None:
    synapse("trust")
    assert synapse("trust", "--remove").out == f"{team} is not trusted now.\n"
    assert synapse("trust", "--list", "--format", "json").json["trusted"] == []


def test_a_tree_that_is_gone_can_be_taken_off_the_list(synapse: Synapse, team: Path) -> None:
    synapse("trust")
    (team / ".synapse").rename(team / "old")
    assert synapse("trust", str(team), "--remove").code == 0
    assert synapse("trust", "--list").out == ""


def test_a_folder_without_a_tree_is_an_error(synapse: Synapse, tmp_path: Path) -> None:
    done = synapse("trust", str(tmp_path / "home"))
    assert (done.code, done.out) == (2, "")
    assert "There is no tree in" in done.err


def test_an_error_ends_as_a_sentence(synapse: Synapse, tmp_path: Path) -> None:
    (told, _) = synapse("trust", str(tmp_path)).err.splitlines()
    assert told.endswith(".") and not told.endswith("..")


def test_a_tree_that_has_moved_is_marked_in_the_list(synapse: Synapse, team: Path) -> None:
    synapse("trust")
    (team / ".synapse").rename(team / "old")
    assert synapse("trust", "--list").out == f"{team}  no tree is there any more\n"
    document = synapse("trust", "--list", "--format", "json").json
    assert (document["trusted"], document["gone"]) == ([str(team)], [str(team)])
