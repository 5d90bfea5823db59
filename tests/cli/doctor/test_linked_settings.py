"""Settings behind a link out of the project: what `install` will refuse is named beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import doctor


@pytest.fixture
def elsewhere(tmp_path: Path, team: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "settings.json").write_text("{}")
    return folder


def found_links(synapse: Synapse) -> list[tuple[str, str, str]]:
    listed = doctor(synapse)["troubles"]
    return [(t["client"], t["path"], t["remedy"]) for t in listed if t["code"] == "leads-out"]


def test_a_linked_settings_file_is_named_as_install_names_it(
    synapse: Synapse, team: Path, elsewhere: Path
) -> None:
    (team / ".claude").mkdir(exist_ok=True)
    (team / ".claude/settings.json").symlink_to(elsewhere / "settings.json")
    ((client, path, remedy),) = found_links(synapse)
    assert (client, path) == ("claude", ".claude/settings.json")
    refused = synapse("install", "--client", "claude", "--scope", "project")
    assert refused.code == 2
    assert remedy in refused.err


def test_a_linked_folder_is_named_once(synapse: Synapse, team: Path, elsewhere: Path) -> None:
    (team / ".claude").symlink_to(elsewhere, target_is_directory=True)
    assert found_links(synapse) == [("claude", ".claude", "Put a folder in its place.")]
    refused = synapse("install", "--client", "claude", "--scope", "project")
    assert "Put a folder in its place." in refused.err


def test_a_link_inside_the_project_is_followed(synapse: Synapse, team: Path) -> None:
    (team / "shared").mkdir()
    (team / ".claude").symlink_to("shared", target_is_directory=True)
    assert found_links(synapse) == []
    synapse("install", "--client", "claude", "--scope", "project")
    assert "hook" in (team / "shared/settings.json").read_text()
