"""Files about a person's work that git has or would take are told, with the way out."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import doctor

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def run_git(team: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=team, check=True, capture_output=True)


def troubles(synapse: Synapse) -> list[tuple[str, str]]:
    listed = doctor(synapse)["troubles"]
    return [(t["path"], t["remedy"]) for t in listed if t["code"] == "private-files-in-git"]


def test_what_older_versions_left_is_told_until_git_ignores_it(
    synapse: Synapse, team: Path
) -> None:
    run_git(team, "init", "-q")
    folder = team / ".synapse/memory/digests"
    folder.mkdir(parents=True)
    (team / ".synapse/.gitignore").write_text("cache/\n")
    (folder / "day.md").write_text("We talked.\n")
    path = ".synapse/memory/digests/day.md"
    remedy = "Create .synapse/memory/digests/.gitignore with the line `*`."
    assert troubles(synapse) == [(path, remedy)]
    run_git(team, "add", path)
    ((_, remedy),) = troubles(synapse)
    assert remedy.startswith("Run `git rm -r --cached .synapse/memory/digests`")
    run_git(team, "rm", "-r", "-q", "--cached", ".synapse/memory/digests")
    (folder / ".gitignore").write_text("*\n")
    assert troubles(synapse) == []


def test_without_a_repository_there_is_nothing_to_tell(synapse: Synapse, team: Path) -> None:
    folder = team / ".synapse/sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.json").write_text("{}")
    assert troubles(synapse) == []
