"""What the model reads, turn by turn, in every client that is there."""

from __future__ import annotations

from tests.clients.conftest import Session

STANDING = ("[CONSTITUTION] (NON-NEGOTIABLE)", "[GLOBAL]", "GUARDRAILS:")
"""Headings of what holds in every turn; each stands once in a window that was told once."""


def test_the_first_prompt_brings_the_whole_block(session: Session) -> None:
    client, turn = session.client, session.first
    assert turn.told == session.expected["first"]
    assert turn.read.count(client.shown(turn.told)) == 1


def test_an_unchanged_turn_brings_nothing_new(session: Session) -> None:
    client, turn = session.client, session.unchanged
    assert turn.told == ""
    assert len(turn.asked) == 2, "the model's call of a tool is part of the turn"
    for asked in turn.asked:
        assert asked.text.count(client.shown(session.first.told)) == 1
        assert all(asked.text.count(heading) == 1 for heading in STANDING)


def test_another_agent_brings_the_difference_and_withdraws_the_last(session: Session) -> None:
    client, turn = session.client, session.switched
    assert turn.told == session.expected["switched"]
    assert "[ACTIVE AGENT: @qa]" in turn.told
    assert "@dev's rules no longer apply" in turn.told
    assert turn.read.count(client.shown(turn.told)) == 1
    assert all(turn.read.count(heading) == 1 for heading in STANDING)


def test_a_window_that_was_emptied_is_told_everything_once(session: Session) -> None:
    client, turn = session.client, session.renewed
    whole = turn.told
    assert all(whole.count(heading) == 1 for heading in STANDING)
    # A compaction may keep the end of the conversation, and the agent's rules with it.
    has_agent = "[ACTIVE AGENT: @qa]" in turn.read
    assert has_agent == client.compacts, "a new session knows no agent yet"
    assert "no longer appl" not in whole
    assert turn.read.count(client.shown(whole)) == 1
    assert turn.read.count("[ACTIVE AGENT: @dev]") == 0


def test_the_session_counts_each_prompt_once(session: Session) -> None:
    client, name = session.client, session.first.hooked[0].session
    calls = [call for call in client.place.hooked if call.session == name]
    kept = client.place.json("session", "show", name)
    assert kept["prompt_count"] == sum(call.name == client.prompt_event for call in calls)
