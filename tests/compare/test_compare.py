"""The comparison of two programs sees what has changed, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compare.__main__ import report_results
from tests.compare.differences import Intended, compare_answers, normalize_text
from tests.compare.place import is_supported
from tests.compare.programs import PARTS, REPOSITORY

forks = pytest.mark.skipif(not is_supported(), reason="commands are run in forks")


def copy_program(folder: Path, path: str = "", old: str = "", new: str = "") -> Path:
    """A copy of the program, with another text in one of its files."""
    for part in PARTS:
        source, target = REPOSITORY / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    if path:
        text = (folder / path).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (folder / path).write_text(text.replace(old, new), encoding="utf-8")
    return folder


def compare_with(folder: Path, *options: str) -> tuple[int, str]:
    """The exit code and the output of a comparison with the program in a folder."""
    environment = {name: text for name, text in os.environ.items() if name != "SYNAPSE_LS_CORPUS"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.compare", str(folder), *options],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


@forks
@pytest.mark.slow
def test_another_sentence_is_the_only_difference(tmp_path: Path) -> None:
    path = "server/synapse_ls/cli/shared_options.py"
    other = copy_program(tmp_path, path, "takes 0 to 100, not", "needs 0 to 100, not")
    code, said = compare_with(other, "--quick", "--only", "cli")
    assert code == 1
    assert said.startswith("\ncli showcase: context --remaining much: standard error\n")
    assert '    -error: --remaining needs 0 to 100, not "much".\n' in said
    assert '    +error: --remaining takes 0 to 100, not "much".\n' in said
    assert said.endswith("cli), 1 differences\n")


@forks
@pytest.mark.slow
def test_an_option_that_is_gone_is_named(tmp_path: Path) -> None:
    path = "server/synapse_ls/cli/rule.py"
    old = 'switch("--all", '
    other = copy_program(tmp_path, path, old, f'switch("--loud", "more"), {old}')
    code, said = compare_with(other, "--only", "inventory")
    assert code == 1
    assert "inventory options of rule: names\n    ---loud\n" in said
    assert said.endswith("inventory), 1 differences\n")


@forks
@pytest.mark.slow
def test_the_same_program_has_no_differences(tmp_path: Path) -> None:
    code, said = compare_with(copy_program(tmp_path), "--quick", "--only", "mcp")
    assert (code, said.splitlines()[-1].endswith(", 0 differences")) == (0, True), said


def test_a_listed_difference_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    found = list(compare_answers("cli", {"a": {"exit code": "0\n"}}, {"a": {"exit code": "1\n"}}))
    listed = [Intended("cli a: *", "+1", "it fails now")]
    assert report_results([("cli", 1, found)], [], listed, is_whole=True) == 0
    assert capsys.readouterr().out == "1 cases (1 cli), 0 differences, 1 intended\n"


def test_a_listed_difference_that_is_not_there_is_a_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = [Intended("cli b: *", "", "it was so")]
    assert report_results([("cli", 1, [])], [], listed, is_whole=True) == 1
    assert "'cli b: *'" in capsys.readouterr().out


def test_days_of_a_tree_are_compared() -> None:
    assert (
        normalize_text("2020-03-02T09:30:00Z 1583141400", {}) == "2020-03-02T09:30:00Z 1583141400"
    )
