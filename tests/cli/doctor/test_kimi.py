"""Kimi Code, whose only settings are tables of TOML in the user's folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import doctor

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("forks"),
]

INSTALL = ("install", "--client", "kimi", "--scope", "user", "--trust")


@pytest.fixture
def config(surroundings: None) -> Path:
    """The settings of a user who has tried the client."""
    file = Path(os.environ["HOME"], ".kimi-code/config.toml")
    file.parent.mkdir()
    file.write_text("default_model = 'k2'\n")
    return file


def test_hook_and_guard_answer(synapse: Synapse, team: Path, config: Path) -> None:
    synapse(*INSTALL)
    document = doctor(synapse, "--client", "kimi")
    (patient,) = document["clients"]
    assert document["ok"] and patient["canary"]["scope"] == "user"
    assert patient["guard"] == [{"scope": "user", "ok": True}]
    assert {one["path"] for one in patient["registrations"]} == {"~/.kimi-code/config.toml"}


def test_the_command_that_registers_it_names_the_scope(
    synapse: Synapse, team: Path, config: Path
) -> None:
    (trouble,) = doctor(synapse, "--client", "kimi")["troubles"]
    assert trouble["code"] == "not-registered"
    assert trouble["remedy"] == "Run `synapse install --client kimi --scope user`."


def test_the_list_of_clients_has_the_same_command(
    synapse: Synapse, team: Path, config: Path
) -> None:
    done = synapse("doctor", "--client", "kimi", "--runs", "0")
    assert (
        "not registered (it has settings of the user): `synapse install --client kimi --scope user`"
        in done.out
    )


def test_hooks_of_others_are_listed_with_their_line(
    synapse: Synapse, team: Path, config: Path
) -> None:
    with config.open("a") as file:
        file.write('[[hooks]]\nevent = "UserPromptSubmit"\ncommand = "./mine"\n')
    synapse(*INSTALL)
    (patient,) = doctor(synapse, "--client", "kimi")["clients"]
    (rival,) = patient["rivals"]
    place = (rival["path"], rival["line"], rival["command"])
    assert place == ("~/.kimi-code/config.toml", 4, "./mine")


def test_another_engine_is_named_with_the_command_that_takes_its_place(
    synapse: Synapse, team: Path, config: Path
) -> None:
    with config.open("a") as file:
        file.write('[[hooks]]\nevent = "UserPromptSubmit"\ncommand = "node synapse-engine.js"\n')
    (team / "synapse-engine.js").write_text("")
    synapse(*INSTALL)
    (trouble,) = doctor(synapse, "--client", "kimi")["troubles"]
    assert (trouble["code"], trouble["path"]) == ("rival-engine", "~/.kimi-code/config.toml")
    assert "synapse install --client kimi --scope user --replace --trust" in trouble["remedy"]


def test_tables_that_cannot_be_read_are_named_with_their_place(
    synapse: Synapse, team: Path, config: Path
) -> None:
    synapse(*INSTALL)
    config.write_text(f"{config.read_text()}\n[models\n")
    line = config.read_text().count("\n")
    troubles = doctor(synapse, "--client", "kimi")["troubles"]
    (trouble,) = [one for one in troubles if one["code"] == "broken-settings"]
    assert f"~/.kimi-code/config.toml:{line}:" in trouble["sentence"]
