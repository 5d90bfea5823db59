"""What keeps a hook that is registered from being run."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.integrations.client_settings import PROJECT
from synapse_ls.integrations.settings_registry import CLIENTS
from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import (
    agreed_to,
    approved_hooks,
    codes,
    doctor,
    settings,
    trusted_folder,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("answering"),
]


@pytest.mark.usefixtures("forks")
def test_a_hook_of_the_user_says_nothing_in_a_tree_that_is_not_trusted(
    synapse: Synapse, team: Path
) -> None:
    synapse("install", "--client", "claude", "--scope", "user")
    document = doctor(synapse)
    if document["clients"][0]["canary"]["ok"]:
        pytest.fail("an untrusted tree was served")
    assert codes(document, "claude") == ["untrusted-tree"] and not document["ok"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_a_tree_that_another_user_planted_above_the_project_is_named_and_not_told(
    synapse: Synapse, process: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.chmod(0o1777)
    (team / "project").mkdir()
    os.chown(team / ".synapse", 12345, -1)
    monkeypatch.chdir(team / "project")
    prompt = json.dumps({"session_id": "s", "prompt": "go on", "cwd": str(team / "project")})
    hook = ("hook", "--client", "claude", "--event", "UserPromptSubmit")
    assert process(*hook, stdin=prompt).json == {}
    (trouble,) = [t for t in doctor(synapse)["troubles"] if t["code"] == "no-tree"]
    assert f"the one in {team} belongs to another user" in trouble["sentence"]
    assert f"`synapse trust {shlex.quote(str(team))}`" in trouble["remedy"]
    assert "belongs to another user" in synapse("status").err
    assert synapse("trust", str(team), "--yes").code == 0
    assert "hookSpecificOutput" in process(*hook, stdin=prompt).json


@pytest.mark.parametrize(
    ("client", "file", "change"),
    [
        ("claude", ".claude/settings.json", {"disableAllHooks": True}),
        ("claude", ".claude/settings.local.json", {"disableAllHooks": True}),
        ("copilot", ".github/copilot/settings.json", {"disableAllHooks": True}),
        ("copilot", ".github/hooks/synapse.json", {"disableAllHooks": True}),
        ("vscode", ".vscode/settings.json", {"chat.useHooks": False}),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"disabled": ["synapse"]}}),
    ],
)
def test_what_switches_hooks_off_is_told_with_its_place(
    synapse: Synapse, team: Path, client: str, file: str, change: dict[str, Any]
) -> None:
    synapse("install", "--client", client)
    assert "hooks-off" not in codes(doctor(synapse), client)
    settings(team, file, change)
    (trouble,) = [t for t in doctor(synapse)["troubles"] if t["code"] == "hooks-off"]
    assert (trouble["client"], trouble["path"]) == (client, file) and trouble["line"] > 0


def test_folders_that_a_client_does_not_trust_are_told(synapse: Synapse, team: Path) -> None:
    home = Path(os.environ["HOME"])
    synapse("install", "--client", "gemini", "--client", "codex")
    document = doctor(synapse)
    assert codes(document, "gemini") == ["untrusted-folder"]
    assert codes(document, "codex") == ["untrusted-folder", "unapproved-hooks"]
    for folder in (".gemini", ".codex"):
        (home / folder).mkdir()
    trusted = json.dumps({str(team.parent): "TRUST_FOLDER"})
    (home / ".gemini/trustedFolders.json").write_text(trusted)
    (home / ".codex/config.toml").write_text(
        trusted_folder(team) + approved_hooks(team / ".codex/hooks.json")
    )
    assert doctor(synapse)["troubles"] == []


@pytest.mark.parametrize(
    ("levels", "is_trusted"),
    [
        ({"..": "TRUST_FOLDER", ".": "DO_NOT_TRUST"}, False),
        ({"../..": "TRUST_FOLDER", "..": "DO_NOT_TRUST"}, False),
        ({"../..": "DO_NOT_TRUST", "..": "TRUST_FOLDER"}, True),
        ({"../beside": "TRUST_PARENT"}, True),
        ({"../link": "TRUST_FOLDER"}, True),
    ],
)
def test_of_the_folders_that_gemini_lists_the_longest_counts_behind_links(
    synapse: Synapse, team: Path, levels: dict[str, str], is_trusted: bool
) -> None:
    synapse("install", "--client", "gemini")
    (team.parent / "link").symlink_to(team)
    folder = Path(os.environ["HOME"], ".gemini")
    folder.mkdir()
    listed = {os.path.normpath(team / path): level for path, level in levels.items()}
    (folder / "trustedFolders.json").write_text(json.dumps(listed))
    assert ("untrusted-folder" not in codes(doctor(synapse), "gemini")) == is_trusted


@pytest.mark.parametrize(
    ("variable", "value", "is_trusted"),
    [
        ("GEMINI_CLI_TRUST_WORKSPACE", "true", True),
        ("GEMINI_CLI_TRUST_WORKSPACE", "false", False),
        ("GEMINI_RESTRICTED_MODE", "true", False),
    ],
)
def test_the_environment_says_what_gemini_trusts(
    synapse: Synapse,
    team: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    is_trusted: bool,
) -> None:
    synapse("install", "--client", "gemini")
    if not is_trusted:
        agreed_to(team, Path(os.environ["HOME"]))
    monkeypatch.setenv(variable, value)
    assert ("untrusted-folder" not in codes(doctor(synapse), "gemini")) == is_trusted


@pytest.fixture
def gemini_list(synapse: Synapse, team: Path) -> Path:
    """The list of folders that Gemini CLI trusts, which is not there yet, with our hook in the project."""
    synapse("install", "--client", "gemini")
    folder = Path(os.environ["HOME"], ".gemini")
    folder.mkdir()
    return folder / "trustedFolders.json"


@pytest.mark.parametrize(
    ("levels", "is_trusted"),
    [
        ({"{above}": "TRUST_FOLDER", "{parent}": "DO_NOT_TRUST"}, False),
        ({"{parent}": "DO_NOT_TRUST", "{team}": "TRUST_FOLDER"}, True),
        ({"{team}": "TRUST_FOLDER", "{parent}": "DO_NOT_TRUST"}, True),
        ({"{parent}/other": "TRUST_PARENT", "{parent}": "DO_NOT_TRUST"}, True),
        ({"{parent}": "TRUST_FOLDER", "{parent}/none": "DO_NOT_TRUST"}, True),
        ({"{team}x": "TRUST_FOLDER"}, False),
        ({"{team}/": "TRUST_FOLDER"}, True),
        ({"{link}": "TRUST_FOLDER"}, True),
        ({"{team}": "DO_NOT_TRUST", "{link}": "TRUST_FOLDER"}, True),
        ({"{link}": "DO_NOT_TRUST", "{team}": "TRUST_FOLDER"}, False),
        ({"{link}/other": "TRUST_PARENT"}, True),
        ({"..": "TRUST_FOLDER"}, True),
        ({}, False),
    ],
)
def test_gemini_trusts_a_folder_as_the_longest_entry_that_holds_it_says(
    synapse: Synapse, team: Path, gemini_list: Path, levels: dict[str, str], is_trusted: bool
) -> None:
    link = team.with_name("a-link-whose-name-is-longer-than-the-folder's")
    link.symlink_to(team)
    places = {"team": team, "parent": team.parent, "above": team.parent.parent, "link": link}
    entries = {entry.format(**places): level for entry, level in levels.items()}
    gemini_list.write_text(json.dumps(entries))
    found = codes(doctor(synapse), "gemini")
    assert found == ([] if is_trusted else ["untrusted-folder"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n"/a": "TRUST"}', ":2:1: `TRUST` is no level of trust that Gemini CLI knows"),
        ('{"/a": true}', ":1:2: `true` is no level of trust that Gemini CLI knows"),
        ('{"/a": "TRUST_FOLDER",}', ":1:22 is no JSON that Gemini CLI reads: it takes no comma"),
        ("", ":1:1 is no JSON that Gemini CLI reads"),
        ("[]", " is no object"),
        ("\ufeff{}", " begins with a byte order mark, which Gemini CLI does not take"),
    ],
)
def test_a_list_of_folders_for_which_gemini_does_not_start_is_an_error(
    synapse: Synapse, team: Path, gemini_list: Path, text: str, said: str
) -> None:
    gemini_list.write_text(text)
    (trouble,) = doctor(synapse)["troubles"]
    assert (trouble["code"], trouble["severity"]) == ("broken-settings", "error")
    assert trouble["sentence"].startswith(f"~/.gemini/trustedFolders.json{said}")
    assert trouble["sentence"].endswith(", so Gemini CLI does not start")


def test_where_gemini_asks_for_no_trust_its_list_says_nothing(
    synapse: Synapse, team: Path, gemini_list: Path
) -> None:
    gemini_list.write_text("no list")
    change = {"security": {"folderTrust": {"enabled": False}}}
    settings(gemini_list.parent, "settings.json", change)
    assert doctor(synapse)["troubles"] == []


def test_the_environment_says_more_than_the_settings_of_gemini(
    synapse: Synapse, team: Path, gemini_list: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = {"security": {"folderTrust": {"enabled": False}}}
    settings(gemini_list.parent, "settings.json", change)
    monkeypatch.setenv("GEMINI_CLI_TRUST_WORKSPACE", "false")
    assert codes(doctor(synapse), "gemini") == ["untrusted-folder"]


def test_the_environment_says_where_the_list_of_gemini_stands(
    synapse: Synapse, team: Path, gemini_list: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = gemini_list.with_name("folders.json")
    elsewhere.write_text(json.dumps({str(team): "TRUST_FOLDER"}))
    gemini_list.write_text(json.dumps({str(team): "DO_NOT_TRUST"}))
    monkeypatch.setenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH", str(elsewhere))
    assert doctor(synapse)["troubles"] == []


@pytest.mark.parametrize("client", ["codex", "gemini"])
def test_what_keeps_the_block_from_a_client_that_is_used_here_is_an_error(
    synapse: Synapse, team: Path, client: str
) -> None:
    home = Path(os.environ["HOME"])
    synapse("install", "--client", client)
    assert doctor(synapse)["ok"]  # nobody has ever started that client here
    (home / f".{client}").mkdir()
    document = doctor(synapse, "--client", client)
    assert not document["ok"] and {t["severity"] for t in document["troubles"]} == {"error"}
    agreed_to(team, home)
    assert doctor(synapse, "--client", client)["troubles"] == []


@pytest.mark.parametrize("client", ["codex", "gemini"])
def test_where_another_scope_brings_the_block_it_is_a_warning(
    synapse: Synapse, team: Path, client: str
) -> None:
    home = Path(os.environ["HOME"])
    synapse("install", "--client", client, "--scope", "user", "--trust")
    synapse("install", "--client", client)
    agreed_to(team, home)
    (home / ".gemini/trustedFolders.json").unlink()
    config = home / ".codex/config.toml"
    config.write_text(config.read_text().replace('"trusted"', '"untrusted"'))
    document = doctor(synapse, "--client", client)
    assert "untrusted-folder" in codes(document, client) and document["ok"]


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("client", CLIENTS)
def test_a_tree_that_is_not_trusted_has_one_remedy_in_every_client(
    synapse: Synapse, team: Path, client: str
) -> None:
    synapse("install", "--client", client, "--scope", "user")
    agreed_to(team, Path(os.environ["HOME"]))
    (trouble,) = doctor(synapse, "--client", client)["troubles"]
    assert (trouble["code"], trouble["severity"]) == ("untrusted-tree", "error")
    assert CLIENTS[client].title in trouble["sentence"]
    assert trouble["remedy"] == "Run `synapse trust`."


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("client", [c.name for c in CLIENTS.values() if c.place(PROJECT)])
def test_a_tree_that_is_not_trusted_is_no_error_beside_settings_of_the_project(
    synapse: Synapse, team: Path, client: str
) -> None:
    synapse("install", "--client", client, "--scope", "user")
    synapse("install", "--client", client)
    agreed_to(team, Path(os.environ["HOME"]))
    document = doctor(synapse, "--client", client)
    assert "untrusted-tree" in codes(document, client) and document["ok"]


def test_a_repository_that_is_not_the_projects_own_is_named(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other/.git"
    for folder in ("objects", "refs"):
        (other / folder).mkdir(parents=True)
    (other / "HEAD").write_text("ref: refs/heads/secret-plans\n")
    (team / ".git").write_text(f"gitdir: {other}\n")
    found = [t for t in doctor(synapse)["troubles"] if t["code"] == "foreign-repository"]
    assert [f"`synapse trust {other.parent}`" in t["remedy"] for t in found] == [True]
    assert "not the project's own" in synapse("diff", "HEAD").err
    assert synapse("trust", str(other.parent), "--yes").code == 0
    assert "foreign-repository" not in codes(doctor(synapse))
