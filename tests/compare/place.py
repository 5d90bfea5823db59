"""A place where both programs get the same: a project, a home and the program's own folders, in a fresh
copy for each of them and at one path.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

from synapse_ls.activation.agent_activation import TIMEOUT_VARIABLE
from tests.compare.programs import REPOSITORY, ComparisonError, Program, search_path
from tests.support import PATIENT_ACTIVATION

Job = dict[str, Any]
Stamp = tuple[int, ...]

COMPARED = ("project", "home", "config")
"""The folders of a place whose files are compared. What is kept in a cache is looked at by commands
that show it.
"""
UNCOMPARED = ("project/.git/index",)
"""Files with stamps of other files."""
SECONDS = 120.0  # for one command


class Place:
    """A folder with ``project``, ``home``, ``config``, ``cache`` and ``tmp``, and the processes that
    run the programs there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "project"
        self._runners: dict[Path, subprocess.Popen[str]] = {}
        self._stamps: dict[str, Stamp] = {}

    @property
    def environment(self) -> dict[str, str]:
        """The variables that a program has here, and no others."""
        home = self.folder / "home"
        return {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "XDG_STATE_HOME": str(home / ".local" / "state"),
            "SYNAPSE_LS_CACHE": str(self.folder / "cache"),
            "SYNAPSE_LS_CONFIG": str(self.folder / "config"),
            "TMPDIR": str(self.folder / "tmp"),
            "PATH": search_path(),
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "PYTHONHASHSEED": "0",
            TIMEOUT_VARIABLE: PATIENT_ACTIVATION,
        }

    def reset(self, template: Path) -> None:
        """Makes the project a copy of a template, and empties all else."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("home", "config", "cache", "tmp"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "cache").chmod(0o700)
        shutil.copytree(template, self.project, symlinks=True)
        self._stamps = self._read_stamps()

    def run(self, program: Program, job: Job) -> Job:
        """What a program says that runs a job, once all that it has started has ended."""
        runner = self._runners.get(program.folder) or self._start_runner(program)
        assert runner.stdin and runner.stdout
        runner.stdin.write(json.dumps({**job, "seconds": SECONDS}) + "\n")
        runner.stdin.flush()
        line = runner.stdout.readline()
        if not line:
            raise ComparisonError(
                f"the program of {program.name} ended while it ran {job['name']!r}; "
                "its messages are above."
            )
        outcome: Job = json.loads(line)
        return outcome

    def _start_runner(self, program: Program) -> subprocess.Popen[str]:
        runner = subprocess.Popen(
            [program.python, "-m", "tests.compare.program_runner", str(program.hook)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=REPOSITORY,
            env={"PATH": search_path(), "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"},
            text=True,
            encoding="utf-8",
        )
        self._runners[program.folder] = runner
        return runner

    def close(self) -> None:
        """Ends the processes, and removes the folder."""
        for runner in self._runners.values():
            assert runner.stdin and runner.stdout
            runner.stdin.close()
            runner.wait()
            runner.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def take_changes(self) -> dict[str, str]:
        """The files that are new, different or gone since the last look, with what is in them now."""
        before, self._stamps = self._stamps, self._read_stamps()
        return {
            path: self._describe_file(path)
            for path in sorted(before.keys() | self._stamps.keys())
            if before.get(path) != self._stamps.get(path)
        }

    def _read_stamps(self) -> dict[str, Stamp]:
        stamps: dict[str, Stamp] = {}
        for name in COMPARED:
            for folder, _, files in os.walk(self.folder / name):
                for file in files:
                    path = os.path.join(folder, file)  # noqa: PTH118 - thousands of files
                    status = os.lstat(path)
                    key = os.path.relpath(path, self.folder)
                    if key not in UNCOMPARED:
                        stamps[key] = (
                            status.st_mtime_ns,
                            status.st_size,
                            status.st_ino,
                            status.st_mode,
                        )
        return stamps

    def _describe_file(self, path: str) -> str:
        target = self.folder / path
        try:
            mode = target.lstat().st_mode
            if stat.S_ISLNK(mode):
                return f"a link to {target.readlink()}\n"
            if not stat.S_ISREG(mode):
                return "no regular file\n"
            content = target.read_bytes().decode("utf-8", "backslashreplace")
        except FileNotFoundError:
            return "gone\n"
        return f"mode {stat.S_IMODE(mode):o}\n{content}"


def is_supported() -> bool:
    """Whether this system has the forks that commands are run in."""
    return hasattr(os, "fork") and sys.platform != "win32"
