"""The examples of pages in ``docs/``, run.

``SYNAPSE_UPDATE_DOCS=1 ./scripts/test tests/cli/test_docs.py`` writes what the commands say now into them.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from synapse_ls.cli.command_table import ROWS
from synapse_ls.cli.main import main
from synapse_ls.storage.current_plan import load_plan
from tests.cli.conftest import Synapse
from tests.cli.page_examples import (
    REPOSITORY,
    SHOWCASE,
    blocks,
    commands_of,
    compare_with_page,
    outputs_of_a_shell,
    outside,
    page_text,
    posix,
)

PAGE = REPOSITORY / "docs" / "cli.md"
PAGES = (
    PAGE,
    *(
        REPOSITORY / "docs" / f"{n}.md"
        for n in (
            "activation",
            "administrators",
            "audit",
            "carl",
            "chati",
            "client-notes",
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
# A command of ours alone; every other line needs a shell.
_PLAIN = re.compile(r"synapse(?:[^'\"\\|<>&;$`(){}*?~#\n]|'[^'\n]*'|\"[^\"$`\\!\n]*\")*")


def name_of(page: Path, number: int) -> str:
    command = blocks(page)[number].partition("\n")[0].removeprefix("$ ")
    return f"{page.stem}: {command}"


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
    compare_with_page(page, block, said)


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
