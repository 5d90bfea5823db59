from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a tree; it is where commands run."""
    root = tmp_path / "a project"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


def test_the_first_tree_works_and_is_sound(synapse: Synapse, project: Path) -> None:
    done = synapse("init")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("created  .synapse/manifest\n")
    assert synapse("check").out.startswith("No findings")
    assert "[CONSTITUTION]" in synapse("context").out


def test_a_dry_run_writes_nothing(synapse: Synapse, project: Path) -> None:
    done = synapse("init", "--dry-run")
    assert "+++ b/.synapse/manifest\n" in done.out
    assert not list(project.iterdir())


def test_what_exists_stays(synapse: Synapse, project: Path) -> None:
    synapse("init")
    (project / ".synapse/global").write_text("GLOBAL_RULE_0=Mine\n")
    assert synapse("init").out == "Nothing to change.\n"
    assert (project / ".synapse/global").read_text() == "GLOBAL_RULE_0=Mine\n"


def test_another_folder_can_be_named(synapse: Synapse, project: Path) -> None:
    (project / "api").mkdir()
    assert synapse("init", "api").code == 0
    assert (project / "api/.synapse/manifest").exists()


def test_a_folder_that_does_not_exist_is_an_error(synapse: Synapse, project: Path) -> None:
    done = synapse("init", "nowhere")
    assert done.code == 2
    assert done.err.startswith("error: There is no folder ")


def test_a_tree_above_is_pointed_out(synapse: Synapse, team: Path) -> None:
    (team / "api").mkdir()
    done = synapse("init", "api", "--dry-run")
    assert f"note: {team} has a tree as well" in done.err


def test_rules_are_adopted(synapse: Synapse, project: Path) -> None:
    (project / "CLAUDE.md").write_text("# Style\n\n- Small functions\n- No dead code\n")
    done = synapse("init", "--from", "CLAUDE.md")
    assert done.code == 0
    assert "CLAUDE.md" in done.err
    assert "Small functions" in synapse("context").out


def test_without_a_name_everything_known_is_adopted(synapse: Synapse, project: Path) -> None:
    (project / "AGENTS.md").write_text("- Small functions\n")
    assert "Small functions" in synapse("init", "--dry-run", "--from").out


def test_rules_that_could_be_adopted_are_pointed_out(synapse: Synapse, project: Path) -> None:
    (project / "AGENTS.md").write_text("- Small functions\n")
    assert "note: AGENTS.md has rules already: `synapse init --from`" in synapse("init").err


def test_nothing_to_adopt_is_an_error(synapse: Synapse, project: Path) -> None:
    done = synapse("init", "--from")
    assert done.code == 2
    assert "Name a file: --from FILE." in done.err
