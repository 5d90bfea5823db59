"""``synapse init`` where rules are served already."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.queries import findings_cache
from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor

CARL = {
    ".carl/manifest": "GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\n",
    ".carl/global": "GLOBAL_RULE_0=Never push to main.\n",
}
CHATI = {
    "chati.dev/constitution.md": "# Constitution\n\n## Article I: Tests\n\nTests first.\n",
    "chati.dev/config.yaml": "version: 1\n",
}
BRAINIAC = {"system/core_identity.md": "# Who I am\n\nA careful engineer.\n"}
SYSTEMS = [
    pytest.param(CARL, ".carl/ is served here as CARL", id="carl"),
    pytest.param(CHATI, "chati.dev/ is served here as Chati.dev", id="chati"),
    pytest.param(BRAINIAC, "system/core_identity.md is served here as Brainiac", id="brainiac"),
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize(("files", "said"), SYSTEMS)
def test_another_system_s_rules_are_never_switched_off(
    synapse: Synapse, project: Path, files: dict[str, str], said: str
) -> None:
    write(project, files)
    before = synapse("context").out
    done = synapse("init")
    assert done.code == 0 and said in done.err and "`synapse install`" in done.err
    assert "`synapse init --beside`" in done.err
    assert not (project / ".synapse").exists() and synapse("context").out == before


@pytest.mark.parametrize(("files", "said"), SYSTEMS)
def test_one_can_say_that_a_tree_is_to_stand_beside_them(
    synapse: Synapse, project: Path, files: dict[str, str], said: str
) -> None:
    write(project, files)
    done = synapse("init", "--beside")
    assert "which no longer count beside this tree" in done.err
    assert (project / ".synapse/global").exists()
    assert "SYN212 two-systems" in synapse("check").out
    assert "which are not served beside these" in synapse("status").err
    assert "two-systems" in codes(doctor(synapse))


def test_carl_s_rules_can_be_migrated(synapse: Synapse, project: Path) -> None:
    write(project, CARL)
    assert "`synapse migrate` makes a tree of it" in synapse("init").err


def test_rules_are_not_adopted_over_another_system(synapse: Synapse, project: Path) -> None:
    write(project, {**CARL, "CLAUDE.md": "- Small functions\n"})
    done = synapse("init", "--from", "CLAUDE.md")
    assert done.code == 2 and "would be served in its place" in done.err
    assert not (project / ".synapse").exists()
    assert synapse("init", "--from", "CLAUDE.md", "--beside").code == 0


def test_a_tree_that_has_rules_is_left_as_it_is(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/config.toml").unlink(missing_ok=True)
    done = synapse("init")
    assert done.out == "Nothing to change.\n" and ".synapse/ is served here" in done.err
    assert not (team / ".synapse/config.toml").exists()


@pytest.mark.parametrize("command", ["status", "domains", "context", "explain"])
def test_a_profile_that_reads_none_of_the_rules_there_is_no_reason_for_a_first_tree(
    synapse: Synapse, project: Path, command: str
) -> None:
    write(project, {**CARL, ".synapse/config.toml": 'profile = "synapse-live"\n'})
    told = synapse(command).err
    assert "the tree is empty" not in told
    assert ".carl/ belongs to CARL, and the profile in use has no rule of it" in told
    assert "none of which the profile synapse-live serves" in synapse("init").err
    assert 'write `profile = "carl"`' in synapse("check").out


def test_a_system_that_comes_beside_later_is_seen(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings_cache, "CLOCK_TICK", -600_000_000_000)  # all of it is kept
    assert "two-systems" not in synapse("check").out
    write(team, CARL)
    assert "SYN212 two-systems" in synapse("check").out


def test_the_files_of_a_person_s_work_are_no_second_system(synapse: Synapse, project: Path) -> None:
    write(project, {**CARL, ".synapse/sessions/s-1.json": "{}", ".synapse/.gitignore": "*\n"})
    assert "two-systems" not in synapse("check").out
