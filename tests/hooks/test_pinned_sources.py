"""Whatever of a repository reaches an agent is pinned with its tree, or named as what is not."""

from __future__ import annotations

import ast
import builtins
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import synapse_ls
from synapse_ls.activation.agent_activation import activate_agent
from synapse_ls.workspace.pinned_content import WORK_FOLDERS, scan_content
from synapse_ls.workspace.tree_folders import CONTINUATIONS
from tests.carl_trees import BAND
from tests.chati_trees import BOARD
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

PACKAGE = Path(synapse_ls.__file__).parent
PAGE = Path(__file__).parents[2] / "docs/clients.md"

# What is not pinned, and the words by which the page says so.
NAMED = {
    r"\.aiox/.*-state\.yaml": "workflow states",
    r"docs/stories/.*": "stories",
    r"\.(synapse|carl)/sessions/.*": "sessions",
    r"\.synapse/metrics/.*": "metrics",
    r"\.synapse/memory/digests/.*": "digests",
    r"\.(chati|claude)/session\.yaml": "sessions",
    r"logs/access\.log": "access log",
    r"\.git(/.*)?": "branch and commits",
    r"(AGENTS|CLAUDE|GEMINI)\.md|opencode\.json|\.(claude|codex|gemini|vscode)/.*": (
        "settings and instructions of agent clients"
    ),
    r"(.*/)?\.gitignore": "",  # tells nobody anything
}
READ_CALLS = {
    "read_file",
    "read_configuration_file",
    "read_bytes",
    "read_object",
    "open_stream",
    "open_descriptor",
    "read_beginning",
    "parse_file",
    "read_text",
    "open",
}
# The modules that read files whose text may reach an agent, and what they read: "pinned", or a
# pattern of `NAMED`.
READERS = {
    "activation/active_story": "stories",
    "activation/agent_definition": "pinned",
    "activation/agent_handoff": "pinned",
    "activation/framework_settings": "pinned",
    "activation/project_status": "branch and commits",
    "activation/activation_files": "pinned",
    "activation/workflow_files": "pinned, and workflow states",
    "activation/workflow_position": "pinned",
    "hooks/boundary_verdict": "what a tool will overwrite, for the guard alone",
    "hooks/digest_worker": "a transcript, which is not in the tree",
    "hooks/failed_reply": "pinned",
    "hooks/hook_server": "the null device, which tells nothing",
    "hooks/session_continuation": "workflow states",
    "hooks/status_line": "what the client itself tells of its window, which is not in the tree",
    "hooks/hook_timeout": "when the process began, which tells nothing",
    "memory/brainiac_short_term": "pinned",
    "memory/continuations": "pinned",
    "memory/gotchas": "metrics",
    "memory/memory_index": "pinned",
    "memory/memory_store": "pinned",
    "memory/rule_proposals": "which proposals were refused, and no text",
    "memory/memory_paths": "metrics",
}
UNREAD = {".synapse/metrics/errors.json", ".aiox-core/development/tasks/build.md"}
AGENTS = ("dev", "scribe", "ux", "carrier")
MEMORY = "---\nid: {0}\nsector: procedural\n---\n# {0}\n\nRun unit tests with care.\n"
AGENT = "# {0}\n\n```yaml\nagent:\n  name: {0}\n  id: {0}\n```\n"
STATE = (
    "workflow_id: story_development\ninstance_id: x\nstatus: active\ncurrent_phase: in_development\n"
    "steps:\n  - phase: in_development\n    agent: dev\n    status: in_progress\n"
)
FILES = {
    **TEAM,
    ".aiox/config.yaml": "permissions:\n  mode: auto\n",
    ".aiox/handoffs/handoff-qa-to-dev-20260101.yaml": "handoff:\n  from_agent: qa\n  to_agent: dev\n",
    ".aiox/story-state.yaml": STATE,
    ".aiox-core/core-config.yaml": "user_profile: advanced\n",
    ".aiox-core/development/agents/dev.md": AGENT.format("dev"),
    ".aiox-core/development/agents/README.md": AGENT.format("scribe"),
    ".aiox-core/development/agents/more/ux.md": AGENT.format("ux"),
    ".aiox-core/development/tasks/build.md": "# Build\n\n1. Run it.\n",
    ".aiox-core/development/workflows/story-development.yaml": "workflow:\n  id: story_development\n",
    "chati.dev/agents/scout.md": AGENT.format("scout"),
    "chati.dev/workflows/other.yaml": "workflow:\n  id: other\n",
    "squads/etl/squad.yaml": "name: etl\n",
    "squads/etl/agents/loader.md": AGENT.format("loader"),
    "squads/bare/agents/carrier.md": AGENT.format("carrier"),
    "docs/stories/1.1.story.md": "# Story 1.1\n\nStatus: In Progress\n",
    ".synapse/memory/shared/durable/mem-2026-01-01-001.md": MEMORY.format("mem-2026-01-01-001"),
    ".synapse/memory/shared/durable/README.md": MEMORY.format("mem-2026-01-01-002"),
    ".synapse/memory/agents/dev/daily/mem-2026-01-01-003.md": MEMORY.format("mem-2026-01-01-003"),
    ".synapse/memory/agents/dev/daily/node_modules.md": MEMORY.format("mem-2026-01-01-004"),
    ".synapse/continuation/latest.md": "---\nsession_id: before\n---\nGo on with the tests.\n",
    ".synapse/metrics/errors.json": "{}",
}  # fmt: skip


