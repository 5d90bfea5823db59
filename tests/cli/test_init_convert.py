"""``synapse init --convert``: copies of rules that an earlier version made go, and the tree refers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.cli.earlier_adoption import take_over

TEXT = "# Guide\n\nWelcome.\n\n- Weigh the flour twice\n- Never open the oven early\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return root


def test_copies_go_and_the_file_is_what_it_was(synapse: Synapse, project: Path) -> None:
    (project / "CLAUDE.md").write_text(TEXT)
    take_over(project, "CLAUDE.md")
    assert synapse("init", "--convert").code == 0
    assert (project / "CLAUDE.md").read_text() == TEXT
    assert not (project / ".synapse/global").exists()
    block = synapse("context").out
    assert block.count("Weigh the flour twice") == block.count("Never open the oven early") == 1
    assert synapse("check").out.startswith("No findings")


def test_rules_that_only_the_tree_has_stay(synapse: Synapse, project: Path) -> None:
    (project / "CLAUDE.md").write_text(TEXT)
    take_over(project, "CLAUDE.md")
    rules = project / ".synapse/global"
    rules.write_text(f"{rules.read_text()}GLOBAL_RULE_9=Open the oven early\n")
    synapse("init", "--convert")
    assert rules.read_text() == "GLOBAL_RULE_9=Open the oven early\n"
    assert "GLOBAL_STATE=active" in (project / ".synapse/manifest").read_text()


def test_short_rules_that_got_their_heading_and_formatting_lost_are_copies(
    synapse: Synapse, project: Path
) -> None:
    (project / "CLAUDE.md").write_text("# A\n\n## Naming\n\n- **Clear** names\n  - no prefixes\n")
    (project / ".synapse").mkdir()
    (project / ".synapse/manifest").write_text("GLOBAL_STATE=active\n")
    copied = "GLOBAL_RULE_0=Naming: Clear names; no prefixes\n"
    (project / ".synapse/global").write_text(copied)
    synapse("init", "--convert")
    assert not (project / ".synapse/global").exists()


def test_a_file_without_a_record_is_left_and_said(
    synapse: Synapse, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "CLAUDE.md").write_text(TEXT)
    take_over(project, "CLAUDE.md")
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "another-computer"))
    before = (project / "CLAUDE.md").read_text()
    done = synapse("init", "--convert")
    assert (project / "CLAUDE.md").read_text() == before
    assert "CLAUDE.md" in done.err and "no copy" in done.err
    assert "Weigh the flour twice" in (project / ".synapse/global").read_text()


def test_a_tree_without_copies_is_left_as_it_is(synapse: Synapse, team: Path) -> None:
    assert synapse("init", "--convert").out.startswith("Nothing to change")


def test_a_dry_run_converts_nothing(synapse: Synapse, project: Path) -> None:
    (project / "CLAUDE.md").write_text(TEXT)
    take_over(project, "CLAUDE.md")
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    done = synapse("init", "--convert", "--dry-run")
    assert "-GLOBAL_RULE_0=Weigh the flour twice" in done.out
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
