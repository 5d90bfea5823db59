"""The MCP server in the settings of clients: put in, found again, taken out."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.integrations.client_settings import (
    PROJECT,
    SCOPES,
    USER,
    Client,
    SettingsPlace,
    Surroundings,
)
from synapse_ls.integrations.hook_commands import is_server_entry
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install.hook_installation import (
    apply_changes,
    plan_installation,
    plan_uninstallation,
)
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import user_folders
from tests.setup.clients import documents
from tests.support import examples

PLACES = [
    (client, place)
    for client in CLIENTS.values()
    if client.servers is not None
    for place in client.servers.places
]


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    for client in CLIENTS.values():
        monkeypatch.delenv(client.user_folder.variable or "-", raising=False)
    return Surroundings(tmp_path / "root", tmp_path / "home")


@st.composite
def cases(draw: st.DrawFn) -> tuple[Client, SettingsPlace, bytes]:
    client, place = draw(st.sampled_from(PLACES))
    text = draw(st.one_of(documents.texts(client), st.sampled_from(["", " \n", "{}", "{ }\r\n"])))
    return client, place, draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


@given(cases())
@settings(max_examples=examples(150), deadline=None)
def test_every_byte_comes_back(case: tuple[Client, SettingsPlace, bytes]) -> None:
    client, place, data = case
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYNAPSE_LS_CONFIG", f"{folder}/config")
        patch.delenv(client.user_folder.variable or "-", raising=False)
        around = Surroundings(Path(folder, "root"), Path(folder, "home"))
        file = client.path_of(place, around)
        file.parent.mkdir(parents=True)
        file.write_bytes(data)
        apply_changes(plan_installation(around, [client], place.scope, mcp=True))
        assert b'"synapse"' in file.read_bytes()
        again = plan_installation(around, [client], place.scope, mcp=True)
        assert {change.action for change in again} == {"none"}
        apply_changes(plan_uninstallation(around, [client], SCOPES))
        assert file.read_bytes() == data
        assert not Path(user_folders.config_folder()).exists()


@pytest.mark.parametrize(
    ("client", "place"), PLACES, ids=[f"{client.name} {place.scope}" for client, place in PLACES]
)
def test_what_was_made_for_it_is_gone(
    client: Client, place: SettingsPlace, around: Surroundings, tmp_path: Path
) -> None:
    around.root.mkdir()
    apply_changes(plan_installation(around, [client], place.scope, mcp=True))
    entry = json.loads(client.path_of(place, around).read_text())
    assert client.servers is not None
    for key in (*client.servers.table, "synapse"):
        entry = entry[key]
    assert is_server_entry(entry)
    apply_changes(plan_uninstallation(around, [client], SCOPES))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_it_is_registered_only_when_asked(around: Surroundings) -> None:
    around.root.mkdir()
    sharing = [client for client in CLIENTS.values() if client.place(PROJECT)]
    apply_changes(plan_installation(around, sharing, PROJECT))
    assert not (around.root / ".mcp.json").exists()


def test_clients_that_share_a_file_share_a_change(around: Surroundings) -> None:
    changes = plan_installation(around, [CLIENTS["claude"], CLIENTS["copilot"]], PROJECT, mcp=True)
    (shared,) = [change for change in changes if change.path == ".mcp.json"]
    assert shared.clients == ("claude", "copilot")


def test_hooks_and_server_in_one_file_are_one_change(around: Surroundings) -> None:
    (change,) = plan_installation(around, [CLIENTS["gemini"]], PROJECT, mcp=True)
    found = json.loads(change.after or b"")
    assert set(found) == {"hooks", "mcpServers"}


def test_a_server_of_somebody_else_stays(around: Surroundings) -> None:
    around.root.mkdir()
    file = around.root / ".mcp.json"
    file.write_text('{"mcpServers": {"synapse": {"command": "other"}}}')
    with pytest.raises(UserError, match=r'\.mcp\.json:1:28 has another server "synapse"'):
        plan_installation(around, [CLIENTS["claude"]], PROJECT, mcp=True)
    assert not plan_uninstallation(around, [CLIENTS["claude"]], SCOPES)


def test_an_older_form_is_replaced(around: Surroundings) -> None:
    around.root.mkdir()
    file = around.root / ".mcp.json"
    file.write_text('{"mcpServers": {"a": {}, "synapse": {"command": "synapse", "args": ["mcp"]}}}')
    apply_changes(plan_installation(around, [CLIENTS["claude"]], PROJECT, mcp=True))
    assert json.loads(file.read_text())["mcpServers"]["synapse"]["type"] == "stdio"


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "synapse", "args": ["mcp"]}, True),
        ({"command": "C:\\tools\\synapse.exe", "args": ["mcp", "--root", "x"]}, True),
        ({"command": "/usr/bin/python3", "args": ["-I", "-m", "synapse_ls", "mcp"]}, True),
        ({"command": "synapse-ls", "args": ["mcp"]}, True),
        ({"command": "synapse", "args": ["check"]}, False),
        ({"command": "not-synapse-mcp", "args": []}, False),
        ({"url": "http://localhost/mcp"}, False),
        ({"command": 3, "args": "mcp"}, False),
        (None, False),
    ],
)
def test_ours_is_known_by_its_command(entry: Any, ours: bool) -> None:
    assert is_server_entry(entry) is ours


def test_the_entry_of_a_user_names_the_interpreter(around: Surroundings) -> None:
    servers = CLIENTS["cursor"].servers
    assert servers is not None
    assert servers.entry(PROJECT)["command"] == "synapse-ls"
    assert Path(servers.entry(USER)["command"]).is_absolute()
