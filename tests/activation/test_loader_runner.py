"""Loaders run at once, each within its time."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from synapse_ls.activation import loader_runner
from synapse_ls.activation.loader_runner import (
    CRITICAL,
    FAILED,
    LATE,
    LOADED,
    Loader,
    LoaderSlot,
    UnavailableError,
    run_loaders,
)

SERVER = Path(loader_runner.__file__).parents[2]


@pytest.fixture
def never() -> Iterator[threading.Event]:
    """What a loader hangs on, until the test is over."""
    event = threading.Event()
    yield event
    event.set()


def loader(name: str, load: object, seconds: float = 60.0) -> Loader:
    return Loader(name, CRITICAL, seconds, load)  # type: ignore[arg-type]


def test_all_run_at_once() -> None:
    meeting = threading.Barrier(3, timeout=60)

    def load(slot: LoaderSlot) -> None:
        meeting.wait()
        slot.put("met")

    found = run_loaders([loader(name, load) for name in "abc"], 60.0)
    assert [one.value for one in found.values()] == ["met"] * 3
    assert {one.state for one in found.values()} == {LOADED}


def test_one_that_hangs_is_named_and_the_others_are_not_held_up(never: threading.Event) -> None:
    def hangs(slot: LoaderSlot) -> None:
        slot.put("what there was")
        never.wait()

    found = run_loaders(
        [loader("slow", hangs, 0.02), loader("fast", lambda slot: slot.put(1))], 60.0
    )
    assert found["slow"].state == LATE
    assert found["slow"].value == "what there was"
    assert "took longer than" in found["slow"].why
    assert found["slow"].seconds < 60
    assert (found["fast"].state, found["fast"].value) == (LOADED, 1)


def test_one_that_still_hangs_is_not_started_again(never: threading.Event) -> None:
    started = []

    def hangs(slot: LoaderSlot) -> None:
        started.append(1)
        never.wait()

    for _ in range(3):
        found = run_loaders([loader("stuck", hangs, 0.01)], 60.0, place="here")
    assert found["stuck"].state == LATE
    assert found["stuck"].why == "it still hangs from an earlier activation"
    assert len(started) == 1
    assert (
        run_loaders([loader("stuck", lambda slot: slot.put(2))], 60.0, place="there")["stuck"].value
        == 2
    )


def test_one_that_fails_says_why() -> None:
    def unavailable(_: LoaderSlot) -> None:
        raise UnavailableError("there is nothing")

    def breaks(slot: LoaderSlot) -> None:
        slot.put("half")
        raise ZeroDivisionError("by\nzero")

    found = run_loaders([loader("a", unavailable), loader("b", breaks)], 60.0)
    assert (found["a"].state, found["a"].why) == (FAILED, "there is nothing")
    assert (found["b"].state, found["b"].value) == (FAILED, "half")
    assert found["b"].why == "it failed (ZeroDivisionError: by zero)"


def test_the_budget_ends_all(never: threading.Event) -> None:
    found = run_loaders([loader("a", lambda _: never.wait(), 60.0)], 0.02)
    assert found["a"].state == LATE
    assert found["a"].seconds < 60


def test_a_loader_that_hangs_does_not_keep_the_process() -> None:
    code = (
        "import sys, threading; sys.path.insert(0, sys.argv[1])\n"
        "from synapse_ls.activation.loader_runner import Loader, run_loaders\n"
        "never = threading.Event()\n"
        "found = run_loaders([Loader('a', 'critical', 0.01, lambda slot: never.wait())], 1.0)\n"
        "print(found['a'].state)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(SERVER)], capture_output=True, timeout=120, check=True
    )
    assert done.stdout.strip() == b"late"
