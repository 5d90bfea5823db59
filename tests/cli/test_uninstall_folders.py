"""What ``synapse uninstall`` does about the folders that installations have made."""

from __future__ import annotations

import shutil
import signal
import sys
from itertools import permutations, product
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.forked_programs import KillPoint, run_program
from tests.kill_points import PATIENCE

SCOPES = ("project", "local")


def folders_of(root: Path) -> list[str]:
    """The folders of a project, but for that of its tree."""
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_dir())
    return sorted(path.as_posix() for path in found if path.parts[0] != ".synapse")


@pytest.fixture
def before(team: Path) -> list[str]:
    """The folders that were there before anything was installed."""
    return folders_of(team)


@pytest.mark.parametrize("client", ["claude", "copilot"])
@pytest.mark.parametrize("order", list(permutations(SCOPES)))
def test_a_folder_goes_in_whatever_order_its_files_came(
    synapse: Synapse, team: Path, before: list[str], client: str, order: tuple[str, ...]
) -> None:
    for scope in order:
        synapse("install", "--client", client, "--scope", scope)
    synapse("uninstall")
    assert folders_of(team) == before


@pytest.mark.parametrize("client", ["claude", "copilot"])
@pytest.mark.parametrize("order", list(permutations(SCOPES)))
def test_a_folder_goes_in_whatever_order_its_files_go(
    synapse: Synapse, team: Path, before: list[str], client: str, order: tuple[str, ...]
) -> None:
    for scope in SCOPES:
        synapse("install", "--client", client, "--scope", scope)
    for scope in order:
        assert folders_of(team) != before
        synapse("uninstall", "--client", client, "--scope", scope)
    assert folders_of(team) == before


@pytest.mark.parametrize("client", ["cursor", "antigravity", "gemini", "vscode", "codex"])
def test_a_folder_goes_with_the_hooks_and_the_server_in_it(
    synapse: Synapse, team: Path, before: list[str], client: str
) -> None:
    synapse("install", "--client", client, "--mcp")
    synapse("uninstall")
    assert folders_of(team) == before


@pytest.mark.parametrize("order", list(permutations(("gemini", "antigravity"))))
def test_a_folder_of_the_user_goes_with_the_last_client_in_it(
    synapse: Synapse, team: Path, order: tuple[str, ...]
) -> None:
    for client in ("gemini", "antigravity"):
        synapse("install", "--client", client, "--scope", "user")
    for client in order:
        assert (Path.home() / ".gemini").exists()
        synapse("uninstall", "--client", client)
    assert not (Path.home() / ".gemini").exists()


def test_a_folder_goes_whose_files_came_before_this_was_recorded(
    synapse: Synapse, team: Path, before: list[str]
) -> None:
    synapse("install", "--client", "claude")
    synapse("install", "--client", "claude", "--scope", "local")
    for notes in Path.home().rglob("record.json"):
        if "settings.local.json" in notes.read_text("utf-8"):
            shutil.rmtree(notes.parent)
    synapse("uninstall")
    assert folders_of(team) == before


def test_an_empty_folder_of_a_person_goes_too(
    synapse: Synapse, team: Path, before: list[str]
) -> None:
    (team / ".claude").mkdir()
    synapse("install", "--client", "claude")
    synapse("uninstall")
    assert folders_of(team) == before


def test_a_folder_with_something_else_in_it_stays(synapse: Synapse, team: Path) -> None:
    for scope in SCOPES:
        synapse("install", "--client", "claude", "--scope", scope)
    (team / ".claude/mine.md").write_text("mine", "utf-8")
    synapse("uninstall")
    assert [path.name for path in (team / ".claude").iterdir()] == ["mine.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="the signal of a POSIX system")
@pytest.mark.parametrize("scopes", [("project",), SCOPES], ids=["one", "two"])
def test_an_uninstallation_that_is_killed_is_finished_by_the_next_one(
    synapse: Synapse, team: Path, scopes: tuple[str, ...]
) -> None:
    for number, after in product(range(4), (False, True)):
        for scope in scopes:
            synapse("install", "--client", "claude", "--scope", scope)
        point = KillPoint(number, after)
        done = run_program("synapse", "uninstall", cwd=team, seconds=PATIENCE, killed_at=point)
        assert done.returncode in (0, -signal.SIGKILL)
        synapse("uninstall")
        assert not list(team.glob(".claude/settings*")), (number, after)
