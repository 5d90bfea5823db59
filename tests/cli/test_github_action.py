"""What the GitHub action does in its step, on a repository; without installing anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from ruamel.yaml import YAML

from tests.queries.test_revision import git
from tests.trees import TEAM, write_tree

REPOSITORY = Path(__file__).parent.parent.parent
SCRIPT = REPOSITORY / "scripts" / "github-action"
ACTION = YAML(typ="safe").load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


class Ran(NamedTuple):
    """What the step did."""

    code: int
    out: str
    summary: str
    outputs: str


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "checkout", TEAM)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "before"]):
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", *words],
            cwd=root,
            check=True,
        )
    return root


def run_step(root: Path, **variables: str) -> Ran:
    files = {name: root.parent / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    environment = {
        **os.environ,
        **{name: str(path) for name, path in files.items()},
        "RUNNER_TEMP": str(root.parent),
        "SYNAPSE_PROGRAM": str(Path(sys.executable).parent / "synapse-ls"),
        "SYNAPSE_LS_CACHE": str(root.parent / "cache"),
        **variables,
    }
    done = subprocess.run(
        [str(SCRIPT)], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    return Ran(
        done.returncode, done.stdout, *(p.read_text() if p.exists() else "" for p in files.values())
    )


def test_findings_are_annotations_and_fail_the_step(repository: Path) -> None:
    with (repository / ".synapse" / "manifest").open("a") as manifest:
        manifest.write("LOST_STATE=active\n")
    ran = run_step(repository)
    assert ran.code == 1
    assert "title=SYN201 domain-without-file,file=.synapse/manifest,line=" in ran.out


def test_options_of_the_action_hide_what_a_baseline_lists(repository: Path) -> None:
    with (repository / ".synapse" / "manifest").open("a") as manifest:
        manifest.write("LOST_STATE=active\n")
    assert run_step(repository, SYNAPSE_ARGS="--write-baseline known.json").code == 0
    with (repository / ".synapse" / "manifest").open("a") as manifest:
        manifest.write("FRESH_STATE=active\n")
    ran = run_step(repository, SYNAPSE_ARGS="--baseline known.json")
    assert ran.code == 1
    assert "FRESH" in ran.out and "LOST" not in ran.out


def test_only_what_the_change_has_brought_fails_the_step(repository: Path) -> None:
    with (repository / ".synapse/manifest").open("a") as manifest:
        manifest.write("OLD_STATE=active\n")
    git(repository, "commit", "-qam", "main")
    git(repository, "branch", "-M", "main")
    git(repository, "checkout", "-qb", "mine")
    assert run_step(repository, SYNAPSE_SINCE="main").code == 0
    (repository / ".synapse/testing").unlink()
    git(repository, "commit", "-qam", "mine")
    shallow = repository.parent / "shallow"
    clone = ("clone", "-q", "--depth=1", "--branch=mine", repository.as_uri(), str(shallow))
    git(repository, *clone)
    for name in ("main", "origin/main"):
        ran = run_step(shallow, SYNAPSE_SINCE=name)
        assert ran.code == 1
        assert "TESTING" in ran.out and "OLD has" not in ran.out
    assert run_step(shallow, SYNAPSE_SINCE="nowhere").code == 2


def test_the_summary_says_what_the_change_does_to_the_blocks(repository: Path) -> None:
    with (repository / ".synapse" / "global").open("a") as rules:
        rules.write("GLOBAL_RULE_9=Never log a token.\n")
    ran = run_step(repository, SYNAPSE_BASE="HEAD")
    comment = Path(ran.outputs.removeprefix("comment-file=").strip())
    assert "GLOBAL_RULE_9" in ran.summary
    assert comment.read_text() == ran.summary


def test_without_a_base_there_is_no_comment(repository: Path) -> None:
    ran = run_step(repository, SYNAPSE_ARGS="--exit-zero")
    assert (ran.code, ran.summary) == (0, "")


def test_findings_may_go_to_code_scanning(repository: Path) -> None:
    run_step(repository, SYNAPSE_SARIF="out.sarif", SYNAPSE_ARGS="--exit-zero")
    assert '"version": "2.1.0"' in (repository / "out.sarif").read_text()


def test_a_base_that_is_not_to_be_had_is_a_warning(repository: Path) -> None:
    ran = run_step(repository, SYNAPSE_BASE="0" * 40, SYNAPSE_ARGS="--exit-zero")
    assert ran.code == 0
    assert "::warning::The commit 0000" in ran.out


def test_every_input_reaches_the_step() -> None:
    given = " ".join(str(step) for step in ACTION["runs"]["steps"])
    assert [
        name for name in ACTION["inputs"] if f"inputs.{name} " not in given.replace("}", " ")
    ] == []
