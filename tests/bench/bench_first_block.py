"""From the installation to the first block, by the commands of ``docs/first-block.md``: what a newcomer waits for, without
the newcomer.

    python -m tests.bench.bench_first_block

A new environment, a new home folder and a new project. pip installs this checkout (where it has no network and no cache, that
row is left out), the page's commands make a tree and register the hook with Claude Code, and the hook is run as it is
registered, with a prompt. Nobody reads, decides or types, and the client's own start is not in it:
``scripts/test-clients`` has that, with every client that it finds. The bar is 60 s in all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.measure import Figure, print_figures
from tests.clients.newcomer import install_program, steps

BAR = 60.0  # seconds
PROMPT = "Say hello"


def figures() -> Iterator[Figure]:
    """The seconds of each step, and of all."""
    with tempfile.TemporaryDirectory() as folder:
        installed = install_program(Path(folder))
        programs = installed.programs if installed else Path(sys.executable).parent
        home, project = Path(folder, "home"), Path(folder, "project")
        for made in (home, project):
            made.mkdir()
        rules = (
            project / ".github" / "copilot-instructions.md"
        )  # Claude Code does not read it itself
        rules.parent.mkdir()
        rules.write_text("# Rules\n\n- Use pnpm, never npm\n- Ask before a push\n")
        environment = {
            **os.environ,
            "HOME": str(home),
            "PATH": os.pathsep.join((str(programs), os.environ["PATH"])),
        }
        for name in ("SYNAPSE_LS_CACHE", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH"):
            environment.pop(name, None)

        def run(command: str, data: str = "") -> str:
            done = subprocess.run(
                ("/bin/sh", "-c", command),
                input=data,
                cwd=project,
                env=environment,
                capture_output=True,
                check=True,
                encoding="utf-8",
            )
            return done.stdout

        rows = [("pip install of the checkout", installed.seconds)] if installed else []
        for step in steps()[1:3]:
            rows += [(command, seconds(lambda c=command: run(c))) for command in step.commands]  # type: ignore[misc]
        line = registered_line(project)
        event = {
            "session_id": "first",
            "cwd": str(project),
            "hook_event_name": "UserPromptSubmit",
            "prompt": PROMPT,
        }
        told: list[str] = []
        rows.append(
            ("the hook as registered", seconds(lambda: told.append(run(line, json.dumps(event)))))
        )
        assert "Use pnpm, never npm" in told[0], told[0]
    for name, took in rows:
        yield Figure(name, took, "s")
    what = (
        "install → first block, the commands alone"
        if installed
        else "tree → first block, without pip"
    )
    yield Figure(what, sum(took for _, took in rows), "s", BAR)


def seconds(action: Callable[[], object]) -> float:
    """How long something takes."""
    begun = time.monotonic()
    action()
    return time.monotonic() - begun


def registered_line(project: Path) -> str:
    """The command that Claude Code would run with a prompt."""
    for name in ("settings.local.json", "settings.json"):
        file = project / ".claude" / name
        if file.is_file():
            hooks = json.loads(file.read_text(encoding="utf-8")).get("hooks", {})
            for group in hooks.get("UserPromptSubmit", ()):
                for hook in group["hooks"]:
                    return str(hook["command"])
    raise SystemExit("no hook is registered")


if __name__ == "__main__":
    raise SystemExit(print_figures(figures()))
