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


CHANGES = {
    "server/synapse_ls/cli/rule.py": (
        'switch("--all", ',
        'switch("--loud", "more"), switch("--all", ',
    ),
    "server/synapse_ls/mcp/server.py": ("=INSTRUCTIONS,", '="Look. " + INSTRUCTIONS,'),
}
"""What the other program has in place of our text, by file."""


def copy_program(folder: Path) -> Path:
    """A copy of the program with the changes."""
    for part in PARTS:
        source, target = REPOSITORY / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    for path, (ours, other) in CHANGES.items():
        text = (folder / path).read_text(encoding="utf-8")
        assert text.count(ours) == 1
        (folder / path).write_text(text.replace(ours, other), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str]:
    """The exit code and the output of a comparison with the changed program."""
    folder = copy_program(tmp_path_factory.mktemp("other"))
    environment = {name: text for name, text in os.environ.items() if name != "SYNAPSE_LS_CORPUS"}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.compare", str(folder), "--quick"),
            *("--only", "inventory", "--only", "mcp"),
        ],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


@forks
@pytest.mark.slow
def test_a_text_that_a_server_says_in_other_words_is_shown(comparison: tuple[int, str]) -> None:
    _, said = comparison
    assert ": initialize: " in said
    assert "Look. " in next(line for line in said.splitlines() if line.startswith("    -"))


@forks
@pytest.mark.slow
def test_an_option_that_is_gone_is_named(comparison: tuple[int, str]) -> None:
    assert "inventory options of rule: names\n    ---loud\n" in comparison[1]


@forks
@pytest.mark.slow
def test_nothing_but_what_has_changed_differs(comparison: tuple[int, str]) -> None:
    code, said = comparison
    assert (code, said.endswith("), 2 differences\n")) == (1, True), said


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
