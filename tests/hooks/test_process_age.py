"""How old a process says that it is."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from synapse_ls.hooks import hook_timeout


def test_it_counts_as_the_clock_has_it() -> None:
    code = "from synapse_ls.hooks.hook_timeout import process_age; print(process_age())"
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert 0 < float(done.stdout) < time.monotonic() - began + 0.02  # it knows it to 10 ms


def test_where_nobody_says_when_it_began_the_processor_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hook_timeout, "read_beginning", lambda *_: b"")
    monkeypatch.setattr(time, "process_time", lambda: 0.1)
    assert hook_timeout.process_age() == 0.1
