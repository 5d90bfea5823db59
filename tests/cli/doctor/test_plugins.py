"""A client that calls no command has a plugin of ours, which is registered like a settings file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from synapse_ls.integrations.client_settings import PROJECT, USER, Surroundings
from synapse_ls.integrations.hook_registrations import find_registrations
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.settings_syntax import blank_code, holds_settings
from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor

pytestmark = pytest.mark.usefixtures("forks")
FOREIGN = "export const Synapse = async () => ({}) // synapse of another kind\n"


PLACES = {
    "opencode": ".opencode/plugin/synapse.js",
    "kilo": ".kilo/plugin/synapse.js",
    "cline": ".cline/plugins/synapse.js",
}


@pytest.fixture(params=list(PLACES))
def client(request: pytest.FixtureRequest) -> str:
    """A client that has a plugin of ours."""
    name: str = request.param
    return name


@pytest.fixture
def plugin(synapse: Synapse, team: Path, client: str) -> Path:
    """The plugin in a project."""
    synapse("install", "--client", client)
    return team / PLACES[client]


def test_each_event_has_a_line_where_the_registration_says(plugin: Path, client: str) -> None:
    root = plugin.parents[2]
    found = list(find_registrations(Surroundings(root, root / "home"), CLIENTS[client]))
    lines = plugin.read_text().splitlines()
    guarded = CLIENTS[client].with_guard(True)
    assert [one.event for one in found] == list(guarded.events)
    assert all(f"--event {one.event} " in lines[one.line - 1] for one in found)
    assert {one.state for one in found} == {"current"}


def test_the_doctor_asks_the_hook_and_finds_nothing(
    synapse: Synapse, plugin: Path, client: str
) -> None:
    document = doctor(synapse, "--client", client)
    assert codes(document, client) == []
    assert document["clients"][0]["canary"]["ok"]
    assert document["clients"][0]["guard"] == [{"scope": PROJECT, "ok": True}]


def test_code_that_somebody_has_changed_is_outdated_and_replaced(
    synapse: Synapse, plugin: Path, client: str
) -> None:
    written = plugin.read_text()
    plugin.write_text(written.replace("MAX_OUTPUT = 20_000", "MAX_OUTPUT = 99"))
    document = doctor(synapse, "--client", client)
    assert codes(document, client) == ["outdated-registration"]
    synapse("install", "--client", client)
    assert plugin.read_text() == written


def test_a_line_that_somebody_has_changed_is_not_run(
    synapse: Synapse, plugin: Path, client: str
) -> None:
    root = plugin.parents[2]
    plugin.write_text(plugin.read_text().replace("synapse-ls hook", "id > x; synapse-ls hook"))
    assert "unknown-line" in codes(doctor(synapse, "--client", client), client)
    assert not (root / "x").exists()


def test_lines_that_end_as_on_windows_are_the_same(
    synapse: Synapse, plugin: Path, client: str
) -> None:
    plugin.write_bytes(plugin.read_bytes().replace(b"\n", b"\r\n"))
    assert codes(doctor(synapse, "--client", client), client) == []


def test_it_goes_with_its_folders_but_not_with_what_others_put_there(
    synapse: Synapse, plugin: Path, client: str
) -> None:
    synapse("uninstall")
    assert not plugin.parents[1].exists()
    synapse("install", "--client", client)
    (plugin.parents[1] / "package.json").write_text("{}")
    synapse("uninstall")
    assert [path.name for path in plugin.parents[1].iterdir()] == ["package.json"]


def test_a_plugin_of_somebody_else_s_stays(synapse: Synapse, team: Path, client: str) -> None:
    there = team / PLACES[client]
    there.parent.mkdir(parents=True)
    there.write_text(FOREIGN)
    assert "somebody else's" in synapse("install", "--client", client).err
    synapse("uninstall")
    assert there.read_text() == FOREIGN


@pytest.mark.parametrize("client", ["opencode", "kilo"], indirect=True)
def test_the_user_s_is_below_the_folder_that_the_variable_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    around = Surroundings(tmp_path / "root", tmp_path / "home")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    there = CLIENTS[client].file(USER, around)
    assert there == tmp_path / f"config/{client}/plugin/synapse.js"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    there = CLIENTS[client].file(USER, around)
    assert there == tmp_path / f"home/.config/{client}/plugin/synapse.js"


@pytest.mark.parametrize("name", ["PURE", "DISABLE_PROJECT_CONFIG"])
@pytest.mark.parametrize("client", ["opencode", "kilo"], indirect=True)
def test_a_switch_of_the_client_that_is_off_is_told(
    synapse: Synapse, plugin: Path, monkeypatch: pytest.MonkeyPatch, name: str, client: str
) -> None:
    monkeypatch.setenv(f"{client.upper()}_{name}", "1")
    assert "hooks-off" in codes(doctor(synapse, "--client", client), client)


def test_its_settings_are_json_in_their_place(plugin: Path) -> None:
    text = plugin.read_text()
    blank = blank_code(text)
    assert holds_settings(text) and len(blank) == len(text)
    assert set(json.loads(blank)) == {"client", "hooks"}
    assert not holds_settings(FOREIGN) and blank_code(FOREIGN) == FOREIGN


HARNESS = """
import { Synapse } from "PLUGIN";
const client = {
  session: {
    get: async ({ path }) => ({ data: { id: path.id } }),
    messages: async () => ({ data: [] }),
  },
  config: { providers: async () => ({ data: { providers: [] } }) },
  tui: { showToast: async () => {} },
};
const hooks = await Synapse({ client, directory: process.cwd() });
const message = { id: "msg_1", sessionID: "ses_1", agent: "build" };
const ask = async (text) => {
  const parts = [{ id: "prt_1", messageID: "msg_1", sessionID: "ses_1", type: "text", text }];
  await hooks["chat.message"]({ sessionID: "ses_1" }, { message, parts });
  return parts.slice(1).map((part) => part.text).join("");
};
const told = [await ask("Say hello"), await ask("Go on")];
const reverted = { id: "ses_1", revert: { messageID: "msg_1" } };
await hooks.event({ event: { type: "session.updated", properties: { info: reverted } } });
told.push(await ask("Once more"));
console.log(JSON.stringify(told));
"""


@pytest.mark.parametrize("client", ["opencode"], indirect=True)
@pytest.mark.skipif(not shutil.which("node"), reason="node runs the plugin")
def test_what_was_taken_back_is_told_again(plugin: Path, tmp_path: Path) -> None:
    script = tmp_path / "harness.mjs"
    copy = shutil.copy(plugin, tmp_path / "plugin.mjs")
    script.write_text(HARNESS.replace("PLUGIN", Path(copy).as_uri()))
    done = subprocess.run(
        ["node", str(script)],
        cwd=plugin.parents[2],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    first, unchanged, again = json.loads(done.stdout)
    assert "[CONSTITUTION]" in first and unchanged == ""
    assert "[CONSTITUTION]" in again


def test_cline_s_own_folder_may_be_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = Surroundings(tmp_path / "root", tmp_path / "home")
    assert CLIENTS["cline"].file(USER, around) == tmp_path / "home/.cline/plugins/synapse.js"
    monkeypatch.setenv("CLINE_DIR", str(tmp_path / "config"))
    assert CLIENTS["cline"].file(USER, around) == tmp_path / "config/plugins/synapse.js"


@pytest.mark.parametrize("client", ["cline"], indirect=True)
def test_a_plugin_that_cline_lists_as_off_is_told(
    synapse: Synapse, plugin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    switches = tmp_path / "settings.json"
    monkeypatch.setenv("CLINE_GLOBAL_SETTINGS_PATH", str(switches))
    switches.write_text(json.dumps({"disabledPlugins": [str(plugin.parent / "other.js")]}))
    assert codes(doctor(synapse, "--client", client), client) == []
    switches.write_text(json.dumps({"disabledPlugins": [str(plugin)]}))
    assert "hooks-off" in codes(doctor(synapse, "--client", client), client)


CLINE_HARNESS = """
import { plugin } from "PLUGIN";
plugin.setup({}, { session: { sessionId: "s1" }, workspaceInfo: { rootPath: process.cwd() } });
const { beforeModel, beforeTool } = plugin.hooks;
const typed = { id: "m1", role: "user", content: [{ type: "text", text: '<user_input mode="act">Say hello</user_input>' }] };
const own = { id: "m2", role: "user", metadata: { displayRole: "system" }, content: [{ type: "text", text: "x" }] };
const said = { id: "m3", role: "tool", content: [] };
const snapshot = { agentId: "a", conversationId: "c", messages: [typed, said, own] };
const first = await beforeModel({ snapshot, request: { messages: [typed] } });
const later = await beforeModel({ snapshot, request: { messages: [typed, said] } });
console.log(JSON.stringify({
  first: first.messages.map(({ role, content }) => [role, content.length]),
  later: later.messages.map(({ role, content }) => [role, content.length]),
  kept: typed.content.length,
  same: first.messages[0].content[1].text === later.messages[2].content[0].text,
  nobody: await beforeModel({ snapshot: { ...snapshot, messages: [] }, request: { messages: [] } }) ?? null,
}));
"""


@pytest.mark.parametrize("client", ["cline"], indirect=True)
@pytest.mark.skipif(not shutil.which("node"), reason="node runs the plugin")
def test_cline_s_plugin_adds_to_the_request_and_to_nothing_else(
    plugin: Path, tmp_path: Path
) -> None:
    script = tmp_path / "harness.mjs"
    copy = shutil.copy(plugin, tmp_path / "plugin.mjs")
    script.write_text(CLINE_HARNESS.replace("PLUGIN", Path(copy).as_uri()))
    done = subprocess.run(
        ["node", str(script)],
        cwd=plugin.parents[2],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "first": [["user", 2]],
        "later": [["user", 1], ["tool", 0], ["user", 1]],
        "kept": 1,
        "same": True,
        "nobody": None,
    }
