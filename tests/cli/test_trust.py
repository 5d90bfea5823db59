from __future__ import annotations

import json
import os
import subprocess
import sys
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


def test_a_folder_of_rules_is_named_beside_its_tree(synapse: Synapse, team: Path) -> None:
    assert synapse("trust", ".synapse").out == f"{team} is trusted now.\n"
    assert synapse("trust", "--list").out == f"{team}\n{team}/.synapse\n"
    synapse("trust", "--remove")
    assert synapse("trust", "--list").out == ""


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


def test_a_folder_that_is_not_there_is_not_the_tree_around_it(synapse: Synapse, team: Path) -> None:
    done = synapse("trust", "nodir")
    assert (done.code, done.err.splitlines()[0]) == (2, f"error: There is no folder {team}/nodir.")
    assert synapse("trust", "--list").out == ""


def test_an_error_ends_as_a_sentence(synapse: Synapse, tmp_path: Path) -> None:
    (told, _) = synapse("trust", str(tmp_path)).err.splitlines()
    assert told.endswith(".") and not told.endswith("..")


def test_a_tree_that_has_moved_is_marked_in_the_list(synapse: Synapse, team: Path) -> None:
    synapse("trust")
    (team / ".synapse").rename(team / "old")
    assert synapse("trust", "--list").out == f"{team}  no tree is there any more\n"
    document = synapse("trust", "--list", "--format", "json").json
    assert (document["trusted"], document["gone"]) == ([str(team)], [str(team)])


def ask(words: list[str], answer: str, root: Path, tmp_path: Path) -> str:
    """What a command shows at a terminal where a person gives this answer."""
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "synapse_ls", *words],
        cwd=root,
        env={**os.environ, "SYNAPSE_LS_CONFIG": str(tmp_path / "config"), "TERM": "dumb"},
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    ) as child:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        out, _ = child.communicate()
    os.close(ours)
    return str(out)


on_terminals = pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")


@on_terminals
def test_a_person_is_asked_before_a_tree_is_trusted(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    assert ask(["trust"], "", team, tmp_path) == f"{team} is not trusted, as before.\n"
    declined = json.loads(ask(["trust", "--format", "json"], "n", team, tmp_path))
    assert not declined["trusted"] and not declined["changed"]
    assert synapse("trust", "--list").out == ""
    assert ask(["trust"], "y", team, tmp_path) == f"{team} is trusted now.\n"
    assert ask(["trust", "--remove"], "", team, tmp_path) == f"{team} is not trusted now.\n"
    assert ask(["trust", "--yes"], "", team, tmp_path) == f"{team} is trusted now.\n"


@on_terminals
def test_a_person_sees_the_files_before_they_are_pinned(team: Path, tmp_path: Path) -> None:
    refused = ask(["trust", "--pin"], "n", team, tmp_path)
    assert "new      .synapse/manifest\n" in refused and refused.endswith("Nothing was pinned.\n")
    assert "is pinned now, with" in ask(["trust", "--pin"], "yes", team, tmp_path)


def test_what_differs_from_the_pin_is_shown_by_name(synapse: Synapse, team: Path) -> None:
    synapse("trust", "--pin", "--yes")
    (team / ".synapse/global").write_text("GLOBAL_RULE_0=Answer in Dutch.\n")
    (team / ".synapse/odd name").write_text("ODD_RULE_0=x\n")
    (team / ".synapse/context").unlink(missing_ok=True)
    note = synapse("trust").err
    assert ".synapse/global (changed)" in note and "“.synapse/odd name” (new)" in note
    document = synapse("trust", "--pin", "--yes", "--format", "json").json
    assert document["pinned"] and document["changed_files"] == [".synapse/global"]
    assert document["new_files"] == [".synapse/odd name"]
    assert not synapse("trust", "--pin", "--yes", "--format", "json").json["changed"]


def test_pinned_trees_are_listed(synapse: Synapse, team: Path) -> None:
    synapse("trust", "--pin", "--yes")
    assert synapse("trust", "--list").out == f"{team}  pinned\n"
    synapse("trust", "--remove")
    assert synapse("trust", "--list").out == f"{team}  pinned  not trusted\n"
    assert synapse("trust", "--unpin").out == f"{team} is not pinned now.\n"
    assert synapse("trust", "--list").out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="rights of POSIX")
def test_a_pin_is_its_users_alone(synapse: Synapse, team: Path, tmp_path: Path) -> None:
    synapse("trust", "--pin", "--yes")
    pins = tmp_path / "config" / "pins"
    assert {p.stat().st_mode & 0o777 for p in pins.iterdir()} == {0o600}
    pins.chmod(0o777)
    done = synapse("trust", "--pin", "--yes")
    assert done.code == 2 and "others may write to its pin" in done.err
