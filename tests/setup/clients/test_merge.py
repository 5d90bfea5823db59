from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.integrations.client_settings import TOML, Client
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.settings_syntax import find_hooks, parse_settings
from synapse_ls.setup.install import settings_merge
from tests.setup.clients import documents
from tests.support import examples

clients = st.sampled_from(
    [one for one in CLIENTS.values() if not one.places[0].plugin and one.syntax != TOML]
)


@st.composite
def client_and_text(draw: st.DrawFn) -> tuple[Client, str]:
    client = draw(clients)
    return client, draw(documents.texts(client))


def put_in(client: Client, text: str) -> str:
    return settings_merge.add_hooks(client, client.places[0], text, "f")


def foreign(client: Client, text: str) -> list[tuple[str, str]]:
    found = parse_settings(client, text, "f")
    return [(h.event, h.command) for h in find_hooks(client, found) if not h.is_ours]


def other_members(client: Client, text: str) -> dict[str, object]:
    """What settings have beside hooks and what goes with them."""
    value = parse_settings(client, text, "f").root.value if text.strip() else {}
    ours = {client.table[0], *client.places[0].document_constants}
    return {key: member for key, member in value.items() if key not in ours}


@given(client_and_text())
@settings(max_examples=examples(200), deadline=None)
def test_putting_in_registers_every_event_once_and_keeps_other_hooks(
    case: tuple[Client, str],
) -> None:
    client, text = case
    after = put_in(client, text)
    found = parse_settings(client, after, "f")
    assert sorted(h.event for h in find_hooks(client, found) if h.is_ours) == sorted(client.events)
    assert settings_merge.has_current_hooks(client, client.places[0], found)
    assert foreign(client, after) == foreign(client, text)
    assert put_in(client, after) == after


@given(client_and_text())
@settings(max_examples=examples(400), deadline=None)
def test_taking_out_loses_empty_places_only(case: tuple[Client, str]) -> None:
    client, text = case
    left = settings_merge.remove_entries(client, client.places[0], put_in(client, text), "f")
    assert not left or foreign(client, left) == foreign(client, text)
    assert other_members(client, left) == other_members(client, text)
    assert settings_merge.remove_entries(client, client.places[0], text, "f") == text