class Client(Claude):
    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.transcript = root.parent / "transcript.jsonl"


def read_files(root: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The files of ``root`` that are opened for reading from now on, as they are opened."""
    found: set[str] = set()
    real_open, real_builtin = os.open, builtins.open
    start = f"{os.path.realpath(root)}/"

    def note(descriptor: int) -> None:
        path = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        if path.startswith(start) and Path(path).is_file():
            found.add(path.removeprefix(start))

    def open_descriptor(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        descriptor = real_open(path, flags, *rest, **named)
        if flags & os.O_ACCMODE != os.O_WRONLY:
            note(descriptor)
        return descriptor

    def open_file(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        stream = real_builtin(file, mode, *rest, **named)
        if "r" in mode:
            note(stream.fileno())
        return stream

    monkeypatch.setattr(os, "open", open_descriptor)
    monkeypatch.setattr(builtins, "open", open_file)
    return found


def play_day(client: Claude, activated: Iterable[str]) -> None:
    client.send("SessionStart", source="startup")
    client.prompt("@dev go on with the unit tests")
    client.prompt("*build the thing, then look at the coverage")
    for agent in ("scout", "loader", "qa", "dev"):
        client.prompt(f"@{agent} take over")
        client.send("SessionStart", source="resume")
    for agent in activated:
        activate_agent(str(client.root), agent, now=client.now, deadline=60)
    tool = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    client.send("PreToolUse", **tool)
    client.send("PostToolUse", **tool, tool_response={"stderr": "error: no rule"})
    client.send("SubagentStart", agent_type="dev", agent_id="a1")
    client.send("PreCompact", trigger="manual")
    client.send("SessionStart", source="compact")
    client.prompt("*synapse status")
    client.send("SessionEnd", reason="exit")
    client.session = "session-2"
    client.send("SessionStart", source="resume")
    client.prompt("go on")


ADOPTED = {
    **TEAM,
    ".synapse/config.toml": '[[adopted]]\npath = "docs/style.md"\nalways = true\n',
    "docs/style.md": "# Style\n\n- Be brief.\n",
    "GEMINI.md": "@./docs/style.md\n",
    "AGENTS.md": "Be kind.\n",
    ".codex/config.toml": 'project_doc_fallback_filenames = ["CLAUDE.md"]\n',
    ".gemini/settings.json": '{"context": {"fileName": ["CLAUDE.md"]}}',
    ".vscode/settings.json": "{}",
}
TREES = {"synapse": FILES, "chati": BOARD, "carl": BAND, "adopted": ADOPTED}


@pytest.mark.skipif(sys.platform != "linux", reason="a file is known by its descriptor")
@pytest.mark.parametrize("tree", TREES)
def test_what_a_day_of_hooks_reads_is_pinned_or_named(
    tree: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "team", TREES[tree])
    pinned = set(scan_content(str(root))[0])
    found = read_files(root, monkeypatch)
    play_day(Client(root), AGENTS if tree == "synapse" else ())
    monkeypatch.undo()
    assert len(found & pinned) > 2 and (tree != "synapse" or found >= set(FILES) - UNREAD)
    left = sorted(path for path in found - pinned if not any(re.fullmatch(n, path) for n in NAMED))
    assert left == [], "pin these files, or name them in NAMED and on the page about clients"


def test_what_is_not_pinned_stands_on_the_page() -> None:
    part = (
        PAGE.read_text(encoding="utf-8").partition("\n## Pinned trees\n")[2].partition("\n## ")[0]
    )
    told = " ".join(part.split())
    assert [words for words in NAMED.values() if words not in told] == []


@pytest.mark.parametrize("folder", WORK_FOLDERS)
def test_no_folder_of_notes_is_left_unnamed(folder: str) -> None:
    path = f"{folder}/latest.md"
    pinned = path in CONTINUATIONS
    assert pinned or any(re.fullmatch(pattern, path) for pattern in NAMED)


def readers_of(package: str) -> Iterator[str]:
    """The modules of a package that read files, by what they import or call."""
    for file in sorted((PACKAGE / package).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names: set[str] = set()
            if isinstance(node, ast.ImportFrom):
                names = {alias.name for alias in node.names}
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                names = {node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id}
            if names & READ_CALLS:
                yield file.relative_to(PACKAGE).as_posix().removesuffix(".py")
                break


@pytest.mark.parametrize("package", ["activation", "conversation", "hooks", "memory"])
def test_every_module_that_reads_files_for_agents_has_a_row(package: str) -> None:
    rows = {module for module in READERS if module.startswith(f"{package}/")}
    assert rows == set(readers_of(package)), "say in READERS what it reads, and pin or name that"


def test_the_files_of_a_squad_are_pinned(tmp_path: Path) -> None:
    manifest = "squads/etl/.synapse/manifest"
    root = write_tree(tmp_path / "app", {**TEAM, manifest: "ETL_STATE=active\n"})
    assert manifest in scan_content(str(root))[0]
