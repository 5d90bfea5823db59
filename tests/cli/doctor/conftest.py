"""A computer that the doctor looks at."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from synapse_ls.integrations import hook_registrations
from synapse_ls.integrations.client_settings import Client
from synapse_ls.integrations.hook_registrations import Registration
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.doctor import hook_trial, registration_checks
from synapse_ls.setup.doctor.hook_trial import CanaryReply
from tests.cli.doctor.asking import replace_program
from tests.forked_programs import forked_line

START = 10.0  # milliseconds that a bare interpreter takes


@pytest.fixture(autouse=True)
def computer(surroundings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A computer with ``synapse-ls`` on the search path and no client."""
    folder = tmp_path / "bin"
    folder.mkdir()
    replace_program(tmp_path, f'exec {shlex.join([sys.executable, "-m", "synapse_ls"])} "$@"')
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr(registration_checks, "SHORT_PATH", str(folder))
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    for client in CLIENTS.values():
        for name in (*client.variables, client.user_folder.variable):
            monkeypatch.delenv(name or "-", raising=False)


@pytest.fixture
def forks(computer: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The hooks and servers that the doctor starts are forks, where its line is one of ours; how long a bare
    interpreter takes to start says nothing of them, and is not measured.
    """
    monkeypatch.setattr(hook_trial, "interpreter_start", lambda _: START)
    fork = forked_line([sys.executable, "-m", "synapse_ls"])
    replace_program(tmp_path, f'exec {shlex.join(fork)} "$@"')
    for module, name in (
        (hook_trial, "probe_arguments"),
        (hook_trial, "server_arguments"),
        (hook_registrations, "server_arguments"),
    ):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *of, real=real: forked_line(real(*of)))


@pytest.fixture
def answering(
    request: pytest.FixtureRequest, computer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every hook answers with a block and is not started: for what the doctor reads of files. A test
    of these that has `forks` has its hooks started all the same.
    """
    if "forks" in request.fixturenames:
        return

    def answer(client: Client, registration: Registration, *_: object) -> CanaryReply:
        place = registration
        return CanaryReply(place.scope, place.event, 0, "<synapse-rules>", 10_000, "", START)

    monkeypatch.setattr(hook_trial, "interpreter_start", lambda _: START)
    monkeypatch.setattr(hook_trial, "send_until_read", answer)
    monkeypatch.setattr(hook_trial, "tool_obstacle", lambda *_: "")
