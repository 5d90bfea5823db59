"""What the doctor and ``synapse install`` say of a guard that a client does not ask, or cannot."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("forks"),
]
CANNOT = "Antigravity cannot ask the guard"


def set_mode(team: Path, mode: str) -> None:
    """Gives the guard of a tree a mode, and wakes all rules, so that nothing else is to be said."""
    text = f'profile = "synapse-live"\n[guard]\nmode = "{mode}"\n'
    (team / ".synapse/config.toml").write_text(text, "utf-8")


def doctor_said(synapse: Synapse, client: str) -> str:
    """What the doctor says of a client."""
    return synapse("doctor", "--client", client, "--runs", "0").out


def test_a_client_that_cannot_ask_a_guard_to_be_enforced_is_a_warning(
    synapse: Synapse, team: Path
) -> None:
    set_mode(team, "enforce")
    synapse("install", "--client", "antigravity")
    document = doctor(synapse, "--client", "antigravity")
    assert document["ok"]
    (trouble,) = [t for t in document["troubles"] if t["client"] == "antigravity"]
    assert (trouble["code"], trouble["severity"]) == ("unguarded", "warning")
    assert trouble["sentence"] == (
        f"the tree's guard is set to enforce, and {CANNOT.replace(' the guard', ' it')}: "
        "no agent is stopped there"
    )


@pytest.mark.parametrize("mode", ["warn", "off"])
def test_it_is_no_trouble_where_the_guard_does_not_enforce(
    synapse: Synapse, team: Path, mode: str
) -> None:
    set_mode(team, mode)
    synapse("install", "--client", "antigravity")
    assert codes(doctor(synapse, "--client", "antigravity"), "antigravity") == []


@pytest.mark.parametrize(("mode", "done"), [("warn", "warned"), ("enforce", "stopped")])
def test_a_client_that_cannot_ask_has_a_row(
    synapse: Synapse, team: Path, mode: str, done: str
) -> None:
    set_mode(team, mode)
    synapse("install", "--client", "antigravity")
    row = f"  guard    not asked, so no agent is {done}: Antigravity cannot ask it\n"
    assert row in doctor_said(synapse, "antigravity")


@pytest.mark.parametrize(("mode", "done"), [("warn", "warned"), ("enforce", "stopped")])
@pytest.mark.parametrize(("scope", "option"), [("project", ""), ("local", " --scope local")])
def test_a_client_that_does_not_ask_has_a_row(
    synapse: Synapse, team: Path, mode: str, done: str, scope: str, option: str
) -> None:
    set_mode(team, mode)
    synapse("install", "--client", "claude", "--no-guard", "--scope", scope)
    command = f"`synapse install --client claude{option} --guard` has it asked"
    row = f"  guard    not asked, so no agent is {done}: {command}\n"
    said = doctor_said(synapse, "claude")
    assert row in said and said.endswith("All is well.\n") == (mode == "warn")


def test_a_guard_that_is_off_has_no_row(synapse: Synapse, team: Path) -> None:
    set_mode(team, "off")
    synapse("install", "--client", "claude")
    assert "  guard " not in doctor_said(synapse, "claude")


@pytest.mark.parametrize("options", [(), ("--guard",)], ids=["default", "guard"])
@pytest.mark.parametrize(("mode", "done"), [("warn", "warned"), ("enforce", "stopped")])
def test_an_installation_says_that_a_client_cannot_ask(
    synapse: Synapse, team: Path, mode: str, done: str, options: tuple[str, ...]
) -> None:
    set_mode(team, mode)
    said = synapse("install", "--client", "antigravity", *options).err
    assert f"note: {CANNOT}: no agent is {done} there\n" in said


@pytest.mark.parametrize(
    ("mode", "options"), [("off", ()), ("enforce", ("--no-guard",))], ids=["off", "no-guard"]
)
def test_an_installation_that_is_to_ask_nobody_says_nothing_of_it(
    synapse: Synapse, team: Path, mode: str, options: tuple[str, ...]
) -> None:
    set_mode(team, mode)
    assert CANNOT not in synapse("install", "--client", "antigravity", *options).err
