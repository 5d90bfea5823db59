"""Whoever is killed while several files, a session or a memory are written leaves the old or the new."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from tests.forked_programs import KillPoint, run_program
from tests.kill_points import PATIENCE, contents
from tests.memory.test_readers import CHATI
from tests.setup.migrate.trees import PLAIN, project
from tests.trees import TEAM, write_tree

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of a POSIX system"),
]
TARGETS = ["claude", "agents", "cursor", "gemini", "copilot"]
CLIENTS = ["--client", "claude", "--client", "codex", "--client", "gemini"]
POINTS = [(number, after) for number in range(4) for after in (False, True)]


class Killed:
    """A tree, a scratch home, and commands that are killed there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "team"
        self.environment = {
            "HOME": str(folder / "home"),
            "SYNAPSE_LS_CACHE": str(folder / "cache"),
            "SYNAPSE_LS_CONFIG": str(folder / "config"),
        }
        (folder / "home").mkdir()

    def run(self, *arguments: str, data: bytes = b"") -> None:
        """Runs a command to its end."""
        assert not self.kill(1_000_000, *arguments, data=data)

    def kill(self, number: int, *arguments: str, after: bool = False, data: bytes = b"") -> bool:
        """Runs a command that is killed inside its write of that ``number``, counted from 0; returns
        False where it ended before, having done all.
        """
        made = run_program(
            "synapse",
            *arguments,
            stdin=data,
            cwd=self.root,
            env={**os.environ, **self.environment},
            seconds=PATIENCE,
            killed_at=KillPoint(number, after),
        )
        return made.returncode == -signal.SIGKILL

    def fresh_copy(self, name: str) -> Path:
        copy = self.folder / name
        shutil.copytree(self.root, copy, symlinks=True)
        return copy

    def restore(self, copy: Path) -> None:
        shutil.rmtree(self.root)
        shutil.copytree(copy, self.root, symlinks=True)


@pytest.fixture
def killed(tmp_path: Path) -> Killed:
    made = Killed(tmp_path)
    write_tree(made.root, TEAM)
    return made


@pytest.mark.parametrize(
    "command",
    [["sync", *TARGETS], ["install", "--scope", "project", *CLIENTS]],
    ids=["sync", "install"],
)
def test_each_file_is_whole_and_the_next_run_writes_the_rest(
    killed: Killed, command: list[str]
) -> None:
    copy = killed.fresh_copy("copy")
    before = contents(killed.root)
    killed.run(*command)
    after = contents(killed.root)
    assert len(after) > len(before) + 1
    for number, late in POINTS:
        killed.restore(copy)
        killed.kill(number, *command, after=late)
        for path, content in contents(killed.root).items():
            assert content in (before.get(path), after.get(path)), (path, number, late)
        killed.run(*command)
        assert contents(killed.root) == after, (number, late)


def test_a_migration_is_finished_by_the_next_one(killed: Killed) -> None:
    shutil.rmtree(killed.root)
    project(killed.root, PLAIN)
    copy = killed.fresh_copy("copy")
    killed.run("migrate")
    after = contents(killed.root)
    for number, late in POINTS:
        killed.restore(copy)
        shutil.rmtree(killed.folder / "config", ignore_errors=True)
        killed.kill(3 * number, "migrate", after=late)
        killed.run("migrate")
        assert contents(killed.root) == after, (number, late)


def event(killed: Killed, prompt: str) -> bytes:
    return json.dumps(
        {
            "session_id": "one",
            "cwd": str(killed.root),
            "prompt": prompt,
            "hook_event_name": "UserPromptSubmit",
        }
    ).encode()


def test_a_session_says_what_it_said_before_or_after(killed: Killed) -> None:
    hook = ("hook", "--event", "UserPromptSubmit", "--client", "claude")
    killed.run(*hook, data=event(killed, "@dev go on"))
    file = killed.root / ".synapse/sessions/one.json"
    for number, late in POINTS:
        count = json.loads(file.read_text("utf-8"))["prompt_count"]
        killed.kill(number, *hook, after=late, data=event(killed, f"@qa look at {number} {late}"))
        found = json.loads(file.read_text("utf-8"))
        assert found["prompt_count"] in (count, count + 1)
        assert found["active_agent"]["id"] in ("dev", "qa")


def test_a_memory_is_there_or_not(killed: Killed) -> None:
    for number, late in POINTS:
        killed.kill(number, "memory", "add", f"Deploy {number} waits for QA, {late}.", after=late)
    whole = [p for p in (killed.root / ".synapse/memory").rglob("*.md") if p.is_file()]
    assert all(path.read_text("utf-8").rstrip().endswith(".") for path in whole)
    assert not any(path.stat().st_size == 0 for path in whole)


def memories(root: Path) -> int:
    return len(list((root / ".synapse/memory").rglob("mem-*.md")))


def test_memories_of_others_come_once_and_can_be_taken_back(killed: Killed) -> None:
    write_tree(killed.root, CHATI)
    copy = killed.fresh_copy("copy")
    killed.run("memory", "migrate")
    count = memories(killed.root)
    assert count
    for number, late in [(number, late) for number in range(15) for late in (False, True)]:
        killed.restore(copy)
        killed.kill(number, "memory", "migrate", after=late)
        killed.run("memory", "migrate")
        assert memories(killed.root) == count, (number, late)
        killed.run("memory", "migrate", "--rollback")
        assert memories(killed.root) == 0, (number, late)
