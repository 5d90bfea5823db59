"""The examples of the README and of pages in ``docs/``, run.

``SYNAPSE_UPDATE_DOCS=1 pytest tests/cli/test_docs.py`` writes what the commands say now into them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.activation.agent_activation import TIMEOUT_VARIABLE
from synapse_ls.cli.command_table import FAMILIES, ROWS
from synapse_ls.integrations.client_registry import HOOK_CLIENTS
from synapse_ls.integrations.hook_commands import hook_command
from synapse_ls.queries.session_lookup import SESSION_VARIABLES
from synapse_ls.storage.current_plan import load_plan
from tests.cli.conftest import Synapse

REPOSITORY = Path(__file__).parent.parent.parent
PAGE = REPOSITORY / "docs" / "cli.md"
PAGES = (
    REPOSITORY / "README.md",
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
    (re.compile(r"^(python  ).*", re.MULTILINE), r"\1/usr/bin/python3 3.12.4, starts in 9.1 ms"),
    (
        re.compile(
            r"[\d.]+ ms, [\d.]+ the slowest of (\d+) calls: [\d.]+ × a bare interpreter, \w+"
        ),
        r"25.3 ms, 27.9 the slowest of \1 calls: 2.8 × a bare interpreter, fast",
    ),
    (
        re.compile(r"25\.3 ms, .*(?=\n +[\d.]+ ms as a command: )"),
        "2.2 ms, 6.1 the slowest of 10 calls: 0.19 × a bare interpreter, fast",
    ),
    (
        re.compile(r"[\d.]+ ms as a command: [\d.]+ × a bare interpreter"),
        "25.3 ms as a command: 2.8 × a bare interpreter",
    ),
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def blocks(page: Path = PAGE) -> list[str]:
    return [block for _, block in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def name_of(page: Path, number: int) -> str:
    command = blocks(page)[number].partition("\n")[0].removeprefix("$ ")
    return f"{page.stem}: {command}"


EXAMPLES = [(page, number) for page in PAGES for number in range(len(blocks(page)))]


@posix
@pytest.mark.parametrize(("page", "number"), EXAMPLES, ids=[name_of(*e) for e in EXAMPLES])
def test_an_example_says_what_the_page_says(page: Path, number: int, tmp_path: Path) -> None:
    block = blocks(page)[number]
    root = tmp_path / "tillway-api"
    shutil.copytree(SHOWCASE, root, ignore=shutil.ignore_patterns("sessions"))
    load_plan(str(root))  # the hook of a busy machine would otherwise leave sources for later
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    said = transcript(commands, root)
    if os.environ.get(UPDATE):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(f"console\n{block}``", f"console\n{said}``", 1), "utf-8")
        return
    assert said == block


def transcript(commands: list[str], root: Path) -> str:
    """What one shell shows that is given the commands, with places and times as in the page."""
    environment = outside()
    if any("--via mcp" in command for command in commands):
        environment["PATH"] = f"{add_claude(root.parent)}{os.pathsep}{environment['PATH']}"
    script = [f'synapse() {{ "{sys.executable}" -m synapse_ls "$@"; }}', "exec 2>&1"]
    for command in commands:
        script += ["printf '\\036'", command]  # a record separator before each output
    done = subprocess.run(
        ["/bin/sh", "-c", "\n".join(script)],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**environment, "COLUMNS": "100"},
    )
    outputs = done.stdout.decode().split("\x1e")[1:]
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
        TIMEOUT_VARIABLE: "60000",  # however busy the machine of the tests is
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
