"""The examples of pages in ``docs/``, run.

``SYNAPSE_UPDATE_DOCS=1 pytest tests/cli/test_docs.py`` writes what the commands say now into them.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pytest

from synapse_ls.activation.agent_activation import TIMEOUT_VARIABLE
from synapse_ls.cli.command_table import FAMILIES, ROWS
from synapse_ls.cli.main import main
from synapse_ls.integrations.client_registry import HOOK_CLIENTS
from synapse_ls.integrations.hook_commands import hook_command
from synapse_ls.queries.session_lookup import SESSION_VARIABLES
from synapse_ls.storage.current_plan import load_plan
from tests.cli.conftest import Synapse
from tests.forked_programs import forked_line
from tests.support import PATIENT_ACTIVATION

REPOSITORY = Path(__file__).parent.parent.parent
PAGE = REPOSITORY / "docs" / "cli.md"
PAGES = (
    PAGE,
    *(
        REPOSITORY / "docs" / f"{n}.md"
        for n in (
            "activation",
            "audit",
            "carl",
            "chati",
            "clients",
            "delivery",
            "guard",
            "how-it-works",
            "mcp",
            "memory",
            "profiles",
            "sync",
            "tree",
        )
    ),
)
SHOWCASE = REPOSITORY / "tests" / "workspaces" / "showcase"
UPDATE = "SYNAPSE_UPDATE_DOCS"

posix = pytest.mark.skipif(sys.platform == "win32", reason="the examples are for a POSIX shell")
_BLOCK = re.compile(r"^(`{3,})console\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
INSTALLED = r"\"/usr/bin/python3\" -I -S \"/opt/synapse/synapse_ls/hook.py\""
_FIGURES = (  # pattern -> what the page tells: figures of this machine, and days
    (re.compile(r"\bmem-\d{4}-\d\d-\d\d-"), "mem-2026-03-02-"),
    (re.compile(r"last used \d{4}-\d\d-\d\d"), "last used 2026-03-02"),
    (re.compile(r"^(python  ).*", re.MULTILINE), r"\1/usr/bin/python3 3.12.4, starts in 7.7 ms"),
    (
        re.compile(
            r"\w+: the fastest of (\d+ calls?) took [\d.]+ ms, [\d.]+ × a bare interpreter beside it "
            r"\([\d.]+ ms\); [\d.]+ ms in the median, [\d.]+ the slowest"
        ),
        r"fast: the fastest of \1 took 25.6 ms, 2.9 × a bare interpreter beside it (8.8 ms); "
        r"27.5 ms in the median, 29.7 the slowest",
    ),
    (
        re.compile(r"(fast: the fastest of \d+ calls) took .*(?=\n +as a command, )"),
        r"\1 took 1.2 ms, 0.16 × a bare interpreter beside it (7.7 ms); 1.5 ms in the median, 1.7 the slowest",
    ),
    (
        re.compile(r"as a command, the fastest took .*"),
        "as a command, the fastest took 25.4 ms, 3.2 × a bare interpreter beside it (8.0 ms)",
    ),
)
# A command of ours alone; every other line needs a shell.
_PLAIN = re.compile(r"synapse(?:[^'\"\\|<>&;$`(){}*?~#\n]|'[^'\n]*'|\"[^\"$`\\!\n]*\")*")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@cache
def blocks(page: Path = PAGE) -> list[str]:
    return [block for _, block in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def name_of(page: Path, number: int) -> str:
    command = blocks(page)[number].partition("\n")[0].removeprefix("$ ")
    return f"{page.stem}: {command}"


def commands_of(block: str) -> list[str]:
    """The lines of an example that somebody types."""
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def needs_shell(block: str) -> bool:
    """Whether an example has more than commands of ours."""
    return not all(map(_PLAIN.fullmatch, commands_of(block)))


EXAMPLES = [
    pytest.param(
        page, number, id=name_of(page, number), marks=[pytest.mark.slow] * needs_shell(block)
    )
    for page in PAGES
    for number, block in enumerate(blocks(page))
]


@posix
@pytest.mark.parametrize(("page", "number"), EXAMPLES)
def test_an_example_says_what_the_page_says(
    page: Path, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = blocks(page)[number]
    root = tmp_path / "tillway-api"
    shutil.copytree(SHOWCASE, root, ignore=shutil.ignore_patterns("sessions"))
    commands = commands_of(block)
    if needs_shell(block):
        load_plan(str(root))  # the hook of a busy machine would otherwise leave sources for later
        outputs = outputs_of_a_shell(commands, root)
    else:
        outputs = outputs_here(commands, root, monkeypatch)
    said = page_text(commands, outputs, root)
    if os.environ.get(UPDATE):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(f"console\n{block}``", f"console\n{said}``", 1), "utf-8")
        return
    assert said == block


def outputs_here(commands: list[str], root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each command shows, in this process: that spares the start of one for each."""
    monkeypatch.chdir(root)
    environment = {**outside(), "COLUMNS": "100"}
    for name in os.environ.keys() - environment.keys():
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    outputs = []
    for command in commands:
        shown = io.StringIO()
        with redirect_stdout(shown), redirect_stderr(shown):
            main(shlex.split(command)[1:])
        outputs.append(shown.getvalue())
    return outputs


def outputs_of_a_shell(commands: list[str], root: Path) -> list[str]:
    """What each command shows in one shell that is given all of them."""
    environment = outside()
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
        env={**environment, "COLUMNS": "100"},
    )
    return done.stdout.decode().split("\x1e")[1:]


def transcript(commands: list[str], root: Path) -> str:
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
    inside = {variable for _, variables, _ in HOOK_CLIENTS.values() for variable in variables}
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


@pytest.mark.parametrize("name", [*ROWS, *FAMILIES])
def test_the_page_has_the_help_of_every_command(name: str) -> None:
    assert f"$ synapse {name} --help\n" in "".join(blocks())


FIELDS = [
    ("context", []),
    ("explain", []),
    ("why", ["GLOBAL_RULE_0"]),
    ("status", []),
    ("domains", []),
    ("check", []),
    ("rule", []),
    ("session", ["list"]),
]


@pytest.mark.parametrize(("command", "arguments"), FIELDS)
def test_the_page_has_every_field(
    synapse: Synapse, team: Path, command: str, arguments: list[str]
) -> None:
    (team / ".synapse/global").write_text("GLOBAL_RULE_0=x\nNobody is told this.\n")
    sessions = team / ".synapse/sessions"
    sessions.mkdir()
    (sessions / "broken.json").write_text("{")
    document = synapse(command, *arguments, "--format", "json").json
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## synapse {command}\n")[2]
    section = section.partition("\n## ")[0]
    fields = document[0] if isinstance(document, list) else document
    assert not [name for name in fields if f"`{name}`" not in section]


def test_the_page_lists_every_command_first() -> None:
    contents = PAGE.read_text(encoding="utf-8").partition("\n## Conventions\n")[0]
    listed = {name.rpartition(" ")[0] or name for name in ROWS}
    assert [n for n in sorted(listed) if f"(#synapse-{n.replace(' ', '-')})" not in contents] == []


def test_every_page_with_examples_is_run() -> None:
    tests = (REPOSITORY / "tests").rglob("test_*page.py")  # pages whose examples follow each other
    own = "".join(path.read_text(encoding="utf-8") for path in tests)
    pages = [page for page in (REPOSITORY / "docs").rglob("*.md") if blocks(page)]
    assert [page for page in pages if page not in PAGES and f'"{page.name}"' not in own] == []
