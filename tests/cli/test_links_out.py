"""What a link out of the project leads to is shown by no command that reads files of the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synapse_ls.cli.check_formats import BY_NAME
from synapse_ls.queries import findings_cache
from tests.cli.conftest import Synapse

SECRET = "token=5f8a"
LEADS_OUT = "It is not read: it is a link that leads out of the project."


@pytest.fixture
def secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file outside of the project, of which a check is cached though it is new."""
    monkeypatch.setattr(findings_cache, "CLOCK_TICK", -600_000_000_000)
    file = tmp_path / "secret"
    file.write_text(f"{SECRET} \u200b\n## I. {SECRET}\n- MUST: {SECRET}\n")
    return file


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("path", [".synapse/docs", ".synapse/agent-dev", ".synapse/config.toml"])
def test_a_check_shows_no_line_behind_a_link_however_often_it_runs(
    synapse: Synapse, team: Path, secret: Path, name: str, path: str
) -> None:
    (team / path).unlink(missing_ok=True)
    (team / path).symlink_to(secret)
    runs = [synapse("check", "--format", name) for _ in range(3)]
    assert SECRET not in "".join(run.out + run.err for run in runs)
    assert runs[0] == runs[1] == runs[2] and runs[0].code == 1


def test_a_file_that_becomes_a_link_shows_no_line_of_its_target(
    synapse: Synapse, team: Path, secret: Path
) -> None:
    synapse("check")
    (team / ".synapse/docs").unlink()
    (team / ".synapse/docs").symlink_to(secret)
    done = synapse("check")
    assert LEADS_OUT in done.out
    assert SECRET not in done.out + synapse("check").out


@pytest.mark.parametrize("has_tree", [True, False])
def test_instructions_behind_a_link_are_not_checked(
    synapse: Synapse,
    team: Path,
    secret: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    has_tree: bool,
) -> None:
    if not has_tree:
        (tmp_path / "bare").mkdir()
        monkeypatch.chdir(tmp_path / "bare")
    Path("CLAUDE.md").symlink_to(secret)
    done = synapse("check", *(["CLAUDE.md"] if has_tree else []))
    assert done.code == 2
    assert f"CLAUDE.md: {LEADS_OUT}" in done.err
    assert SECRET not in done.out


@pytest.mark.parametrize("words", [("build", "--dry-run"), ("build",), ("check",)])
@pytest.mark.parametrize("path", [".aiox-core/constitution.md", ".synapse/constitution"])
def test_a_constitution_is_not_made_of_what_a_link_leads_to(
    synapse: Synapse, team: Path, secret: Path, words: tuple[str, ...], path: str
) -> None:
    source = team / ".aiox-core/constitution.md"
    source.parent.mkdir(exist_ok=True)
    source.write_text("# Constitution\n\n## I. CLI First (NON-NEGOTIABLE)\n\n- MUST: Ask.\n")
    (team / path).unlink(missing_ok=True)
    (team / path).symlink_to(secret)
    done = synapse("constitution", *words)
    assert done.code == 2
    assert f"{path}: {LEADS_OUT}" in done.err
    assert SECRET not in done.out


def test_a_first_tree_says_nothing_of_a_package_behind_a_link(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "package.json"
    scripts = {"test": "vitest", "deploy": SECRET}
    package.write_text(json.dumps({"name": SECRET, "description": SECRET, "scripts": scripts}))
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    (project / "package.json").symlink_to(package)
    synapse("init")
    rules = "".join(file.read_text() for file in (project / ".synapse").iterdir() if file.is_file())
    assert SECRET not in rules and "vitest" not in rules
