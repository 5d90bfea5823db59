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
# How GitHub runs a step of `shell: bash`.
BASH = (shutil.which("bash") or "", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c")
ACTION = YAML(typ="safe").load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


class Ran(NamedTuple):
    """What the step did."""

    code: int
    out: str
    err: str
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
        "SYNAPSE_PYTHON": sys.executable,
        "GITHUB_ACTIONS": "true",
        "SYNAPSE_LS_CACHE": str(root.parent / "cache"),
        **variables,
    }
    environment["GITHUB_ACTION_PATH"] = str(REPOSITORY)
    done = subprocess.run(
        [*BASH, ACTION["runs"]["steps"][-1]["run"]],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(
        done.returncode,
        done.stdout,
        done.stderr,
        *(p.read_text() if p.exists() else "" for p in files.values()),
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


def test_options_may_stand_on_several_lines(repository: Path) -> None:
    with (repository / ".synapse" / "manifest").open("a") as manifest:
        manifest.write("LOST_STATE=active\n")
    assert run_step(repository, SYNAPSE_ARGS="--severity hint\n--exit-zero\n").code == 0


@pytest.fixture
def branched(repository: Path) -> Path:
    """A clone of a repository whose branch `mine` has taken a rule file away."""
    with (repository / ".synapse/manifest").open("a") as manifest:
        manifest.write("OLD_STATE=active\n")
    git(repository, "commit", "-qam", "main")
    git(repository, "branch", "-M", "main")
    git(repository, "checkout", "-qb", "mine")
    (repository / ".synapse/testing").unlink()
    git(repository, "commit", "-qam", "mine")
    return repository


def clone(repository: Path, *options: str) -> Path:
    """What actions/checkout makes of a repository for the branch `mine`."""
    target = repository.parent / "clone"
    git(repository, "clone", "-q", "--branch=mine", *options, repository.as_uri(), str(target))
    return target


def test_only_what_the_change_has_brought_fails_the_step(branched: Path) -> None:
    ran = run_step(clone(branched), SYNAPSE_SINCE="origin/main")
    assert ran.code == 1
    assert "TESTING" in ran.out and "OLD has" not in ran.out


def test_a_branch_of_the_remote_alone_is_named_as_git_knows_it(branched: Path) -> None:
    ran = run_step(clone(branched), SYNAPSE_SINCE="main")
    assert ran.code == 2
    assert 'Name it "origin/main".' in ran.err


def test_a_commit_that_a_shallow_checkout_lacks_is_said_to_need_a_deep_one(branched: Path) -> None:
    ran = run_step(clone(branched, "--depth=1"), SYNAPSE_SINCE="origin/main")
    assert ran.code == 2
    assert "fetch-depth: 0" in ran.err


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


def test_a_base_that_is_not_to_be_had_is_a_warning(branched: Path) -> None:
    ran = run_step(clone(branched, "--depth=1"), SYNAPSE_BASE="0" * 40, SYNAPSE_ARGS="--exit-zero")
    assert (ran.code, ran.summary) == (0, "")
    (warning,) = (line for line in ran.out.splitlines() if line.startswith("::warning::"))
    assert "0" * 40 in warning and "fetch-depth: 0" in warning


def test_a_sarif_file_is_not_written_through_a_link_out_of_the_checkout(repository: Path) -> None:
    victim = repository.parent / "victim"
    victim.write_text("mine\n")
    (repository / "out.sarif").symlink_to(victim)
    ran = run_step(repository, SYNAPSE_SARIF="out.sarif", SYNAPSE_ARGS="--exit-zero")
    assert ran.code == 2
    assert "out.sarif: it is a link that leads out of the project" in ran.err
    assert victim.read_text() == "mine\n"


MODULES = (
    "venv", "pip", "ensurepip", "site", "sitecustomize", "usercustomize", "json", "subprocess",
    "argparse", "runpy", "encodings/__init__", "hatchling/__init__", "synapse_ls/__init__",
)  # fmt: skip


@pytest.fixture
def canary(repository: Path) -> Path:
    """A file that is made as soon as something in the checkout is run."""
    file = repository.parent / "canary"
    system = "nt" if os.name == "nt" else "posix"  # `encodings` is run before there is `open`
    for name in MODULES:
        module = repository / f"{name}.py"
        module.parent.mkdir(exist_ok=True)
        module.write_text(
            f"import {system}\n{system}.open({str(file)!r}, {os.O_CREAT | os.O_WRONLY})\n"
        )
    trap = write_tree(repository / "trap", TEAM)
    for folder in ("objects", "refs/heads"):
        (trap / folder).mkdir(parents=True)
    (trap / "HEAD").write_text("ref: refs/heads/main\n")
    run = f"echo git >> '{file}'; false"
    (trap / "config").write_text(
        f"""[core]
    repositoryFormatVersion = 0
    bare = false
    worktree = .
    sshCommand = "{run}"
    fsmonitor = "{run}"
    hooksPath = hooks
    pager = "{run}"
[credential]
    helper = "!{run}"
[protocol]
    allow = always
[remote "origin"]
    url = ssh://example.invalid/x
    fetch = +refs/heads/*:refs/remotes/origin/*
"""
    )
    return file


def test_nothing_in_the_checkout_is_run_while_the_action_installs(
    repository: Path, canary: Path
) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # Without an index pip ends where it would fetch the first library of the lock.
    ran = run_step(repository, SYNAPSE_PYTHON="", PATH=path, PYTHONPATH=".", PIP_NO_INDEX="1")
    assert (ran.code, canary.exists()) == (2, False)
    assert "attrs" in ran.err


@pytest.mark.parametrize("root", [".", "trap", "trap/.synapse"])
def test_nothing_in_the_checkout_is_run_while_the_action_checks(
    repository: Path, canary: Path, root: str
) -> None:
    asked = {"SYNAPSE_ROOT": root, "SYNAPSE_SINCE": "origin/main", "SYNAPSE_BASE": "main"}
    for variables in (asked, {**asked, "SYNAPSE_SINCE": ""}):
        run_step(repository, **variables, PYTHONPATH=".", PYTHONSTARTUP="json.py")
        assert not canary.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="scripts are for a POSIX shell")
@pytest.mark.parametrize("entry", ["{root}/bin", "bin", "{root}/../linked"])
def test_no_program_of_the_checkout_is_run_by_name(
    repository: Path, canary: Path, entry: str
) -> None:
    (repository / "bin").mkdir()
    (repository.parent / "linked").symlink_to(repository / "bin")
    for name in ("bash", "cat", "dirname", "git", "lsb_release", "mktemp", "python", "rustc"):
        program = repository / "bin" / name
        program.write_text(f"#!/bin/sh\necho {name} >> '{canary}'\n")
        program.chmod(0o755)
    first = f"{entry.format(root=repository)}{os.pathsep}{Path(sys.executable).parent}"
    path = f"{first}{os.pathsep}{os.environ['PATH']}"
    assert run_step(repository, PATH=path, SYNAPSE_BASE="HEAD").code == 0
    run_step(repository, PATH=path, SYNAPSE_PYTHON="", PIP_NO_INDEX="1")
    assert not canary.exists()


def test_what_a_rule_says_ends_no_code_of_the_summary(repository: Path) -> None:
    with (repository / ".synapse" / "global").open("a") as rules:
        rules.write("GLOBAL_RULE_9=a ```` b\x85```\x85# Approved\x0b@everybody <img src=x>\n")
    shown = run_step(repository, SYNAPSE_BASE="HEAD").summary.split("\n")
    (line,) = (line for line in shown if "@everybody" in line)
    assert line.startswith("  + GLOBAL_RULE_9") and "  `````diff" in shown


def test_every_input_reaches_the_step() -> None:
    given = " ".join(str(step) for step in ACTION["runs"]["steps"])
    assert [
        name for name in ACTION["inputs"] if f"inputs.{name} " not in given.replace("}", " ")
    ] == []
