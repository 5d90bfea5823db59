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
    assert done.code == 0
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


def test_a_folder_that_does_not_exist_is_created(synapse: Synapse, project: Path) -> None:
    assert synapse("init", "new/api", "--dry-run").code == 0
    assert not (project / "new").exists()
    assert synapse("init", "new/api").code == 0
    assert (project / "new/api/.synapse/manifest").exists()


def test_a_file_is_no_place_for_a_tree(synapse: Synapse, project: Path) -> None:
    (project / "notes").write_text("")
    assert "is a file, not a folder." in synapse("init", "notes").err


def test_the_next_steps_are_told(synapse: Synapse, project: Path) -> None:
    told = synapse("init").err
    assert "`synapse check`" in told
    assert "`synapse install`" in told
    assert "next" not in synapse("init", "--dry-run").err


def test_a_registered_hook_is_no_next_step(synapse: Synapse, project: Path) -> None:
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text(
        '{"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "synapse hook"}]}]}}'
    )
    assert "`synapse install`" not in synapse("init").err


def test_a_file_without_rules_is_an_error_that_says_what_to_do(
    synapse: Synapse, project: Path
) -> None:
    (project / "CLAUDE.md").write_text("")
    done = synapse("init", "--from", "CLAUDE.md")
    assert (done.code, done.out) == (2, "")
    assert "There are no rules in CLAUDE.md." in done.err
    assert "`synapse init`" in done.err


def test_a_carl_tree_is_named(synapse: Synapse, project: Path) -> None:
    (project / ".carl").mkdir()
    (project / ".carl/manifest").write_text("GLOBAL_STATE=active\n")
    for arguments in (("--from", ".carl"), ("--from",)):
        done = synapse("init", *arguments)
        assert done.code == 2
        assert ".carl/ is a CARL tree (manifest)" in done.err
        assert "Run `synapse migrate`" in done.err
    assert ".carl/ is served here as CARL" in synapse("init").err


def test_a_folder_without_rule_files_is_an_error(synapse: Synapse, project: Path) -> None:
    (project / "empty").mkdir()
    assert "The folder empty has no rule files" in synapse("init", "--from", "empty").err


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
