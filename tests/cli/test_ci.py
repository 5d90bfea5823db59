"""What is offered to pre-commit and shown for CI services is what the command line takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from synapse_ls.cli.command_parser import Parser
from synapse_ls.cli.command_table import ROWS
from synapse_ls.formats import config_file
from synapse_ls.workspace.file_kinds import SQUAD_PLACES
from synapse_ls.workspace.path_kinds import root_places

REPOSITORY = Path(__file__).parent.parent.parent
HOOKS = YAML(typ="safe").load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
GUIDE = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"(synapse (?:check|sync) .+)$", GUIDE, re.MULTILINE)


def takes(line: str) -> bool:
    program, name, *rest = shlex.split(line)
    row = ROWS[name]
    Parser(name, row.summary, row.load()).read(rest)
    return program == "synapse"


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_of_the_guide_is_one(line: str) -> None:
    assert takes(line)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_each_hook_calls_a_command(hook: dict[str, str]) -> None:
    assert takes(hook["entry"])
    assert f"id: {hook['id']}" in GUIDE


@pytest.mark.parametrize(
    "path",
    [
        ".synapse/manifest",
        "sub/.synapse/agent-dev",
        "squads/etl/squad.yaml",
        "squads/etl/.synapse/rules",
        "squads/etl/agents/loader.md",
        "docs/stories/epic-1/story-1.1.md",
        ".carl/manifest",
        "sub/chati.dev/domains/agents/dev.yaml",
        "memory/long_term/people/ana.md",
    ],
)
def test_hooks_run_for_the_files_of_a_tree(path: str) -> None:
    assert all(re.search(hook["files"], path) for hook in HOOKS)


def test_hooks_run_for_every_place() -> None:
    own = [place.path for place in root_places(config_file.parse("").document.paths)]
    squads = [f"squads/etl/{place.path}" for place in SQUAD_PLACES]
    hooks = re.compile(HOOKS[0]["files"])
    assert [p for p in (*own, *squads) if not (hooks.search(p) or hooks.search(f"{p}/"))] == []


@pytest.mark.parametrize("path", ["src/squads.py", "chati.dev/README.md", "src/memory/cache.py"])
def test_hooks_do_not_run_for_everything(path: str) -> None:
    assert not any(re.search(hook["files"], path) for hook in HOOKS)
