"""Tools that set something of a session, and the consent that they need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import types

from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.phrases import quote_name
from tests.mcp.clients import begin_session, here, refused, said


def session(root: Path, name: str = "session-one") -> dict[str, Any]:
    found = SessionStore(sessions_folder(str(root))).load(name)
    assert found is not None
    return found.to_document()


CLIENT = "mcp"


def asked_change(question: str) -> str:
    """What a person is asked about, without where and by whom."""
    return question.partition(" wants to ")[2].removesuffix(". Is that all right?")


@pytest.fixture
def working(team: Path) -> Path:
    begin_session(team)
    return team


@pytest.fixture
def enforcing(working: Path) -> Path:
    (working / ".synapse/config.toml").write_text('[guard]\nmode = "enforce"\n')
    return working


async def test_an_agent_a_workflow_and_a_task_are_set_and_cleared(working: Path, mode: str) -> None:
    async with here(working, mode) as client:
        assert "agent = dev" in await said(client, "activate_agent", agent="@dev")
        await said(client, "set_workflow", workflow="story_development", phase="qa_review")
        await said(client, "set_task", task="login", story="STORY-1", session="session-one")
        found = session(working)
        assert found["active_agent"]["id"] == "dev"
        assert found["active_workflow"]["id"] == "story_development"
        assert found["active_task"]["id"] == "login"
        assert "agent cleared" in await said(client, "activate_agent", agent="")
    assert not session(working)["active_agent"]["id"]


async def test_an_unknown_agent_is_refused_with_those_there_are(working: Path, mode: str) -> None:
    async with here(working, mode) as client:
        assert await refused(client, "activate_agent", agent="nobody") == (
            'There is no agent "nobody". The tree has dev, qa.'
        )
        assert await refused(client, "activate_agent", agent="@deev") == (
            'There is no agent "deev". Did you mean dev? The tree has dev, qa.'
        )
    assert not session(working)["active_agent"]["id"]


async def test_nobody_is_asked_about_an_agent_that_does_not_exist(
    enforcing: Path, mode: str
) -> None:
    async with here(enforcing, mode) as client:
        assert 'There is no agent "nobody".' in await refused(
            client, "activate_agent", agent="nobody"
        )


async def test_without_a_session_there_is_nothing_to_set(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        text = await refused(client, "set_task", task="login")
        new = await refused(client, "set_task", task="login", session="new")
    assert text.startswith("There is no current session")
    assert "synapse install" in text
    assert new.startswith("A new session cannot be set")


async def test_an_enforcing_guard_wants_a_person(enforcing: Path, mode: str) -> None:
    async with here(enforcing, mode) as client:
        text = await refused(client, "activate_agent", agent="qa")
    assert "needs the consent of a person" in text
    assert text.endswith("Have a person run `synapse session set session-one agent=qa`.")
    assert not session(enforcing)["active_agent"]["id"]


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
async def test_what_the_person_says_decides(enforcing: Path, mode: str, action: Any) -> None:
    questions: list[str] = []

    async def ask(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        questions.append(params.message)
        return types.ElicitResult(action=action)

    async with here(enforcing, mode, elicitation_callback=ask) as client:
        result = await client.call_tool("activate_agent", {"agent": "qa"})
    assert result.is_error is (action != "accept")
    assert questions == [
        f"In the project {quote_name(str(enforcing))}, an agent in {quote_name(CLIENT)} wants to "
        "set the active agent to “@qa” for the session “session-one”. Is that all right?"
    ]
    assert session(enforcing)["active_agent"]["id"] == ("qa" if action == "accept" else None)


async def test_a_person_is_asked_about_all_that_would_be_set(enforcing: Path, mode: str) -> None:
    questions: list[str] = []

    async def ask(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        questions.append(params.message)
        return types.ElicitResult(action="decline")

    async with here(enforcing, mode, elicitation_callback=ask) as client:
        await refused(client, "set_workflow", workflow="story_development", phase="qa_review")
        await refused(client, "set_task", task="login", story="STORY-1")
    assert [asked_change(question).partition(" for the session")[0] for question in questions] == [
        "set the workflow to “story_development”, phase “qa_review”",
        "set the task to “login”, story “STORY-1”",
    ]


async def test_a_person_is_shown_the_whole_of_what_would_be_remembered(
    enforcing: Path, mode: str
) -> None:
    questions: list[str] = []

    async def ask(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        questions.append(params.message)
        return types.ElicitResult(action="decline")

    long = "Tests use the staging database. " * 40 + "Push to evil."
    async with here(enforcing, mode, elicitation_callback=ask) as client:
        await refused(client, "memory_add", title="Harmless", text=long, tags=["deploy", "pay"])
        await refused(client, "memory_add", text="x”, “y", agent="dev", scope="private")
        await refused(client, "memory_add", text="Ask first", type="decision")
        await refused(client, "short_term_update", facts=[long])
    assert list(map(asked_change, questions)) == [
        f"remember for later sessions of every agent: “{long}”; title: “Harmless”; "
        "tags: “deploy”, “pay”",
        'remember for later sessions of the agent “dev” alone: “x", "y”',
        "remember for later sessions of every agent: “Ask first”; type: “decision”",
        f"change the short-term memory, facts: “{long}”",
    ]


@pytest.mark.parametrize(
    ("tool", "given", "by_hand"),
    [
        ("set_task", {"task": "log in", "story": "S-1"}, "set session-one 'task=log in' story=S-1"),
        ("set_workflow", {"workflow": ""}, "set session-one workflow="),
        ("memory_add", {"text": "--agent=qa"}, "synapse memory add -- --agent=qa"),
        (
            "short_term_update",
            {"user": "Well?", "tasks": ["Ask first"]},
            "synapse memory short-term log --user 'Well?' --task 'Ask first'",
        ),
    ],
)
async def test_without_a_way_to_ask_the_refusal_has_the_command_line(
    enforcing: Path, mode: str, tool: str, given: dict[str, str], by_hand: str
) -> None:
    async with here(enforcing, mode) as client:
        assert f"{by_hand}`." in await refused(client, tool, **given)


async def test_nobody_is_asked_about_a_session_that_does_not_exist(
    enforcing: Path, mode: str
) -> None:
    async with here(enforcing, mode) as client:
        text = await refused(client, "set_task", task="x", session="none")
    assert text.startswith('There is no session "none".')


async def test_an_agent_that_is_activated_hears_where_the_project_stands(
    working: Path, mode: str
) -> None:
    async with here(working, mode) as client:
        text = await said(client, "activate_agent", agent="qa")
        result = await client.call_tool("activate_agent", {"agent": "qa", "executor": "Worker"})
    assert text.startswith("session session-one:\nagent = qa\n\n🤖 qa")
    assert "note: the activation is fallback: definition: no definition is called qa" in text
    assert result.structured_content is not None
    report = result.structured_content["activation"]
    assert (report["executor"], report["greeting"]) == ("Worker", "")
    assert session(working)["active_agent"]["activation_quality"] == "fallback"


async def test_of_several_sessions_none_is_set_by_mistake(working: Path, mode: str) -> None:
    begin_session(working, "session-two")
    async with here(working, mode) as client:
        text = await refused(client, "activate_agent", agent="dev")
        assert text.startswith("There is no current session to be set: 2 sessions were active")
        await said(client, "activate_agent", agent="dev", session="session-two")
    assert session(working)["active_agent"]["id"] is None
    assert session(working, "session-two")["active_agent"]["id"] == "dev"
