"""The table of what clients read by themselves, against what stands in their requests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synapse_ls.formats.instruction_scopes import front_matter, read_scope
from synapse_ls.text.path_globs import first_matching_path
from synapse_ls.workspace.instruction_readers import ProjectReaders
from tests.clients.client import program
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.registry import CLIENTS

FOUND = [name for name in CLIENTS if program(name)]
USED = "src/deep/app.py"
FRONT = {
    ".claude/rules/scoped.md": "paths: src/deep/**",
    ".claude/rules/other.md": "paths: docs/**",
    ".github/instructions/all.instructions.md": "applyTo: '**'",
    ".github/instructions/scoped.instructions.md": "applyTo: 'src/**'",
    ".cursor/rules/always.mdc": "alwaysApply: true",
    ".windsurf/rules/always.md": "trigger: always_on",
    ".kiro/steering/always.md": "inclusion: always",
}
PATHS = (
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md", "CLAUDE.local.md", ".claude/CLAUDE.md"),
    *("src/AGENTS.md", "src/CLAUDE.md", "src/GEMINI.md", "docs/AGENTS.md", "docs/CLAUDE.md"),
    *(".github/copilot-instructions.md", ".cursorrules", ".windsurfrules", "CONVENTIONS.md"),
    *(".claude/rules/always.md", ".clinerules/always.md", ".kilo/rules/always.md"),
    *(".agents/rules/always.md", "docs/imported.md"),
    *FRONT,
)
OWN_OF_CLAUDE = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
WITHOUT_AGENTS = ("AGENTS.md", "src/AGENTS.md")
WITHOUT_CLAUDE = (*OWN_OF_CLAUDE, "src/CLAUDE.md", "docs/CLAUDE.md")
READERS = {
    WITHOUT_AGENTS: ("codex", "copilot", "opencode", "kilo", "cline"),
    WITHOUT_CLAUDE: ("claude", "copilot"),
}
"""The clients that read one of these files, and may read another in its place."""
CASES = [
    *((name, ()) for name in FOUND or CLIENTS),
    *((name, absent) for absent, names in READERS.items() for name in names if name in FOUND),
]


def mark(path: str) -> str:
    return "Q" + "".join(c if c.isalnum() else "x" for c in path) + "Z"


def expected(project: Path, client: str, path: str, *, is_used: bool) -> bool:
    """Whether the table has the client apply the file, before or after it used a file."""
    readers = dict(ProjectReaders(str(project)).readers(path))
    scope = read_scope(path, front_matter((project / path).read_text()))
    if client not in readers:
        return False
    if not readers[client] or scope.always:
        return True
    return is_used and bool(first_matching_path(scope.paths, (USED,)))


@pytest.mark.parametrize(("name", "absent"), CASES)
def test_a_client_applies_by_itself_what_the_table_says(
    name: str, absent: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    if not FOUND:
        pytest.skip("there is no client in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for them")
    paths = [path for path in PATHS if path not in absent]
    with Model() as model:
        place = Place(tmp_path_factory.mktemp(name), model, {})
        for path in (*paths, USED):
            front = f"---\n{FRONT[path]}\n---\n\n" if path in FRONT else ""
            imported = "\n@docs/imported.md\n" if path in ("CLAUDE.md", "GEMINI.md") else ""
            (place.project / path).parent.mkdir(parents=True, exist_ok=True)
            (place.project / path).write_text(f"{front}# T\n\n- Say {mark(path)}.\n{imported}")
        (place.project / ".git").mkdir()
        client = client_of(name, place)
        tool, arguments = client.tool()
        text = json.dumps(arguments).replace(".synapse/docs", USED)
        model.will_call(tool, **json.loads(text))
        client.ask("Say hello")
        first, last = model.turns[0].text, model.turns[-1].text
        seen = {path: (mark(path) in first, mark(path) in last) for path in paths}
        wanted = {
            path: tuple(
                expected(place.project, name, path, is_used=is_used) for is_used in (False, True)
            )
            for path in paths
        }
        assert seen == wanted


@pytest.mark.parametrize("agent", ["Explore", "Plan", "general-purpose"])
def test_a_sub_agent_of_claude_code_has_the_rules_once(
    agent: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rule = "Answer in rhymes"
    with Model() as model:
        place = Place(tmp_path_factory.mktemp("claude"), model, {})
        (place.project / "CLAUDE.md").write_text(f"- {rule}\n")
        (place.project / ".synapse").mkdir()
        (place.project / ".synapse/config.toml").write_text('[[adopted]]\npath = "CLAUDE.md"\n')
        client = client_of("claude", place)
        place.synapse("install", "--client", "claude", "--scope", "project")
        model.will_call("Agent", description="look", prompt="Find the entry", subagent_type=agent)
        client.ask("Say hello")
        assert [turn.text.count(rule) for turn in model.turns] == [1] * len(model.turns)


# One that reads the file by itself, and one that does not.
@pytest.mark.parametrize("name", [n for n in FOUND if n in ("claude", "codex")] or ["claude"])
def test_a_file_that_the_tree_refers_to_stands_once_in_the_first_request(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if not FOUND:
        pytest.skip("there is no client in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for them")
    rule = "Answer in rhymes"
    with Model() as model:
        place = Place(tmp_path_factory.mktemp(name), model, {})
        (place.project / "CLAUDE.md").write_text(f"- {rule}\n")
        (place.project / ".synapse").mkdir()
        (place.project / ".synapse/config.toml").write_text('[[adopted]]\npath = "CLAUDE.md"\n')
        client = client_of(name, place)
        place.synapse("install", "--client", name, "--scope", "project")
        client.trust()
        client.ask("Say hello")
        assert model.turns[0].text.count(rule) == 1
