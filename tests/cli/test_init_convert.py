"""``synapse init --convert``: copies of rules that an earlier version made go, and the tree refers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse

TEXT = "# Guide\n\nWelcome.\n\n- Weigh the flour twice\n- Never open the oven early\n"


def copy_rules(root: Path) -> None:
    """Copy the list items of CLAUDE.md into a tree, as an earlier version did."""
    rules = [line[2:] for line in TEXT.splitlines() if line.startswith("- ")]
    header = "# Domains taken over from CLAUDE.md.\n#\n"
    (root / "CLAUDE.md").write_text(TEXT)
    (root / ".synapse").mkdir()
    (root / ".synapse/manifest").write_text(f"{header}GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\n")
    texts = (f"GLOBAL_RULE_{number}={rule}\n" for number, rule in enumerate(rules))
    (root / ".synapse/global").write_text("".join(texts))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return root


def test_copies_go_and_the_tree_refers_to_the_file(synapse: Synapse, project: Path) -> None:
    copy_rules(project)
    assert synapse("init", "--convert").code == 0
    assert (project / "CLAUDE.md").read_text() == TEXT
    assert not (project / ".synapse/global").exists()
    block = synapse("context").out
    assert block.count("Weigh the flour twice") == block.count("Never open the oven early") == 1
    assert synapse("check").out.startswith("No findings")


def test_rules_that_only_the_tree_has_stay(synapse: Synapse, project: Path) -> None:
    copy_rules(project)
    rules = project / ".synapse/global"
    rules.write_text(f"{rules.read_text()}GLOBAL_RULE_9=Open the oven early\n")
    synapse("init", "--convert")
    assert rules.read_text() == "GLOBAL_RULE_9=Open the oven early\n"
    assert "GLOBAL_STATE=active" in (project / ".synapse/manifest").read_text()


def test_rules_that_lost_their_formatting_are_copies(synapse: Synapse, project: Path) -> None:
    (project / "CLAUDE.md").write_text("# A\n\n## Naming\n\n- **Clear** names\n  - no prefixes\n")
    (project / ".synapse").mkdir()
    (project / ".synapse/manifest").write_text("GLOBAL_STATE=active\n")
    copied = "GLOBAL_RULE_0=Clear names\nGLOBAL_RULE_1=no prefixes\n"
    (project / ".synapse/global").write_text(copied)
    synapse("init", "--convert")
    assert not (project / ".synapse/global").exists()


@pytest.mark.parametrize("name", ["global", "manifest"])
def test_what_a_link_leads_to_is_no_copy(synapse: Synapse, project: Path, name: str) -> None:
    copy_rules(project)
    rules = project / ".synapse" / name
    text = rules.read_text()
    rules.rename(project / "mine.txt")
    rules.symlink_to("../mine.txt")
    synapse("init", "--convert")
    assert rules.is_symlink()
    assert (project / "mine.txt").read_text() == text


def test_a_tree_without_copies_is_left_as_it_is(synapse: Synapse, team: Path) -> None:
    assert synapse("init", "--convert").out.startswith("Nothing to change")


def test_a_dry_run_converts_nothing(synapse: Synapse, project: Path) -> None:
    copy_rules(project)
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    done = synapse("init", "--convert", "--dry-run")
    assert "-GLOBAL_RULE_0=Weigh the flour twice" in done.out
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
