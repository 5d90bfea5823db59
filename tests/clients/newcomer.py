"""The first steps of a newcomer: those of ``docs/first-block.md``, with its own commands.

Here pip needs a network or a cache of its own; without either there is nothing to measure.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parent.parent.parent
PAGE = REPOSITORY / "docs" / "first-block.md"
NO_NETWORK = ("Could not find a version", "No matching distribution", "Failed to establish")


class Step(NamedTuple):
    title: str
    commands: tuple[str, ...]


def steps() -> list[Step]:
    """The steps of the page, and what it has somebody type in each."""
    _, *parts = re.split(r"^## \d\. ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = (re.findall(r"^```sh\n(.*?)^```", part, re.MULTILINE | re.DOTALL) for part in parts)
    return [
        Step(part.partition("\n")[0], tuple("".join(found).splitlines()))
        for part, found in zip(parts, blocks, strict=True)
    ]


class Installed(NamedTuple):
    """Where the newcomer's programs are, and the seconds that it took to install them: those that went
    by, and those of the processor.
    """

    programs: Path
    seconds: float
    worked: float


def worked_seconds() -> float:
    """Return the seconds of the processor of all processes that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def install_program(folder: Path) -> Installed | None:
    """Take the first step, in a new folder, with a clean virtual environment; None where pip has no network."""
    (folder / "synapse-ls").symlink_to(REPOSITORY)
    programs = folder / "env" / "bin"
    made = [sys.executable, "-m", "venv", "--without-pip", str(folder / "env")]
    subprocess.run(made, check=True)
    begun, worked = time.monotonic(), worked_seconds()
    for line in steps()[0].commands:
        # pipx does the same in an environment that it makes: here that is the client's as well.
        command = line.partition("#")[0].replace("pipx", "pip --python env/bin/python")
        done = subprocess.run(
            [sys.executable, "-m", *command.replace("~", str(folder)).split()],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
        )
        if done.returncode and any(sign in done.stderr for sign in NO_NETWORK):
            return None
        assert done.returncode == 0, done.stderr
    return Installed(programs, time.monotonic() - begun, worked_seconds() - worked)
