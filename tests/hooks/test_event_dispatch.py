"""What the hook sends over a session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import daily_cleanup
from synapse_ls.queries.context_question import Question, answer_question
from synapse_ls.storage import program_start
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    files = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}
    return Claude(write_tree(tmp_path / "tree", files))


def headings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("[")]


FULL = ["[CONSTITUTION] (NON-NEGOTIABLE)", "[GLOBAL]", "[CONTEXT BRACKET]"]


def test_twelve_events_of_a_session(client: Claude) -> None:
    # 1: the first prompt gets the full block.
    text = client.prompt("hello there")
    assert headings(text) == [*FULL, "[LOADED DOMAINS SUMMARY]"]
    # 2: an unchanged prompt gets nothing.
    assert client.prompt("go on") == ""
    # 3: a keyword adds its domain.
    text = client.prompt("improve the coverage")
    assert headings(text) == ["[KEYWORD MATCHES]"]
    assert "Arrange, act, assert" in text
    # 4: an agent is activated and stays.
    text = client.prompt("@dev implement it")
    assert headings(text) == ["[ACTIVE AGENT: @dev]"]
    assert client.document()["active_agent"]["id"] == "dev"
    # 5: a star-command is told for its prompt.
    assert headings(client.prompt("sum up *brief")) == ["[STAR-COMMANDS] (for this prompt)"]
    # 6: and is over with the next.
    assert client.prompt("go on") == ""
    # 7: another agent: a difference with a retraction.
    text = client.prompt("@qa check it")
    assert headings(text) == ["[WITHDRAWN]", "[ACTIVE AGENT: @qa]"]
    assert "@dev's rules no longer apply" in text
    # 8: a rule is edited: a difference with a retraction.
    (client.root / ".synapse" / "global").write_text(
        "GLOBAL_RULE_0=Write tiny functions\n"
        "GLOBAL_RULE_1=Name things well\n"
        "GLOBAL_RULE_2=Leave no dead code\n"
    )
    text = client.prompt("go on")
    assert headings(text) == ["[WITHDRAWN]", "[GLOBAL]"]
    assert "1. Write tiny functions" in text
    assert "Name things well" not in text
    # 9: the keyword's five prompts are over, and its rules hold still.
    assert client.prompt("go on") == ""
    # 10: compaction is announced: nothing to say yet.
    assert client.send("PreCompact", trigger="auto") == {}
    # 11: the window begins anew and is told at once.
    text = told_at_start(client, "compact")
    assert headings(text) == [
        "[CONSTITUTION] (NON-NEGOTIABLE)",
        "[GLOBAL]",
        "[ACTIVE AGENT: @qa]",
        "[CONTEXT BRACKET]",
        "[LOADED DOMAINS SUMMARY]",
    ]
    # 12: and then knows everything.
    assert client.prompt("go on") == ""
    session = client.document()
    assert session["prompt_count"] == 10
    assert session["context"]["compactions"] == 1
    assert session["context"]["prompts_since_compaction"] == 1


def told_at_start(client: Claude, source: str) -> str:
    reply = client.send("SessionStart", source=source)
    return str(reply["hookSpecificOutput"]["additionalContext"]) if reply else ""


@pytest.mark.parametrize("source", ["startup", "clear"])
def test_a_new_window_is_told_with_its_first_prompt(client: Claude, source: str) -> None:
    client.prompt("hello there")
    assert told_at_start(client, source) == ""
    assert headings(client.prompt("go on"))[:3] == FULL


def test_a_resumed_window_still_knows_everything(client: Claude) -> None:
    client.prompt("hello there")
    assert told_at_start(client, "resume") == ""
    assert client.prompt("go on") == ""


def test_a_compaction_that_only_the_prompt_reveals_is_noticed(client: Claude) -> None:
    client.uses(100_000)
    client.prompt("hello there")
    client.uses(30_000)
    assert headings(client.prompt("go on"))[:3] == FULL


def test_the_bracket_comes_from_the_transcript(client: Claude) -> None:
    client.uses(120_000)
    assert "[DEPLETED]" not in client.prompt("hello")
    client.uses(130_000)
    assert "[DEPLETED] 25–40% of the context window left" in client.prompt("go on")
    context = client.document()["context"]
    assert (context["last_bracket"], context["last_tokens_used"]) == ("DEPLETED", 130_000)


def test_a_large_window_is_known_by_its_model(client: Claude) -> None:
    client.uses(300_000, model="claude-sonnet-5-5")
    assert "[FRESH]" in client.prompt("hello")


def test_turns_of_a_sub_agent_do_not_count(client: Claude) -> None:
    client.uses(10_000)
    client.uses(190_000, side=True)
    assert "[FRESH]" in client.prompt("hello")


def test_a_sub_agent_has_a_window_of_its_own(client: Claude) -> None:
    client.prompt("hello there")
    assert headings(client.prompt("hello", agent_id="sub-1"))[:3] == FULL
    assert client.prompt("go on") == ""


def test_a_prompt_nobody_wrote_neither_counts_nor_matches(client: Claude) -> None:
    client.prompt("hello there")
    assert client.prompt("improve the coverage *brief", source="schedule_wakeup") == ""
    assert client.document()["prompt_count"] == 1


def test_the_end_of_a_sub_agent_is_no_prompt(client: Claude) -> None:
    client.prompt("hello there")
    result = "<result>improve the coverage\n*brief\n@qa</result>"
    assert client.prompt(f"<task-notification>\n{result}\n</task-notification>") == ""
    assert client.document()["prompt_count"] == 1


def test_without_a_session_id_every_prompt_gets_the_full_block(client: Claude) -> None:
    client.session = ""
    assert headings(client.prompt("hello"))[:3] == FULL
    assert headings(client.prompt("hello"))[:3] == FULL
    assert not (client.root / ".synapse" / "sessions").exists()


def test_a_reply_never_exceeds_the_limit_of_the_client(client: Claude) -> None:
    rules = "".join(
        f"CONSTITUTION_RULE_ART{a}_{i}=Rule {i} of article {a} {'x' * 200}\n"
        for a in range(1, 10)
        for i in range(9)
    )
    (client.root / ".synapse" / "constitution").write_text(rules)
    text = client.prompt("hello")
    assert 9_000 < len(text) <= 9_500
    assert "… " in text


def test_a_tree_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert Claude(tmp_path).prompt("hello") == ""
    assert not (tmp_path / ".synapse").exists()


def test_injection_always_sends_the_full_block_every_time(client: Claude) -> None:
    (client.root / ".synapse" / "config.toml").write_text('injection = "always"\n')
    assert client.prompt("hello") == client.prompt("hello")


def test_a_session_that_cannot_be_kept_still_gets_its_rules(client: Claude) -> None:
    (client.root / ".synapse" / "sessions").write_text("in the way")
    replies: list[dict[str, Any]] = []
    from synapse_ls.hooks.event_dispatch import dispatch_event
    from synapse_ls.integrations.claude import CLIENT
    from synapse_ls.storage.atomic_files import StorageError

    raw = {"session_id": "s", "cwd": str(client.root), "prompt": "hi"}
    with pytest.raises(StorageError):
        dispatch_event(
            CLIENT.parse_event(raw, "UserPromptSubmit"), CLIENT, replies.append, clock=lambda: 0.0
        )
    assert "[GLOBAL]" in replies[0]["hookSpecificOutput"]["additionalContext"]


def test_a_window_record_of_somebody_else_is_replaced(client: Claude) -> None:
    client.prompt("hello")
    path = client.root / ".synapse" / "sessions" / "session-1.json"
    path.write_text(path.read_text().replace('"stands": {', '"stands": [], "old": {', 1))
    assert headings(client.prompt("go on"))[:3] == FULL


def test_a_session_that_nobody_uses_has_the_tree_tidied_when_another_begins(
    client: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.prompt("hello")
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(program_start, "start_process", lambda *of: started.append(of))
    session = client.root / ".synapse/sessions/session-1.json"
    os.utime(session, (1_500_000_000, 1_500_000_000))
    client.session, client.now = "session-2", client.now + 200 * 3600
    client.prompt("hello")
    assert started == [("synapse_ls.hooks.daily_cleanup", str(client.root))]
    daily_cleanup.tidy(str(client.root), now=client.now)
    assert not session.exists()
    assert (session.parent / "archive" / session.name).exists()


def test_the_agent_of_the_client_counts_for_its_turn_only(client: Claude) -> None:
    assert "[ACTIVE AGENT: @qa]" in headings(client.prompt("hello", agent_type="qa"))
    assert client.document()["active_agent"]["id"] is None
    assert headings(client.prompt("go on")) == ["[WITHDRAWN]"]


def test_an_agent_that_only_the_client_knows_changes_nothing(client: Claude) -> None:
    client.prompt("@dev hello")
    assert client.prompt("go on", agent_type="general-purpose") == ""


@pytest.mark.parametrize("prompt", ["go on", "improve the coverage", "@qa check it *brief"])
def test_a_question_about_the_delivery_has_the_bytes_of_the_hook(
    client: Claude, prompt: str
) -> None:
    client.prompt("@dev go on")
    root = str(client.root)
    asked = answer_question(Question(root, prompt, session=client.session, delivery=True))
    assert client.prompt(prompt) == asked.assembly.text


def test_it_knows_the_limit_of_the_client(client: Claude) -> None:
    client.prompt("go on")
    rules = "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 200}\n" for i in range(20))
    law = rules.replace("GLOBAL_RULE_", "CONSTITUTION_RULE_ART1_")
    (client.root / ".synapse" / "constitution").write_text(
        law + law.replace("ART1", "ART2").replace("=Rule", "=Law")
    )
    client.send("SessionStart", source="clear")
    root = str(client.root)
    asked = answer_question(Question(root, "go on", session=client.session, delivery=True))
    assert client.prompt("go on") == asked.assembly.text
    assert 8_000 < len(asked.assembly.text) <= 9_500
