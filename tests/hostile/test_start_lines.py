"""What starts the program for others, in a hostile tree: nothing of the tree is run instead."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.hostile.asked_of_a_tree import COMMANDS, ask_editor, ask_statusline
from tests.hostile.hostile_trees import write_hostile_tree
from tests.hostile.scratch_place import ScratchPlace

REPOSITORY = Path(__file__).parents[2]
PROGRAM = str(Path(sysconfig.get_path("scripts")) / "synapse")
MODULES = ("synapse_ls", "sitecustomize", "usercustomize", "json", "asyncio", "venv", "pip", "re")
HOOKS = [
    line.removeprefix("  entry: synapse ")
    for line in (REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8").splitlines()
    if line.startswith("  entry: ")
]


@pytest.fixture
def place(tmp_path: Path) -> ScratchPlace:
    """A tree with programs and with Python modules that leave a mark when they are imported."""
    place = ScratchPlace(tmp_path / "scratch")
    write_hostile_tree(place, "named programs and git traps")
    for name in MODULES:
        mark = place.marks / f"module-{name}"
        place.write(f"{name}.py", f"open({str(mark)!r}, 'w').close()\n")
    place.write("synapse", f"#!/bin/sh\n{place.mark_line('synapse')}\n").chmod(0o755)
    return place


def start(place: ScratchPlace, line: list[str], stdin: str = "") -> list[str]:
    """Run a line in the tree; return the programs and modules of the tree that were run."""
    done = subprocess.run(
        line,
        cwd=place.project,
        env=place.environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return place.programs_run()


@pytest.mark.parametrize("entry", HOOKS)
def test_a_pre_commit_hook_runs_nothing_of_the_tree(place: ScratchPlace, entry: str) -> None:
    assert entry in {line for lines in COMMANDS.values() for line in lines}
    assert start(place, [PROGRAM, *entry.split()]) == []


def test_the_line_of_a_statusline_runs_nothing_of_the_tree(place: ScratchPlace) -> None:
    job = ask_statusline(place.project)
    assert start(place, [PROGRAM, *job["arguments"]], job["stdin"]) == []


def test_the_line_that_the_extension_starts_runs_nothing_of_the_tree(place: ScratchPlace) -> None:
    source = (REPOSITORY / "clients/vscode/src/server/launchCommand.ts").read_text(encoding="utf-8")
    assert '["-P", "-m", "synapse_ls"]' in source
    job = ask_editor(place.project)
    assert start(place, [sys.executable, "-P", "-m", "synapse_ls", "serve"], job["stdin"]) == []


def test_the_run_would_see_a_module_of_the_tree(place: ScratchPlace) -> None:
    assert start(place, [sys.executable, "-c", "import venv"]) == ["module-venv"]
