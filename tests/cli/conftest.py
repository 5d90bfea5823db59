"""The command line in this process, and in one of its own."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from synapse_ls.activation.agent_activation import TIMEOUT_VARIABLE
from synapse_ls.cli.check_report import CHECKOUTS
from synapse_ls.cli.main import main
from synapse_ls.queries.session_lookup import SESSION_VARIABLES
from tests.forked_programs import run_program
from tests.support import PATIENT_ACTIVATION
from tests.trees import TEAM, write_tree


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


Synapse = Callable[..., Done]


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache and a home of the test's own, and no wish about colours."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(TIMEOUT_VARIABLE, PATIENT_ACTIVATION)
    for name in (
        "NO_COLOR",
        "FORCE_COLOR",
        "COLUMNS",
        "SYNAPSE_DEBUG",
        "CLAUDECODE",
        *CHECKOUTS,
        *SESSION_VARIABLES,
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a small tree, below a path that has everything; it is where commands run."""
    root = write_tree(tmp_path / "Équipe nº 1 – プロジェクト", TEAM)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def synapse(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Synapse:
    """Runs a command in this process: ``synapse("why", "DOCS")``, standard input as ``stdin``."""

    def run(*arguments: str, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        code = main(arguments)
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return run


@pytest.fixture
def process() -> Synapse:
    """Runs a command in a process of its own."""

    def run(*arguments: str, stdin: str = "", **environment: str) -> Done:
        done = run_program(
            "synapse", *arguments, stdin=stdin.encode(), env={**os.environ, **environment}
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
