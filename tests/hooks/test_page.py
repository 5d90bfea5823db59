"""The page about recovery: its examples are run on what the day has left.

``SYNAPSE_UPDATE_DOCS=1`` writes what the commands say now into it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_docs import REPOSITORY, outside
from tests.forked_programs import forked_line
from tests.hooks.test_story import Day
from tests.trees import TEAM, write_tree

PAGE = REPOSITORY / "docs" / "recovery.md"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TIMES = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), "2026-03-02T09:30:00.000Z"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d"), "2026-03-02T09-30-00"),
    (re.compile(r"mem-\d{4}-\d\d-\d\d"), "mem-2026-03-02"),
    (re.compile(r"since \d{4}-\d\d-\d\d"), "since 2026-03-02"),
    (re.compile(r"prop-[0-9a-f]{8}"), "prop-1f0c2a9e"),
    (re.compile(r"duration_minutes: \d+"), "duration_minutes: 1"),  # as fast as the machine is
)


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    folder = tmp_path_factory.mktemp("page")
    (folder / "home").mkdir()
    return Day(write_tree(folder / "billing", TEAM))


def blocks() -> list[str]:
    return _BLOCK.findall(PAGE.read_text(encoding="utf-8"))


@pytest.mark.skipif(sys.platform == "win32", reason="the examples are for a POSIX shell")
@pytest.mark.parametrize("number", range(len(blocks())))
def test_an_example_says_what_the_page_says(number: int, day: Day) -> None:
    block = blocks()[number]
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    said = transcript(commands, day.root, day.root.parent)
    if os.environ.get("SYNAPSE_UPDATE_DOCS"):
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            text.replace(f"```console\n{block}```", f"```console\n{said}```", 1), "utf-8"
        )
        return
    assert said == block


def transcript(commands: list[str], root: Path, home: Path) -> str:
    """What a shell shows that is given the commands."""
    program = shlex.join(forked_line([sys.executable, "-m", "synapse_ls"]))
    script = [f'synapse() {{ {program} "$@"; }}', "exec 2>&1"]
    for command in commands:
        script += ["printf '\\036'", command]  # a record separator before each output
    environment = {**outside(), "COLUMNS": "100", "SYNAPSE_LS_CACHE": str(home / "cache")}
    done = subprocess.run(
        ["/bin/sh", "-c", "\n".join(script)],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        check=False,
    )
    outputs = done.stdout.decode().split("\x1e")[1:]
    told = "".join(f"$ {c}\n{o}" for c, o in zip(commands, outputs, strict=True))
    told = told.replace(str(root), "~/billing")
    for pattern, word in _TIMES:
        told = pattern.sub(word, told)
    return told
