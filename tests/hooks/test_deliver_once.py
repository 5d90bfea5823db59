"""A prompt that is told of twice, a turn that is asked about often, a reply that never arrived."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.hooks import hook_command
from synapse_ls.integrations import hook_event
from synapse_ls.storage import injection_log
from tests.hooks.hook_clients import Scripted, headings
from tests.trees import TEAM, write_tree

HOOK = Path(hook_command.__file__).parent.parent / "hook.py"
LIVE = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Scripted(write_tree(tmp_path / "tree", LIVE))


def twice(client: Scripted, text: str, **fields: object) -> list[str]:
    return [client.prompt(text, **fields), client.prompt(text, later=0.5, **fields)]


@pytest.mark.parametrize("text", ["hello there", "sum up *brief", "@dev go on", "*synapse status"])
def test_of_two_registrations_one_answers_and_the_prompt_counts_once(
    client: Scripted, text: str
) -> None:
    first, second = twice(client, text)
    assert "[GLOBAL]" in first and second == ""
    assert client.document()["prompt_count"] == 1
    first, second = twice(client, "sum up *brief")
    assert "[STAR-COMMANDS]" in first and second == ""


def test_a_switch_that_is_told_of_twice_is_switched_once(client: Scripted) -> None:
    twice(client, "*synapse debug")
    assert client.document()["overrides"]["DEVMODE"] is True


def test_the_same_words_some_seconds_later_are_another_prompt(client: Scripted) -> None:
    client.prompt("sum up *brief")
    assert "[STAR-COMMANDS]" in client.prompt("sum up *brief", later=2.5)
    assert client.document()["prompt_count"] == 2


@pytest.mark.parametrize("stamp", [1795305600000, "2026-11-22T00:00:00.000Z"])
def test_two_registrations_that_a_busy_client_calls_half_a_minute_apart_are_known_by_its_stamp(
    client: Scripted, stamp: object
) -> None:
    first = client.prompt("sum up *brief", raw={"timestamp": 1795305600000})
    second = client.prompt("sum up *brief", later=30, raw={"timestamp": stamp})
    assert "[STAR-COMMANDS]" in first and second == ""
    assert client.document()["prompt_count"] == 1


@pytest.mark.parametrize("stamp", [1795305602500, "soon", None, -1, 10**18, 1.5])
def test_another_stamp_some_seconds_later_is_another_prompt(
    client: Scripted, stamp: object
) -> None:
    client.prompt("sum up *brief", raw={"timestamp": 1795305600000})
    again = client.prompt("sum up *brief", later=2.5, raw={"timestamp": stamp})
    assert "[STAR-COMMANDS]" in again
    assert client.document()["prompt_count"] == 2


def test_other_words_at_once_are_another_prompt(client: Scripted) -> None:
    client.prompt("hello")
    assert "[STAR-COMMANDS]" in client.prompt("sum up *brief", later=0.1)


def test_another_window_at_once_is_another_prompt(client: Scripted) -> None:
    client.prompt("hello")
    assert "[GLOBAL]" in client.prompt("hello", later=0.1, subagent="sub-1")


def test_another_turn_at_once_is_another_prompt(client: Scripted) -> None:
    client.prompt("sum up *brief", turn="t1")
    assert "[STAR-COMMANDS]" in client.prompt("sum up *brief", later=0.1, turn="t2")


def test_two_registrations_of_a_start_tell_the_block_once(client: Scripted) -> None:
    client.prompt("sum up *brief")
    client.send(hook_event.COMPACTING)
    client.send(hook_event.COMPACTING, later=0.1)
    texts = [client.send(hook_event.SESSION_START, source="compact", later=0.1) for _ in range(2)]
    assert "[GLOBAL]" in texts[0] and texts[1] == ""


def test_a_start_that_the_first_prompt_has_overtaken_takes_nothing_back(client: Scripted) -> None:
    assert "[GLOBAL]" in client.prompt("hello")
    client.send(hook_event.SESSION_START, source="startup", later=0.5)
    assert client.prompt("go on", later=0.5) == ""
    client.send(hook_event.SESSION_START, source="startup", later=60)
    assert "[GLOBAL]" in client.prompt("go on", later=5)


@pytest.mark.parametrize("order", [("copilot", "claude"), ("claude", "copilot")])
@pytest.mark.parametrize("prompt", ["hello there", "sum up *brief"])
def test_under_copilot_the_block_survives_a_registration_for_claude(
    order: tuple[str, str], prompt: str, tmp_path: Path
) -> None:
    """Copilot runs the hooks of `.claude` too, and of several replies takes the last that has one."""
    root = write_tree(tmp_path / "tree", LIVE)
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "SYNAPSE_LS_CACHE": str(tmp_path / "cache"),
        "COPILOT_CLI": "1",
        "CLAUDE_PROJECT_DIR": str(root),
    }
    payloads = {
        "copilot": {
            "sessionId": "s1",
            "timestamp": 1795305600000,
            "cwd": str(root),
            "prompt": prompt,
        },
        "claude": {
            "hook_event_name": "UserPromptSubmit",
            "session_id": "s1",
            "timestamp": "2026-11-22T00:00:00.000Z",
            "cwd": str(root),
            "prompt": prompt,
        },
    }
    names = {"copilot": "userPromptSubmitted", "claude": "UserPromptSubmit"}
    kept = ""
    for name in order:
        command = (sys.executable, "-I", "-S", str(HOOK), "--client", name, "--event", names[name])
        done = subprocess.run(
            command,
            input=json.dumps(payloads[name]).encode(),
            capture_output=True,
            env=environment,
            check=True,
        )
        kept = json.loads(done.stdout).get("additionalContext", "") or kept
    assert "[GLOBAL]" in kept
    assert ("[STAR-COMMANDS]" in kept) == ("*brief" in prompt)
    session = json.loads((root / ".synapse" / "sessions" / "s1.json").read_text())
    assert session["prompt_count"] == 1


# A client that asks before each call of the model


def test_the_calls_of_a_turn_get_the_same_text_and_count_once(client: Scripted) -> None:
    client.keeps_context, client.prompts_per_model_call = False, True
    texts = [client.prompt("coverage *brief @qa", turn="t1") for _ in range(4)]
    assert len(set(texts)) == 1 and "[STAR-COMMANDS]" in texts[0]
    assert client.document()["prompt_count"] == 1
    assert "[GLOBAL]" in client.prompt("coverage *brief @qa", turn="t2")
    assert client.document()["prompt_count"] == 2


def test_a_switch_in_such_a_turn_is_switched_once(client: Scripted) -> None:
    client.keeps_context, client.prompts_per_model_call = False, True
    for _ in range(3):
        client.prompt("*synapse debug", turn="t1")
    assert client.document()["overrides"]["DEVMODE"] is True


def test_a_rule_that_changes_in_such_a_turn_is_told(client: Scripted) -> None:
    client.keeps_context, client.prompts_per_model_call = False, True
    client.prompt("coverage", turn="t1")
    (client.root / ".synapse" / "global").write_text("GLOBAL_RULE_0=Write tiny functions\n")
    text = client.prompt("coverage", turn="t1")
    assert "Write tiny functions" in text and "[KEYWORD MATCHES]" in text
    assert "[WITHDRAWN]" not in text


# Confirmation


def test_a_reply_that_arrived_is_noted(client: Scripted) -> None:
    client.received = set()
    client.receive(client.prompt())
    assert client.prompt() == ""
    assert [r["arrived"] for r in injection_log.read_replies(str(client.root)) if r["tokens"]] == [
        True
    ]


def test_a_reply_that_two_prompts_do_not_show_is_told_again_once(client: Scripted) -> None:
    client.received = set()
    client.prompt()
    told = ["[GLOBAL]" in client.prompt() for _ in range(8)]
    assert told == [False, True] + [False] * 6
    assert any(r["arrived"] is False for r in injection_log.read_replies(str(client.root)))


def test_a_transcript_that_lags_by_a_prompt_is_believed(client: Scripted) -> None:
    client.received = set()
    text = client.prompt()
    assert client.prompt() == ""
    client.receive(text)
    assert [client.prompt() for _ in range(3)] == [""] * 3


def test_after_a_reply_that_did_arrive_a_missing_one_counts_again(client: Scripted) -> None:
    client.received = set()
    client.prompt()
    client.prompt()
    client.receive(client.prompt())
    client.prompt("improve the coverage")
    assert client.prompt() == ""
    assert "[GLOBAL]" in client.prompt()


def test_a_transcript_that_cannot_tell_changes_nothing(client: Scripted) -> None:
    client.prompt()
    assert [client.prompt() for _ in range(4)] == [""] * 4


# Trust


@pytest.fixture
def personal(client: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """The client with a hook that is installed for its user."""
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    client.scope = "user"
    return client


def test_a_tree_that_nobody_trusts_gets_nothing_and_the_person_is_told_once(
    personal: Scripted,
) -> None:
    files = set(personal.root.rglob("*"))
    assert [personal.prompt() for _ in range(3)] == ["", "", ""]
    personal.send(hook_event.SESSION_START, source="startup")
    personal.tool("src/a.py", edited=(".synapse/global",))
    assert len(personal.shown) == 1 and "synapse trust" in personal.shown[0]
    personal.session = "session-2"
    personal.prompt()
    assert len(personal.shown) == 2
    assert set(personal.root.rglob("*")) == files


def test_a_client_that_shows_nothing_has_it_in_the_log(
    personal: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal, "notice_reply", lambda *_: {})
    for _ in range(3):
        personal.prompt()
    assert (tmp_path / "cache" / "hook.log").read_text().count("synapse trust") == 1


def test_a_trusted_tree_is_served(personal: Scripted) -> None:
    from synapse_ls.storage import trusted_trees

    trusted_trees.trust_tree(str(personal.root))
    assert headings(personal.prompt())
    assert personal.shown == []


def test_a_session_that_the_projects_own_hook_serves_is_left_alone(personal: Scripted) -> None:
    personal.scope = ""
    personal.prompt()
    personal.scope = "user"
    assert personal.prompt(later=0.1) == ""
    assert personal.shown == []
