"""``synapse init`` says what the hook adds to the first turn of a session, as the hook then does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.engine.context_usage import estimate_tokens
from tests.cli.conftest import Synapse

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
        done = subprocess.run(
            (sys.executable, "-m", "synapse_ls", "hook", "--client", "claude"),
            input=json.dumps(payload), capture_output=True, text=True, env=environment, cwd=root, check=True,
        )  # fmt: skip
        reply = json.loads(done.stdout).get("hookSpecificOutput", {})
        tokens += estimate_tokens(reply.get("additionalContext", ""))
    return tokens


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("arguments", [(), ("--keywords",)])
def test_the_figure_is_what_hook_processes_add(
    synapse: Synapse, project: Path, tmp_path: Path, text: str, arguments: tuple[str, ...]
) -> None:
    (project / "CLAUDE.md").write_text(text)
    done = synapse("init", "--client", "claude", *arguments)
    figures = re.findall(
        r"the hook adds ([\d,]+) tokens in Claude Code to the first turn", done.err
    )
    assert int(figures[-1].replace(",", "")) == first_turn_tokens(project, tmp_path / "cache")


def test_what_is_asked_about_words_has_the_figures_of_both_answers(
    synapse: Synapse, project: Path
) -> None:
    git = (
        "## Git\n\n- Commit in the imperative\n- Rebase before you push it\n- One change a commit\n"
    )
    (project / "CLAUDE.md").write_text(f"# Shop\n\n{git}\n## B\n\n- Be brief\n")
    waiting = synapse("init", "--keywords", "--client", "claude").err
    as_now, waits, written = re.findall(r"the hook adds (\d+) tokens", waiting)
    assert int(as_now) > int(waits) == int(written)


def test_a_starter_tree_is_told_with_its_figure(
    synapse: Synapse, project: Path, tmp_path: Path
) -> None:
    done = synapse("init", "--about", "a shop", "--client", "claude")
    figure = re.search(r"the hook adds (\d+) tokens in Claude Code to the first turn", done.err)
    assert figure and int(figure[1]) == first_turn_tokens(project, tmp_path / "cache")


def test_no_other_figure_of_tokens_is_said(synapse: Synapse, project: Path) -> None:
    (project / "CLAUDE.md").write_text(TEXTS["few rules"])
    done = synapse("init", "--replace-adopted", "--client", "claude")
    lines = [line for line in f"{done.out}\n{done.err}".splitlines() if "token" in line]
    assert lines and all("the hook adds" in line for line in lines)
