"""What the clients give to the hook, beside the recorded events that the hosts are tested with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synapse_ls.integrations import client_registry, hook_event
from tests.clients.conftest import FIRST, SECOND, THIRD, Session
from tests.integrations.recorded import NAMES, recorded

KINDS = {dict: "object", list: "list", str: "text", bool: "flag", int: "number", float: "number"}


def shape(event: dict[str, Any]) -> dict[str, str]:
    """The fields of an event and what kind of value each has."""
    return {field: KINDS.get(type(value), "nothing") for field, value in event.items()}


def shapes(client: str, event: str, folder: Path) -> Iterator[dict[str, str]]:
    """The shapes of the recorded events of one name, in all their variants."""
    for name in NAMES:
        owner, _, file = name.partition("/")
        if owner == client and file.removesuffix(".json").partition("-")[0] == event:
            yield shape(recorded(name, folder, folder).stdin)


def test_each_event_has_a_recorded_one_of_its_shape(session: Session, tmp_path: Path) -> None:
    client = session.client
    odd = {
        call.name: shape(call.event)
        for call in client.place.hooked
        if shape(call.event) not in shapes(client.name, call.name, tmp_path)
    }
    assert odd == {}


def test_the_client_is_known_without_being_named(session: Session) -> None:
    client = session.client
    for call in client.place.hooked:
        assert client_registry.detect_client(call.environment, call.event, "") == client.name, (
            call.name
        )


def test_each_event_that_is_registered_means_something(session: Session) -> None:
    host = client_registry.load_client(session.client.name)
    assert host is not None
    for call in session.client.place.hooked:
        event = host.parse_event(call.event, call.name)
        assert event.session_id == call.session
        assert (event.kind == hook_event.OTHER) <= (call.name in session.client.idle)


def test_the_prompts_are_those_that_were_typed(session: Session) -> None:
    host = client_registry.load_client(session.client.name)
    assert host is not None
    turns = (session.first, session.unchanged, session.switched)
    prompts = [
        host.parse_event(call.event, call.name).prompt
        for turn in turns
        for call in turn.hooked
        if call.name == session.client.prompt_event
    ]
    assert prompts == [FIRST, SECOND, THIRD]
