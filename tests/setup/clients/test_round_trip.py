"""Installing and uninstalling on disk, with whatever people have in their settings."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.integrations.client_settings import SCOPES, TOML, Client, Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install import settings_backup
from synapse_ls.setup.install.hook_installation import (
    apply_changes,
    plan_installation,
    plan_uninstallation,
)
from synapse_ls.text.jsonc_tree import parse_jsonc
from synapse_ls.workspace import user_folders
from tests.setup.clients import documents
from tests.setup.clients.test_merge import foreign, other_members
from tests.support import examples


@st.composite
def cases(draw: st.DrawFn) -> tuple[Client, str, bytes]:
    known = [
        client
        for client in CLIENTS.values()
        if not client.places[0].plugin and client.syntax != TOML
    ]
    client = draw(st.sampled_from(known)).with_guard(draw(st.booleans()))
    scope = draw(st.sampled_from(client.scopes))
    text = draw(st.one_of(documents.texts(client), st.sampled_from(["", " \n", "{}", "{ }\r\n"])))
    return client, scope, draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def place(folder: str, client: Client, scope: str, data: bytes) -> tuple[Surroundings, Path]:
    around = Surroundings(Path(folder, "root"), Path(folder, "home"))
    file = client.file(scope, around)
    assert file is not None
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    return around, file


@given(cases())
@settings(max_examples=examples(150), deadline=None)
def test_every_byte_comes_back(case: tuple[Client, str, bytes]) -> None:
    client, scope, data = case
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYNAPSE_LS_CONFIG", f"{folder}/config")
        patch.delenv(client.user_folder.variable or "-", raising=False)
        around, file = place(folder, client, scope, data)
        apply_changes(plan_installation(around, [client], scope))
        assert file.read_bytes() != data
        assert [c.action for c in plan_installation(around, [client], scope)] == ["none"]
        apply_changes(plan_uninstallation(around, [client], SCOPES))
        assert file.read_bytes() == data
        assert not Path(user_folders.config_folder()).exists()


@given(cases())
@settings(max_examples=examples(150), deadline=None)
def test_an_edit_in_between_stays_and_only_our_entries_go(case: tuple[Client, str, bytes]) -> None:
    client, scope, data = case
    if (
        not data.decode("utf-8-sig").strip()
        or not parse_jsonc(data.decode("utf-8-sig")).root.elements
    ):
        return
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYNAPSE_LS_CONFIG", f"{folder}/config")
        patch.delenv(client.user_folder.variable or "-", raising=False)
        around, file = place(folder, client, scope, data)
        apply_changes(plan_installation(around, [client], scope))
        file.write_bytes(edited(file.read_bytes()))
        apply_changes(plan_uninstallation(around, [client], SCOPES))
        left, before = file.read_text("utf-8-sig"), edited(data).decode("utf-8-sig")
        assert other_members(client, left) == other_members(client, before)
        assert foreign(client, left) == foreign(client, before)


def edited(data: bytes) -> bytes:
    """Settings to which somebody has added a member, and a line at the end."""
    text = data.decode()
    at = parse_jsonc(text.removeprefix("\ufeff")).root.span.start + 1 + text.startswith("\ufeff")
    return f'{text[:at]}"edited": [1],{text[at:]}\n'.encode()


def test_the_record_knows_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    client = CLIENTS["cursor"]
    around, file = place(str(tmp_path), client, "project", b'{"hooks": {}}')
    apply_changes(plan_installation(around, [client], "project"))
    known = settings_backup.load_record(file)
    assert known is not None and known.before == b'{"hooks": {}}'
    settings_backup.delete_record(file)
    assert settings_backup.load_record(file) is None
