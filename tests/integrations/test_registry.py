"""Which client runs the hook, and what every client's module has."""

from __future__ import annotations

import pytest

from synapse_ls.integrations import client_registry, hook_event, settings_registry

CLAUDE = {"session_id": "s", "transcript_path": "/t/s.jsonl", "hook_event_name": "PreCompact"}
PASCAL = {"session_id": "s", "timestamp": "2026-11-20T09:30:00Z", "hook_event_name": "Stop"}


@pytest.mark.parametrize(
    ("environment", "payload", "named", "client"),
    [
        ({"CLAUDECODE": "1"}, {}, "other", "claude"),
        ({"CLAUDECODE": "1"}, {}, "", "claude"),
        ({}, {}, "gemini", "gemini"),
        ({}, {}, "nobody", "other"),
        ({}, {}, "", "other"),
        ({"CLAUDE_PROJECT_DIR": "/app"}, {}, "", "other"),
        ({"CLAUDECODE": ""}, {}, "", "other"),
        ({"CLAUDECODE": "1", "CURSOR_VERSION": "3"}, {}, "cursor", "cursor"),
        ({"CLAUDECODE": "1", "CURSOR_VERSION": "3"}, {}, "", "other"),
        ({"CLAUDECODE": "1", "COPILOT_CLI": "1"}, CLAUDE, "copilot", "claude"),
        ({"CLAUDECODE": "1", "COPILOT_CLI": "1"}, {"sessionId": "s"}, "claude", "copilot"),
        ({"CLAUDECODE": "1", "COPILOT_CLI": "1"}, PASCAL, "claude", "copilot"),
        ({"GEMINI_SESSION_ID": "g"}, PASCAL, "", "gemini"),
        ({"CLAUDECODE": "1"}, PASCAL, "claude", "vscode"),
        ({}, PASCAL, "other", "other"),
        ({}, {**PASCAL, "hook_event_name": "BeforeAgent"}, "gemini", "gemini"),
        ({}, {**PASCAL, "hook_event_name": "BeforeAgent"}, "", "gemini"),
        ({"CLAUDECODE": "1"}, {"workspacePaths": []}, "antigravity", "antigravity"),
        ({"CLAUDECODE": "1"}, {"timestamp": 1795426200000}, "copilot", "copilot"),
        ({}, {"turn_id": "1", "model": "gpt-5"}, "other", "codex"),
        ({"CLAUDECODE": "1"}, {"turn_id": "1", "model": "gpt-5"}, "claude", "codex"),
        ({"CLAUDECODE": "1"}, {"conversationId": "c"}, "claude", "antigravity"),
        ({}, CLAUDE, "", "claude"),
        ({}, {"cursor_version": "3"}, "", "cursor"),
    ],
)
def test_the_client_is_told_by_environment_payload_and_registration(
    environment: dict[str, str], payload: dict[str, object], named: str, client: str
) -> None:
    assert client_registry.detect_client(environment, payload, named) == client


@pytest.mark.parametrize("named", client_registry.HOOK_CLIENTS)
def test_two_registrations_under_one_client_are_one_client(named: str) -> None:
    assert client_registry.detect_client({"COPILOT_CLI": "1"}, PASCAL, named) == "copilot"
    assert (
        client_registry.detect_client({"COPILOT_CLI": "1"}, {"sessionId": "s"}, named) == "copilot"
    )


@pytest.mark.parametrize("name", client_registry.HOOK_CLIENTS)
def test_a_client_has_all_that_delivery_asks_of_it(name: str) -> None:
    host = client_registry.load_client(name)
    assert host is not None
    assert name == host.name
    assert host.reply_limit > 1_000
    assert isinstance(host.keeps_context, bool)
    event = host.parse_event({}, "")
    assert event.kind == hook_event.OTHER
    assert host.context_reply(event, "x") == {}
    assert host.read_usage(event) is None
    assert host.read_branch(event, {"hash"}) is None


@pytest.mark.parametrize("name", client_registry.HOOK_CLIENTS)
@pytest.mark.parametrize("spell", [str.lower, str.upper, lambda n: n[0].swapcase() + n[1:]])
def test_names_of_events_are_known_however_they_are_spelled(name: str, spell: object) -> None:
    host = client_registry.load_client(name)
    assert host is not None and callable(spell)
    for event, kind in host.event_kinds.items():
        assert host.parse_event({}, spell(event)).kind == kind
        assert host.parse_event({"hook_event_name": event}, "Notification").kind == kind


@pytest.mark.parametrize("name", client_registry.HOOK_CLIENTS)
def test_the_kinds_are_names_of_events_in_any_client(name: str) -> None:
    host = client_registry.load_client(name)
    assert host is not None
    for kind in set(hook_event.KINDS_BY_NAME.values()):
        assert host.parse_event({}, kind).kind == kind


@pytest.mark.parametrize("name", settings_registry.CLIENTS)
def test_each_event_that_is_registered_has_a_kind(name: str) -> None:
    settings = settings_registry.CLIENTS[name]
    readers = (name, "copilot") if name == "vscode" else (name,)  # of one settings file
    clients = filter(None, map(client_registry.load_client, readers))
    names = {hook_event.fold_name(event) for client in clients for event in client.event_kinds}
    registered = (*settings.events, *settings.tool_events)
    assert [event for event in registered if hook_event.fold_name(event) not in names] == []


def test_there_is_no_client_of_an_unknown_name() -> None:
    assert client_registry.load_client("nobody") is None


@pytest.mark.parametrize(
    ("spelled", "path"),
    [
        ("/home/me/app", "/home/me/app"),
        ("C:\\work", "C:\\work"),
        ("/c:/work", "c:/work"),
        ("file:///c:/work%20here", "c:/work here"),
        ("file:///caf%C3%A9", "/café"),
        ("file:///100%", "/100%"),
        ("file:///%zz", "/%zz"),
        ("file://server/share", "//server/share"),
        ("file://", ""),
        ("", ""),
    ],
)
def test_paths_come_in_several_spellings(spelled: str, path: str) -> None:
    assert hook_event.local_path(spelled) == path


def test_codex_is_known_by_the_end_of_its_session() -> None:
    """Which has neither a model nor a turn."""
    end = {
        "session_id": "019a7b1c",
        "transcript_path": "/home/ana/.codex/sessions/2026/rollout-2026-11-20T09-30-00-019a7b1c.jsonl",
        "hook_event_name": "SessionEnd",
    }
    assert client_registry.detect_client({}, end, "") == "codex"
    assert (
        client_registry.detect_client({}, {**end, "transcript_path": "/home/ana/notes.jsonl"}, "")
        != "codex"
    )
