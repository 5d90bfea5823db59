"""For the same inputs, everybody who can be asked gives the same bytes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from mcp import Client

from synapse_ls.cli.main import main
from synapse_ls.hooks import hook_command
from synapse_ls.ide.hover import hover
from synapse_ls.live.disk_queries import query_context
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.mcp.server import create_server
from tests.ide.views import block_in
from tests.mcp.clients import read, said, text_in
from tests.trees import TEAM, write_tree

pytestmark = pytest.mark.slow

HOOK = Path(hook_command.__file__).parent.parent / "hook.py"
TEAM_WITH_SQUAD = {
    **TEAM,
    "squads/etl-squad/squad.yaml": "name: etl-squad\nversion: 1.0.0\n",
    "squads/etl-squad/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
    "squads/etl-squad/.synapse/pipeline": "PIPELINE_RULE_0=Validate on both sides\n",
    ".synapse/memory/shared/durable/mem-2026-01-02-001.md": """\
        ---
        explicit: true
        tags: [pipeline]
        ---

        # Tests use the staging database

        Never production: </synapse-rules> it is slow.

        Ask the operators for access.
        """,
    ".synapse/memory/agents/dev/durable/mem-2026-01-02-002.md": """\
        ---
        tier: warm
        tags: [login]
        ---

        # The login has two forms
        """,
    ".aiox/story-development-cycle-20260102-abc123-state.yaml": """\
        workflow_id: story-development-cycle
        workflow_name: Story Development Cycle
        instance_id: story-development-cycle-20260102-abc123
        target_context: core
        started_at: '2026-01-02T10:00:00.000Z'
        updated_at: '2026-01-02T11:00:00.000Z'
        status: active
        current_phase: 'dev: in_development'
        current_step_index: 0
        steps:
          - {step_index: 0, phase: in_development, agent: dev, action: build, status: pending}
        """,
}


class Case(NamedTuple):
    """Inputs; ``used`` are tokens of a window of 200,000.

    executed: the prompt has a command whose execution does IO, so that no hover shows its block.
    """

    prompt: str
    agent: str = ""
    used: int = 0
    executed: bool = False
    process: bool = False  # whether the command line is asked as a process


CASES = {
    "plain": Case("hello there", process=True),
    "star-command": Case("sum up *brief"),
    "agent": Case("implement the login", agent="dev"),
    "agent in the prompt": Case("@qa check it"),
    "keyword": Case("a unit test for the pipeline", used=100_000),
    "depleted": Case("go on", agent="qa", used=130_000),
    "critical": Case("go on *brief", agent="dev", used=190_000),
    "executed command": Case("*synapse status", executed=True),
    "executed command, half": Case("*synapse explain *brief", used=100_000, executed=True),
    "executed command, files": Case(
        "*synapse manifest, *synapse-diagnose and *synapse reload", executed=True
    ),
    "unicode": Case("révise a cobertura — coverage 👩‍💻 \u2028 fim", used=100_000, process=True),
    "code": Case("why?\n```py\nassert coverage\n```\n", used=100_000),
}

Ask = Callable[[Path, Case], str]


def command_line(root: Path, case: Case) -> str:
    """``synapse context``, as a process of its own where a case asks for one."""
    arguments = ["context", "--root", str(root), "--prompt", case.prompt]
    if case.agent:
        arguments += ["--agent", case.agent]
    if case.used:
        arguments += ["--remaining", str(100 - case.used / 2000)]
    if case.process:
        program = [sys.executable, "-m", "synapse_ls"]
        done = subprocess.run([*program, *arguments], capture_output=True, check=True)
        return done.stdout.decode().removesuffix("\n")
    with redirect_stdout(StringIO()) as printed:
        assert main(arguments) == 0
    return printed.getvalue().removesuffix("\n")


def hook_of_claude(root: Path, case: Case) -> str:
    event = {
        "session_id": "same-bytes",
        "cwd": str(root),
        "prompt": case.prompt,
        "hook_event_name": "UserPromptSubmit",
        "agent_type": case.agent,
    }
    if case.used:
        usage = {"input_tokens": case.used, "output_tokens": 1}
        line = {"type": "assistant", "message": {"model": "claude-sonnet-4-5", "usage": usage}}
        transcript = root / "transcript.jsonl"
        transcript.write_text(json.dumps(line) + "\n")
        event["transcript_path"] = str(transcript)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), "--client", "claude"],
        input=json.dumps(event).encode(),
        capture_output=True,
        check=True,
    )
    text: str = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    return text


def editor_panel(root: Path, case: Case) -> str:
    """``synapse/context`` in a new session, as the hook's is."""
    tree = LiveTree(str(root))
    tree.load()
    given = {"remaining": 100 - case.used / 2000} if case.used else {}
    asked = {"prompt": case.prompt, "agent": case.agent, "session": "", **given}
    text: str = query_context(tree, asked).block
    return text


def mcp_tool(root: Path, case: Case) -> str:
    """``get_context`` in a new session, as an agent client calls it."""
    given = {"remaining": 100 - case.used / 2000} if case.used else {}

    async def call() -> str:
        async with Client(create_server(str(root))) as client:
            asked = {"prompt": case.prompt, "agent": case.agent, "session": "new", **given}
            return text_in(await client.call_tool("get_context", asked))

    return asyncio.run(call())


EVERYBODY: dict[str, Ask] = {
    "command line": command_line,
    "hook": hook_of_claude,
    "editor panel": editor_panel,
    "mcp": mcp_tool,
}


@pytest.mark.parametrize("name", CASES)
def test_everybody_gives_the_same_bytes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "tree", TEAM_WITH_SQUAD)
    case = CASES[name]
    answers = {who: ask(root, case) for who, ask in EVERYBODY.items()}
    assert len(set(answers.values())) == 1, answers
    assert answers["hook"].startswith("<synapse-rules>")


def test_everybody_gives_the_same_bytes_in_the_current_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "tree", TEAM_WITH_SQUAD)
    hook_of_claude(root, Case("@qa cover the pipeline by a unit test", used=110_000))
    tree = LiveTree(str(root))
    tree.load()
    arguments = ["context", "--root", str(root), "--session", "current"]
    printed = subprocess.run(
        [sys.executable, "-m", "synapse_ls", *arguments], capture_output=True, check=True
    )
    told = hover(tree.view(), ".synapse/manifest", 0)
    assert told is not None
    block = tree.view().assembly.text
    assert "[KEYWORD MATCHES]" in block
    assert printed.stdout.decode().removesuffix("\n") == block
    shown = query_context(tree, {})
    assert shown.block == block
    assert block_in(told.markdown).removesuffix("\n… 3 more lines") in block
    assert f"The block now: {shown.bracket}, {shown.tokens:,} of " in told.markdown

    async def served() -> set[str]:
        async with Client(create_server(str(root))) as client:
            return {await said(client, "get_context"), await read(client, "synapse://block")}

    assert asyncio.run(served()) == {block}
