"""What is offered to pre-commit and shown for CI services is what the command line takes."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from ruamel.yaml import YAML

from synapse_ls.cli.command_parser import Parser
from synapse_ls.formats import config_file
from synapse_ls.workspace.file_kinds import SQUAD_PLACES
from synapse_ls.workspace.path_classification import root_places
from tests.cli.conftest import Synapse
from tests.queries.test_revision import git

REPOSITORY = Path(__file__).parent.parent.parent
HOOKS = YAML(typ="safe").load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
GUIDE = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
GITLAB_PAGE = re.compile(r"^## GitLab\n.*?^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SINCE_LINES = re.compile(r"^```yaml\n((?: +- .*\n)*.*--since=\$CI_MERGE.*\n)```$", re.MULTILINE)
COMMANDS = re.findall(r"(synapse (?:check|sync) .+)$", GUIDE, re.MULTILINE)


def takes(line: str) -> bool:
    program, name, *rest = shlex.split(line)
    Parser(name).read(rest)
    return program == "synapse"


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_of_the_guide_is_one(line: str) -> None:
    assert takes(line)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_each_hook_calls_a_command(hook: dict[str, str]) -> None:
    assert takes(hook["entry"])
    assert f"id: {hook['id']}" in GUIDE


@pytest.mark.parametrize(
    "path",
    [
        ".synapse/manifest",
        "sub/.synapse/agent-dev",
        "squads/etl/squad.yaml",
        "squads/etl/.synapse/rules",
        "squads/etl/agents/loader.md",
        "docs/stories/epic-1/story-1.1.md",
        ".carl/manifest",
        "sub/chati.dev/domains/agents/dev.yaml",
        "memory/long_term/people/ana.md",
    ],
)
def test_hooks_run_for_the_files_of_a_tree(path: str) -> None:
    assert all(re.search(hook["files"], path) for hook in HOOKS)


def test_hooks_run_for_every_place() -> None:
    own = [place.path for place in root_places(config_file.parse("").document.paths)]
    squads = [f"squads/etl/{place.path}" for place in SQUAD_PLACES]
    hooks = re.compile(HOOKS[0]["files"])
    assert [p for p in (*own, *squads) if not (hooks.search(p) or hooks.search(f"{p}/"))] == []


@pytest.mark.parametrize("path", ["src/squads.py", "chati.dev/README.md", "src/memory/cache.py"])
def test_hooks_do_not_run_for_everything(path: str) -> None:
    assert not any(re.search(hook["files"], path) for hook in HOOKS)


@pytest.fixture
def job() -> dict[str, Any]:
    """The job of GitLab that the guide shows."""
    shown = GITLAB_PAGE.search(GUIDE)
    assert shown
    ((_, job),) = YAML(typ="safe").load(shown[1]).items()
    return cast("dict[str, Any]", job)


def run_job(job: dict[str, Any], root: Path) -> subprocess.CompletedProcess[str]:
    """What a runner of GitLab does with the lines of a job, but for the installation."""
    programs = root.parent / "programs"
    programs.mkdir(exist_ok=True)
    for name, text in (
        ("pip", "exit 0"),
        ("synapse", f'exec "{sys.executable}" -m synapse_ls "$@"'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-e", "-c", "\n".join(job["script"])],
        cwd=root,
        env={**os.environ, "CI_PROJECT_DIR": str(root), **job["variables"], "PATH": path},
        capture_output=True,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the job is for a POSIX shell")
def test_the_job_of_gitlab_fails_for_what_is_new_and_reports_it(
    synapse: Synapse, team: Path, job: dict[str, Any]
) -> None:
    manifest = team / ".synapse/manifest"
    manifest.write_text(manifest.read_text() + "LOST_STATE=active\n")
    synapse("check", "--write-baseline", "synapse-baseline.json")
    report = team / job["artifacts"]["reports"]["codequality"]
    assert run_job(job, team).returncode == 0
    assert json.loads(report.read_text()) == []
    manifest.write_text(manifest.read_text() + "FRESH_STATE=active\n")
    done = run_job(job, team)
    assert done.returncode == 1
    assert "FRESH" in done.stdout and "LOST" not in done.stdout
    assert [found["location"]["path"] for found in json.loads(report.read_text())] == [
        ".synapse/manifest"
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="the job is for a POSIX shell")
def test_the_job_of_gitlab_may_go_by_the_merge_request_alone(
    team: Path, job: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = SINCE_LINES.search(GUIDE)
    assert shown
    job["script"][-1:] = YAML(typ="safe").load(shown[1])
    job["script"] = [
        line.replace("--baseline synapse-baseline.json ", "") for line in job["script"]
    ]
    (team / ".synapse/manifest").write_text("OLD_STATE=active\nNEW_STATE=active\n")
    (team / ".synapse/new").write_text("NEW_RULE_0=Say why.\n")
    for words in (("init", "-q"), ("add", "-A")):
        git(team, *words)
    git(team, "commit", "-qm", "main")
    (team / ".synapse/new").unlink()
    git(team, "commit", "-qam", "mine")
    whole = run_job(job, team)
    assert "OLD has no file" in whole.stdout and "NEW has no file" in whole.stdout
    base = subprocess.run(
        ["git", "rev-parse", "HEAD~1"], cwd=team, capture_output=True, text=True, check=True
    ).stdout.strip()
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", base)
    asked = run_job(job, team)
    assert asked.returncode == 1, asked.stderr
    assert "OLD has no file" not in asked.stdout and "NEW has no file" in asked.stdout


def test_the_job_of_gitlab_has_its_report_when_it_fails(job: dict[str, Any]) -> None:
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"]["codequality"] in " ".join(job["script"])
