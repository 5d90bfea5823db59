"""``synapse init`` says what the hook adds to the first turn of a session, as the hook then does."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from synapse_ls.engine.context_usage import estimate_tokens
from tests.cli.conftest import Synapse
from tests.forked_programs import run_program

MANY = "".join(
    f"- Step {i} of a release has its own line in the book of steps\n" for i in range(70)
)
TEXTS = {
    "few rules": "# Git\n\n- Commit in the imperative\n- A commit is one change\n- Never force-push\n",
    "more than a block has room for": MANY,
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return root


def first_turn_tokens(root: Path, cache: Path) -> int:
    """What hook processes add: to the start of a session, a prompt and six uses of a tool."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")},
        "CLAUDECODE": "1",
        "CLAUDE_PROJECT_DIR": str(root),
        "SYNAPSE_LS_CACHE": str(cache),
    }
    tool: dict[str, object] = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    events: list[dict[str, object]] = [
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "Say hello."},
        *({**tool, "tool_use_id": f"t{number}"} for number in range(6)),
    ]
    tokens = 0
    for event in events:
        payload = {"session_id": "s1", "cwd": str(root), "transcript_path": "", **event}
        done = run_program(
            "hook",
            "--client",
            "claude",
            stdin=json.dumps(payload).encode(),
            cwd=root,
            env=environment,
        )
        reply = json.loads(done.stdout).get("hookSpecificOutput", {})
        tokens += estimate_tokens(reply.get("additionalContext", ""))
    return tokens


def figures(err: str, title: str = "Claude Code") -> tuple[int, int]:
    """What rules took in a first turn before, and what they take now, as ``init`` says it."""
    match = re.search(rf"{title}: ([\d,]+) tokens before, ([\d,]+) now", err)
    assert match, err
    before, now = (int(figure.replace(",", "")) for figure in match.groups())
    return before, now


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_figure_is_what_the_client_reads_and_what_hook_processes_add(
    synapse: Synapse, project: Path, tmp_path: Path, text: str
) -> None:
    (project / "CLAUDE.md").write_text(text)
    (project / "RULES.md").write_text("- Amounts are integers\n")
    done = synapse("init", "--from", "CLAUDE.md", "RULES.md", "--client", "claude")
    before, now = figures(done.err)
    assert before == estimate_tokens(text)
    injected = first_turn_tokens(project, tmp_path / "cache")
    assert 0 < injected == now - before


def test_a_client_that_reads_all_files_gets_nothing_injected(
    synapse: Synapse, project: Path, tmp_path: Path
) -> None:
    (project / "CLAUDE.md").write_text(TEXTS["few rules"])
    done = synapse("init", "--client", "claude")
    before, now = figures(done.err)
    assert before == now == estimate_tokens(TEXTS["few rules"])
    assert first_turn_tokens(project, tmp_path / "cache") == 0
    assert "Claude Code" in done.err and "nothing is injected twice" in done.err


def test_a_client_without_the_hook_gets_no_more_than_before(
    synapse: Synapse, project: Path
) -> None:
    (project / "CLAUDE.md").write_text(TEXTS["few rules"])
    (project / "GEMINI.md").write_text("- Be brief\n")
    done = synapse("init", "--client", "claude")
    before, now = figures(done.err, "Gemini CLI")
    assert before == now == estimate_tokens("- Be brief\n")


def test_a_starter_tree_is_told_with_its_figure(
    synapse: Synapse, project: Path, tmp_path: Path
) -> None:
    done = synapse("init", "--about", "a shop", "--client", "claude")
    assert figures(done.err) == (0, first_turn_tokens(project, tmp_path / "cache"))
