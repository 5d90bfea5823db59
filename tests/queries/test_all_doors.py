"""Who is at work on what in a session with a history: whoever is asked says what the hook says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from synapse_ls.cli.main import main
from synapse_ls.live.disk_queries import query_context, query_explanation, query_status
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.mcp.server import create_server
from synapse_ls.queries.report_model import to_json
from synapse_ls.queries.situation_report import situation_report
from tests.hooks.hook_clients import Claude
from tests.hooks.test_work_of_a_session import FILES, PATTERNS, STATE, state
from tests.mcp.clients import text_in
from tests.trees import write_tree

TREE = {
    **FILES,
    ".synapse/manifest": f"{FILES['.synapse/manifest']}        API_STATE=active\n        API_PATHS=src/**\n",
    ".synapse/api": "API_RULE_0=Version it\n",
    ".aiox-core/data/workflow-patterns.yaml": PATTERNS,
    "src/app.py": "",
}
SESSION = "session-1"
Play = Callable[[Claude], None]


def prompts(*texts: str, **fields: str) -> Play:
    """Prompts, one after the other."""

    def play(claude: Claude) -> None:
        for text in texts:
            claude.prompt(text, **fields)

    return play


def moved_state(claude: Claude) -> None:
    """The state file of the work moves on between two prompts."""
    write_tree(claude.root, {STATE: state(phase="development")})
    claude.prompt("@dev *develop 1.1")
    write_tree(claude.root, {STATE: state(phase="qa", agent="qa", story="1.1")})
    claude.prompt("go on")


def sub_agent(claude: Claude) -> None:
    """A sub-agent works on a story of its own."""
    claude.prompt("@dev *develop 1.1")
    sub = {"agent_id": "a1", "agent_type": "aiox-ux"}
    claude.send("SubagentStart", prompt="*develop 1.2", **sub)
    file = {"file_path": str(claude.root / "src/app.py")}
    claude.send("PostToolUse", tool_name="Read", tool_input=file, tool_response={}, **sub)


def edited_file(claude: Claude) -> None:
    """A tool edits a file that rules are for."""
    claude.prompt("@dev hello")
    file = {"file_path": str(claude.root / "src/app.py")}
    claude.send("PostToolUse", tool_name="Edit", tool_input=file, tool_response={})


PLAYS: dict[str, Play] = {
    "a workflow that commands tell": prompts("@dev *validate 1.1", "*develop 1.1"),
    "and an agent that left": prompts("@dev *validate 1.1", "*develop 1.1", "*exit"),
    "a task": prompts("@dev *develop 1.1", "@qa *qa-gate", "@dev go on"),
    "a state file that moved": moved_state,
    "a sub-agent": sub_agent,
    "an agent of the client": prompts("@qa hello", "go on", agent_type="aiox-dev"),
    "a file that a tool edits": edited_file,
    "a domain switched off for the session": prompts("@dev hello", "*synapse debug"),
}


def printed(root: Path, *arguments: str) -> str:
    with redirect_stdout(StringIO()) as output:
        assert main([*arguments, "--root", str(root), "--session", SESSION]) == 0
    return output.getvalue()


def work(report: Any) -> dict[str, Any]:
    """What a report says of the work; how it is known differs between a prompt and the next."""
    parts = {name: report[name] or {} for name in ("agent", "workflow", "task", "squad")}
    found = {name: part.get("id") for name, part in parts.items()}
    more = {"phase": parts["workflow"].get("phase"), "story": parts["task"].get("story")}
    return {**found, **more}


def situations(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each that is asked about the session says of the work."""
    for name in ("status", "explain"):
        yield f"{name} --session", work(json.loads(printed(root, name, "--format", "json")))
    tree = LiveTree(str(root))
    tree.load()
    yield "synapse/status", work(to_json(query_status(tree)))
    yield "synapse/explain", work(to_json(query_explanation(tree, {})))
    yield "hover", work(to_json(situation_report(tree.view().assembly.situation)))

    async def structured(tool: str) -> Any:
        async with Client(create_server(str(root))) as client:
            answer = await client.call_tool(tool, {"session": SESSION})
            return answer.structured_content

    for tool in ("status", "explain"):
        yield f"MCP {tool}", work(asyncio.run(structured(tool)))


def blocks(root: Path, prompt: str) -> Iterator[tuple[str, str]]:
    """The block of a prompt in the session, from each that can be asked for it."""
    yield "context --session", printed(root, "context", prompt).removesuffix("\n")
    tree = LiveTree(str(root))
    tree.load()
    yield "synapse/context", query_context(tree, {"prompt": prompt}).block
    yield "editor features", tree.view().block(prompt=prompt).text

    async def tool() -> str:
        async with Client(create_server(str(root))) as client:
            arguments = {"session": SESSION, "prompt": prompt}
            return text_in(await client.call_tool("get_context", arguments))

    yield "MCP get_context", asyncio.run(tool())


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Claude(write_tree(tmp_path / "tree", TREE), SESSION)


@pytest.mark.parametrize("name", PLAYS)
def test_whoever_is_asked_about_a_session_says_what_its_hook_says(
    name: str, claude: Claude
) -> None:
    PLAYS[name](claude)
    before = dict(situations(claude.root))
    asked = printed(claude.root, "context", "go on", "--delivery").removesuffix("\n")
    fields = {"agent_type": "aiox-dev"} if name == "an agent of the client" else {}
    assert claude.prompt("go on", **fields) == asked
    assert len({json.dumps(found) for found in before.values()}) == 1, before
    assert before == dict(situations(claude.root))  # a prompt that says nothing changes nothing


@pytest.mark.parametrize("prompt", ["go on", "*develop 1.1"])
def test_everybody_gives_the_same_block_for_a_prompt_in_a_session_of_commands(
    prompt: str, claude: Claude
) -> None:
    claude.prompt("@dev *validate 1.1")
    claude.prompt("*validate 1.1" if prompt.startswith("*") else "*develop 1.1")
    found = dict(blocks(claude.root, prompt))
    assert len(set(found.values())) == 1, found
    assert "[ACTIVE WORKFLOW: story_development]" in found["context --session"]


def test_why_and_status_know_the_workflow_of_the_commands(claude: Claude) -> None:
    claude.prompt("@dev *validate 1.1")
    assert "[ACTIVE WORKFLOW: story_development]" in claude.prompt("*develop 1.1")
    assert "story_development (from the commands used so far)" in printed(claude.root, "status")
    assert printed(claude.root, "why", "STORY").startswith("STORY is in")
