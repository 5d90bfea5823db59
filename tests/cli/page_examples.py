"""What the tests of pages share: the examples of a page, what their commands say, and how the page gets that.

With ``SYNAPSE_UPDATE_DOCS=1`` such a test writes what the commands say now into its page.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from synapse_ls.activation.agent_activation import TIMEOUT_VARIABLE
from synapse_ls.integrations.client_registry import HOOK_CLIENTS
from synapse_ls.integrations.hook_commands import hook_command
from synapse_ls.queries.session_lookup import SESSION_VARIABLES
from tests.forked_programs import forked_line
from tests.support import PATIENT_ACTIVATION

REPOSITORY = Path(__file__).parent.parent.parent
SHOWCASE = REPOSITORY / "tests" / "workspaces" / "showcase"
UPDATE = "SYNAPSE_UPDATE_DOCS"

posix = pytest.mark.skipif(sys.platform == "win32", reason="the examples are for a POSIX shell")
_BLOCK = re.compile(r"^(`{3,})console\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
INSTALLED = r"\"/usr/bin/python3\" -I -S \"/opt/synapse/synapse_ls/hook.py\""
_FIGURES = (  # pattern -> what the page tells: figures of this machine, and days
    (re.compile(r"\bmem-\d{4}-\d\d-\d\d-"), "mem-2026-03-02-"),
    (re.compile(r"last used \d{4}-\d\d-\d\d"), "last used 2026-03-02"),
    (re.compile(r"^(python    ).*", re.MULTILINE), r"\1/usr/bin/python3 3.12.4, starts in 7.7 ms"),
    (
        re.compile(
            r"\w+: the fastest of (\d+ calls?) took [\d.]+ ms, [\d.]+ × a bare interpreter "
            r"\([\d.]+ ms\); with what else runs here, [\d.]+ ms in the median, [\d.]+ the slowest"
        ),
        r"fast: the fastest of \1 took 25.6 ms, 2.9 × a bare interpreter (8.8 ms); "
        r"with what else runs here, 27.5 ms in the median, 29.7 the slowest",
    ),
    (
        re.compile(r"(fast: the fastest of \d+ calls) took .*(?=\n +as a command, )"),
        r"\1 took 1.2 ms, 0.16 × a bare interpreter (7.7 ms); with what else runs here, "
        r"1.5 ms in the median, 1.7 the slowest",
    ),
    (
        re.compile(r"as a command, the fastest took .*"),
        "as a command, the fastest took 25.4 ms, 3.2 × a bare interpreter (8.0 ms)",
    ),
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@cache
def blocks(page: Path) -> list[str]:
    """The examples of a page: commands behind a dollar sign, and what they say."""
    return [block for _, block in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def commands_of(block: str) -> list[str]:
    """The lines of an example that somebody types."""
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def compare_with_page(page: Path, shown: str, said: str, language: str = "console") -> None:
    """Asserts that a fenced block of a page shows what was said, or has the page show it from now on."""
    if not os.environ.get(UPDATE):
        assert said == shown
        return
    import fcntl  # only where there is a POSIX shell

    with page.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # tests of other examples write into it, too
        text = file.read().replace(f"{language}\n{shown}``", f"{language}\n{said}``", 1)
        file.seek(0)
        file.truncate()
        file.write(text)


def outputs_of_a_shell(
    commands: list[str], root: Path, variables: Mapping[str, str] | None = None
) -> list[str]:
    """What each command shows in one shell that is given all of them."""
    environment = {**outside(), "COLUMNS": "100", **(variables or {})}
    if any("--via mcp" in command for command in commands):
        environment["PATH"] = f"{add_claude(root.parent)}{os.pathsep}{environment['PATH']}"
    program = shlex.join(forked_line([sys.executable, "-m", "synapse_ls"]))
    script = [f'synapse() {{ {program} "$@"; }}', "exec 2>&1"]
    for command in commands:
        script += ["printf '\\036'", command]  # a record separator before each output
    done = subprocess.run(
        ["/bin/sh", "-c", "\n".join(script)],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        check=False,
    )
    return done.stdout.decode().split("\x1e")[1:]


def shell_transcript(commands: list[str], root: Path) -> str:
    """What one shell shows that is given the commands, with places and times as in the page."""
    return page_text(commands, outputs_of_a_shell(commands, root), root)


def page_text(commands: list[str], outputs: list[str], root: Path) -> str:
    """What a terminal shows, with places and times as in the page."""
    lines = []
    for command, output in zip(commands, outputs, strict=True):
        lines.append(f"$ {command}\n{output}")
        if output and not output.endswith("\n"):
            lines.append("\n")
    return told("".join(lines), root)


def add_claude(folder: Path) -> Path:
    """A folder with a program that says the version of Claude Code."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\necho '2.1.330 (Claude Code)'\n")
    (programs / "claude").chmod(0o755)
    return programs


def outside() -> dict[str, str]:
    """The environment as it is outside of agent clients."""
    inside = {variable for variables, _ in HOOK_CLIENTS.values() for variable in variables}
    inside.update(SESSION_VARIABLES)
    kept = {name: value for name, value in os.environ.items() if name not in inside}
    programs = os.pathsep.join((str(Path(sys.executable).parent), "/usr/local/bin:/usr/bin:/bin"))
    return {
        **kept,
        "PATH": programs,
        "SYNAPSE_LS_CONFIG": f"{kept['HOME']}/.config/synapse-ls",
        TIMEOUT_VARIABLE: PATIENT_ACTIVATION,
    }


def told(text: str, root: Path) -> str:
    """Places and times as the page tells them."""
    for place, name in (
        (str(root), "~/tillway-api"),
        (hook_command("claude", "", "local").partition(" --event")[0], INSTALLED),
    ):
        for written in (place, place.replace('"', '\\"')):
            text = text.replace(written, name)
    for pattern, figures in _FIGURES:
        text = pattern.sub(figures, text)
    return _TIME.sub("2026-03-02T09:30:00.000Z", text)
