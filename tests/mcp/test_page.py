"""``docs/mcp.md`` says what there is, and its program says what stands below it.

``SYNAPSE_UPDATE_DOCS=1`` writes what the program says now.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from synapse_ls.integrations.client_settings import PROJECT, USER, SettingsPlace
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.mcp.resources import RESOURCE_FAMILIES
from synapse_ls.mcp.server import TOOLS
from tests.cli.page_examples import REPOSITORY, SHOWCASE, compare_with_page, outside, posix

PAGE = REPOSITORY / "docs/mcp.md"
TEXT = PAGE.read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    lines = TEXT.partition(f"\n## {heading}\n")[2].splitlines()
    table = [line for line in lines if line.startswith("|")]
    end = next(n for n, line in enumerate(lines) if line.startswith("|")) + len(table)
    assert end
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_the_page_has_every_tool_and_what_it_needs() -> None:
    told = {row[0].strip("`"): row[1].replace("`", "") for row in rows("Tools") if len(row) == 3}
    needed = {
        tool.name: ", ".join(field.name for field in tool.arguments if field.required)
        for tool in TOOLS.values()
    }
    assert {name: told.get(name) for name in needed} == needed


def test_the_page_has_every_resource() -> None:
    told = {row[0].strip("`") for row in rows("Resources")}
    assert {family.template for family in RESOURCE_FAMILIES} <= told


def test_the_page_has_the_files_of_every_client() -> None:
    told = {row[0]: row[1:] for row in rows("Registering it") if row[0] not in TOOLS}
    for client in CLIENTS.values():
        title = client.title.replace(" Copilot Chat", "")
        for number, scope in enumerate((PROJECT, USER)):
            place = client.servers.place(scope) if client.servers is not None else None
            if place is not None:
                assert told[title][number] == f"`{_shown(client.user_folder.path, place)}`"


def _shown(home: str, place: SettingsPlace) -> str:
    return place.path if place.scope == PROJECT else f"~/{home}/{place.path}"


@posix
def test_the_program_says_what_the_page_says(tmp_path: Path) -> None:
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", TEXT, re.DOTALL)
    assert found
    root = tmp_path / "tillway-api"
    shutil.copytree(SHOWCASE, root, ignore=shutil.ignore_patterns("sessions"))
    done = subprocess.run(
        [sys.executable, "-c", found[1]], cwd=root, env=outside(), capture_output=True, check=True
    )
    compare_with_page(PAGE, found[2], done.stdout.decode(), "text")
