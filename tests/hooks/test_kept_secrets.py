"""No file that is kept of a session holds the secrets that a person or a tool has said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synapse_ls.formats.continuation_file import Continuation
from synapse_ls.integrations.cline import CLIENT as CLINE
from synapse_ls.integrations.cursor import CLIENT as CURSOR
from synapse_ls.integrations.transcript_turns import ToolStep, Turn
from synapse_ls.memory.continuations import write_continuation
from synapse_ls.memory.gotchas import Failure, count_error
from synapse_ls.memory.session_digest import DigestOrigin, build_digest, render_page
from synapse_ls.storage import hook_log, plan_cache
from synapse_ls.storage.session_changes import record_prompt
from synapse_ls.storage.session_store import SessionStore
from tests.hooks.hook_clients import Claude
from tests.text.secret_lists import CHANCE, make_secrets
from tests.trees import TEAM, write_tree

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("", ""),
        ("\x1b[1m", "\x1b[0m"),
        ("\x1b[01;31m\x1b[K", "\x1b[m\x1b[K"),
        ("\x1b[1m", "\x1b(B\x1b[m"),
        ("\x1b]8;;https://a.example\x1b\\", "\x1b]8;;\x1b\\"),
        ("\x9b1m", "\x9bm"),
        ("\x1b[m\x0f\x1b[1m", "\x1b[m\x0f"),
        ("\x1bPtmux;\x1b\x1b]8;;https://a.example\x07\x1b\\", "\x1bPtmux;\x1b\x1b]8;;\x07\x1b\\"),
        ("\0", "\x0e"),
        ("\u2800", "\ufdd0"),
    ],
)
def test_no_kept_file_holds_a_secret_of_the_list(tmp_path: Path, start: str, end: str) -> None:
    CHANCE.seed(start)
    listed = {
        name: (text.replace(secret, f"{start}{secret}{end}"), secret)
        for name, (text, secret) in make_secrets().items()
        if "\n" not in secret + text
    }
    store = SessionStore(str(tmp_path / ".synapse/sessions"))
    for number, (text, _) in enumerate(listed.values()):
        with store.transaction(f"s{number}", cwd="/", now=NOW) as kept_session:
            record_prompt(kept_session.session, f"{text} fails", NOW)
            kept_session.commit()
        count_error(str(tmp_path), Failure(f"Error: {text}", f"run {text}"), now=NOW)
    said = tuple(text for text, _ in listed.values())
    write_continuation(
        str(tmp_path), Continuation(session="s", created="2026-03-02", decisions=said, errors=said)
    )
    steps = [ToolStep("Bash", text, error=f"Error: {text}") for text in said]
    turns = [
        Turn(f"We use {text}.", reply=f"Decided: {text}.", steps=(step,))
        for text, step in zip(said, steps, strict=True)
    ]
    pages = [render_page(build_digest([turn]), DigestOrigin("s", "t", "compact")) for turn in turns]
    for text in said:
        hook_log.log_error(ValueError(text), about=text)
    log = Path(plan_cache.cache_folder(), "hook.log")
    kept = "\n".join(
        path.read_text(encoding="utf-8") for path in (*tmp_path.rglob("*"), log) if path.is_file()
    )
    kept += "\n".join(pages)
    assert [name for name, (_, secret) in listed.items() if secret[-10:] in kept] == []


def test_a_token_behind_a_star_is_no_command_and_not_kept(tmp_path: Path) -> None:
    agent = Claude(write_tree(tmp_path / "project", TEAM))
    tokens = [text for text, _ in make_secrets().values() if re.fullmatch(r"[A-Za-z][\w-]+", text)]
    assert len(tokens) > 20
    for token in tokens:
        agent.send("UserPromptSubmit", prompt=f"Use *run-tests-2026-03-02 and then *{token}")
    kept = agent.document()["history"]["star_commands_used"]
    assert "run-tests-2026-03-02" in kept
    text = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.json")).lower()
    assert [token for token in tokens if token[-10:].lower() in text] == []


@pytest.mark.parametrize("words", ["*develop {}", "*synapse why {}"])
def test_nor_is_one_in_a_reply_that_quotes_the_prompt_and_is_given_again(
    tmp_path: Path, words: str
) -> None:
    agent = Claude(write_tree(tmp_path / "project", TEAM), host=CLINE)
    token = "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9bC2dF4gH6"
    assert token in str(agent.send("UserPromptSubmit", prompt=words.format(token), message_id="m1"))
    text = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.json"))
    assert "•••" in text
    assert token[-10:] not in text


def test_no_operand_of_a_command_that_fails_or_works_meanwhile_is_kept(tmp_path: Path) -> None:
    first, second = "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9bC2dF4gH6", "glpat-YK0fFWqcajQLE9WVxuXb"
    agent = Claude(write_tree(tmp_path / "project", TEAM), host=CURSOR)
    agent.send("beforeSubmitPrompt", prompt="Log in")

    def run(event: str, command: str, **fields: str) -> None:
        agent.send(event, tool_name="Shell", tool_input={"command": command}, **fields)

    failed = {"error_message": "Error: connect ECONNREFUSED", "failure_type": "error"}
    run("postToolUseFailure", f"./login.sh {first}", **failed)
    run("postToolUse", f"PASSWORD='aB3d E5gH7jK9' ./set-token {second}", tool_output="ok")
    kept = agent.document()["recovery"]
    assert list(kept["failing"]) == ["login.sh"]
    assert kept["failing"]["login.sh"]["done"] == ["ran `set-token`"]
    text = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file())
    assert not [secret for secret in (first, second, "E5gH7jK9") if secret[-10:] in text]


@pytest.mark.parametrize("name", ["{}", "mcp__x__{}"])
def test_no_name_of_a_tool_that_fails_is_kept_with_a_token(tmp_path: Path, name: str) -> None:
    agent = Claude(write_tree(tmp_path / "project", TEAM), host=CURSOR)
    agent.send("beforeSubmitPrompt", prompt="Log in")
    tokens = [text for text, _ in make_secrets().values() if re.fullmatch(r"[A-Za-z][\w-]+", text)]
    failed = {"error_message": "Error: connect ECONNREFUSED", "failure_type": "error"}
    kept = ""
    for token in tokens:
        agent.send("postToolUseFailure", tool_name=name.format(token), tool_input={}, **failed)
        kept += str(agent.document()["recovery"]["failing"])
    assert "•••" in kept
    assert [token for token in tokens if token[-10:] in kept] == []


def test_the_hook_log_holds_no_secret_of_a_payload_or_a_line(tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9bC2dF4gH6"
    agent = Claude(write_tree(tmp_path / "project", TEAM))
    agent.send("SessionStart", source="startup", cwd=f"/nowhere/{token}")
    hook_log.log_error(ValueError("x " * 245 + token), about=token)
    log = Path(plan_cache.cache_folder(), "hook.log").read_text(encoding="utf-8")
    assert "/nowhere/" in log
    assert token[-10:] not in log
    assert token[:10] not in log
