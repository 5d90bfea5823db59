"""``synapse check --watch`` in a process of its own."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

SUMMARY = b"checked"
DEADLINE = 30.0  # seconds
QUIET = 1.0  # seconds in which nothing more may be said


class Watching:
    """A running ``synapse check --watch``; its standard output, report by report."""

    def __init__(self, root: Path, *options: str) -> None:
        call = [sys.executable, "-m", "synapse_ls", "check", "--watch", "--format", "concise"]
        self.process = subprocess.Popen(
            [*call, *options],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdout is not None
        self._out = self.process.stdout.fileno()
        self._seen = b""

    def report(self) -> str:
        """The next report; fails where none comes."""
        end = time.monotonic() + DEADLINE
        while SUMMARY not in self._seen or not self._seen.endswith(b"\n"):
            ready = select.select([self._out], [], [], max(0.0, end - time.monotonic()))[0]
            assert ready, f"no report came, only {self._seen!r}"
            part = os.read(self._out, 65536)
            assert part, "it has ended"
            self._seen += part
        said, self._seen = self._seen, b""
        return said.decode()

    def says_nothing(self) -> bool:
        """Whether it stays silent for a while."""
        return not select.select([self._out], [], [], QUIET)[0]


@pytest.fixture
def watching(team: Path) -> Iterator[Watching]:
    running = Watching(team)
    yield running
    running.process.kill()
    running.process.wait()


@pytest.fixture
def watching_new(team: Path) -> Iterator[Watching]:
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write("LOST_STATE=active\n")
    write = [sys.executable, "-m", "synapse_ls", "check", "--write-baseline", "known.json"]
    subprocess.run(write, cwd=team, check=True, capture_output=True)
    running = Watching(team, "--baseline", "known.json")
    yield running
    running.process.kill()
    running.process.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
def test_what_a_baseline_lists_is_hidden_in_each_report(team: Path, watching_new: Watching) -> None:
    assert watching_new.report().startswith("No new findings")
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write("FRESH_STATE=active\n")
    said = watching_new.report()
    assert "FRESH" in said and "LOST" not in said and "hidden by the baseline" in said


@pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
def test_a_change_is_told_once_and_reading_is_none(team: Path, watching: Watching) -> None:
    assert "DOCS_RECAL" not in watching.report()
    manifest = team / ".synapse/manifest"
    before = manifest.read_text()
    manifest.write_text(before + "DOCS_RECAL=x\n")
    assert "DOCS_RECAL" in watching.report()
    for path in sorted(team.rglob("*")):
        if path.is_file():
            path.read_bytes()
    assert watching.says_nothing()
    manifest.write_text(before)
    assert "DOCS_RECAL" not in watching.report()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
def test_a_tree_may_go_and_come_back(team: Path, watching: Watching) -> None:
    first = watching.report()
    (team / ".synapse").rename(team / "away")
    assert watching.report() != first
    (team / "away").rename(team / ".synapse")
    assert watching.report() == first


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_is_the_way_to_end_it(team: Path, watching: Watching) -> None:
    watching.report()
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(DEADLINE) == 0
