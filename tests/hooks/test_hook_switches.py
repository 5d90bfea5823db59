"""Each file from which `synapse doctor` learns that a client runs no hooks is asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations.client_settings import Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.workspace import regular_files
from tests.hooks.test_git_places import decide_command, decide_write, make_tree

VARIABLES = {client.user_folder.variable for client in CLIENTS.values()} - {""}
VARIABLES |= {"CLINE_DATA_DIR", "CLINE_GLOBAL_SETTINGS_PATH", "GEMINI_CLI_TRUSTED_FOLDERS_PATH"}


def list_settings(root: Path, monkeypatch: pytest.MonkeyPatch) -> set[Path]:
    """The files that clients have hooks in, and those that are read for what keeps hooks away."""
    around = Surroundings.of_process(str(root))
    files: list[Path] = []

    def read_nothing(path: Path | str, *_: object, **__: object) -> bytes:
        files.append(Path(path))
        raise FileNotFoundError

    monkeypatch.setattr(regular_files, "read_whole", read_nothing)
    for client in CLIENTS.values():
        files += [
            client.path_of(place, around) for place in (*client.places, *client.foreign_places)
        ]
        list(client.find_troubles(client, around))
    monkeypatch.undo()
    return set(files)


@pytest.mark.parametrize("is_named", [False, True], ids=["usual", "named"])
def test_what_switches_hooks_off_is_asked_about(
    is_named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
        if is_named:
            monkeypatch.setenv(variable, str(tmp_path / "elsewhere" / variable.lower()))
    root = tmp_path / "home" / "work"
    agent = make_tree(root)
    with monkeypatch.context() as spied:
        files = list_settings(agent.root, spied)
    assert len(files) > 20
    assert {file for file in files if decide_write(agent, file) != "ask"} == set()
    assert {file for file in files if decide_command(agent, f"rm -f '{file}'") != "ask"} == set()
    assert decide_write(agent, "src/user/settings.json") == "allow"
