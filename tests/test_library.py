"""The public library: what ``import synapse_ls`` has, and the examples of its page."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import synapse_ls
from tests.trees import TEAM, write_tree

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "library.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "team", TEAM)


def test_findings_have_their_place(team: Path) -> None:
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write("LOST_STATE=active\n")
    (found,) = synapse_ls.check(team, select=["SYN201"])
    lines = (team / ".synapse/manifest").read_text().splitlines()
    assert lines[found.line - 1][found.column - 1 : found.end_column - 1] in "LOST_STATE"
    assert (found.path, found.severity) == (".synapse/manifest", "warning")


def test_a_block_is_what_the_command_prints(team: Path) -> None:
    told = synapse_ls.context(team, "hello", agent="dev", remaining=50)
    printed = subprocess.run(
        [
            sys.executable,
            "-m",
            "synapse_ls",
            "context",
            "hello",
            "--agent",
            "dev",
            "--remaining",
            "50",
        ],
        cwd=team,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.block == printed.stdout
    assert told.bracket == "MODERATE"


def test_every_rule_is_accounted_for(team: Path) -> None:
    domains = {one.label: one for one in synapse_ls.explain(team).domains}
    assert domains["GLOBAL"].rules[0].rendered
    assert not domains["TESTING"].rules[0].rendered
    assert domains["TESTING"].rules[0].explanation.reason


@pytest.mark.parametrize("ask", [synapse_ls.check, synapse_ls.context, synapse_ls.explain])
def test_a_folder_without_a_tree_is_a_sentence_and_a_remedy(ask: object, tmp_path: Path) -> None:
    assert callable(ask)
    with pytest.raises(synapse_ls.UserError) as caught:
        ask(tmp_path)
    assert caught.value.sentence.endswith(".") and "synapse init" in caught.value.remedy


def test_a_rule_or_bracket_that_does_not_exist_is_named(team: Path) -> None:
    with pytest.raises(synapse_ls.UserError, match="No rule is called SYN999"):
        synapse_ls.check(team, select=["SYN999"])
    with pytest.raises(synapse_ls.UserError, match='has no bracket "WARM"'):
        synapse_ls.context(team, bracket="WARM")


def test_every_public_name_is_there_and_no_other() -> None:
    assert all(getattr(synapse_ls, name) is not None for name in synapse_ls.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(synapse_ls, "nothing")  # noqa: B009


def test_importing_the_package_imports_nothing_else() -> None:
    script = "import sys; before = set(sys.modules); import synapse_ls; print(*set(sys.modules) - before)"
    shown = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    )
    assert shown.stdout.split() == ["synapse_ls"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_page_runs(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    shutil.copytree(ROOT / "tests/workspaces/showcase", tmp_path / "showcase")
    monkeypatch.chdir(tmp_path / "showcase")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(example, "docs/library.md", "exec"), {})
    assert out.getvalue() or "check" in example  # the example tree has no findings


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 3
