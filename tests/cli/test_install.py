from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.storage import trusted_trees
from tests.cli.conftest import Synapse

CLAUDE = ".claude/settings.json"


@pytest.fixture(autouse=True)
def quiet(surroundings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A computer on which no client is installed."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for client in CLIENTS.values():
        for name in (*client.variables, client.user_folder.variable):
            monkeypatch.delenv(name or "-", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home/.config").mkdir()


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"folder"
        for path in sorted(folder.rglob("*"))
    }


def test_what_is_in_use_is_proposed_and_not_written(synapse: Synapse, team: Path) -> None:
    (team / ".claude").mkdir()
    (team / "GEMINI.md").write_text("")
    before = files(team)
    done = synapse("install")
    assert (done.code, files(team)) == (0, before)
    assert "Claude Code  the project has .claude    .claude/settings.json\n" in done.out
    assert "`synapse install --client claude --client gemini`" in done.err


def test_a_proposal_can_be_accepted(synapse: Synapse, team: Path) -> None:
    (team / ".cursor").mkdir()
    document = synapse("install", "--yes", "--format", "json").json
    assert document["detected"] == [{"client": "cursor", "because": "the project has .cursor"}]
    assert document["applied"] and (team / ".cursor/hooks.json").exists()


def test_without_any_client_one_has_to_be_named(synapse: Synapse, team: Path) -> None:
    done = synapse("install")
    assert (done.code, done.out) == (2, "")
    assert "No agent client was found here." in done.err and "--client claude" in done.err


def test_where_the_only_client_has_no_such_settings_its_scope_is_named(
    synapse: Synapse, team: Path
) -> None:
    (team / ".kimi-code").mkdir()
    done = synapse("install")
    assert (done.code, done.out) == (2, "")
    assert "Kimi Code: no settings of scope project." in done.err
    assert "Use --client kimi --scope user." in done.err


def test_a_client_without_such_settings_is_named_beside_what_is_proposed(
    synapse: Synapse, team: Path
) -> None:
    (team / ".kimi-code").mkdir()
    (team / ".claude").mkdir()
    done = synapse("install")
    assert done.code == 0 and "`synapse install --client claude`" in done.err
    assert "note: Kimi Code has no settings of scope project\n" in done.err


def test_vs_code_and_copilot_share_a_file(synapse: Synapse, team: Path) -> None:
    done = synapse("install", "--client", "vscode", "--client", "copilot")
    assert done.out.count("\n") == 1
    assert "VS Code Copilot Chat, GitHub Copilot CLI" in done.out


def test_a_sub_agents_start_has_the_name_that_vs_code_reads(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "vscode")
    hooks = json.loads((team / ".github/hooks/synapse.json").read_text())["hooks"]
    assert "SubagentStart" in hooks and "subagentStart" not in hooks


def test_installing_twice_changes_nothing(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "all")
    before = files(team)
    again = synapse("install", "--client", "all", "--format", "json").json
    assert {file["action"] for file in again["files"]} == {"none"}
    assert files(team) == before


@pytest.mark.parametrize("scope", ["project", "local", "user"])
@pytest.mark.parametrize("name", CLIENTS)
def test_install_and_uninstall_leave_no_trace(
    synapse: Synapse, team: Path, name: str, scope: str, tmp_path: Path
) -> None:
    if CLIENTS[name].place(scope) is None:
        done = synapse("install", "--client", name, "--scope", scope)
        assert done.code == 2 and f"has no settings of scope {scope}." in done.err
        return
    before = files(tmp_path)
    assert synapse("install", "--client", name, "--scope", scope).code == 0
    assert files(tmp_path) != before
    assert synapse("uninstall").code == 0
    assert files(tmp_path) == before


@pytest.mark.parametrize("what", ["folder", "loop"])
def test_what_is_no_settings_file_is_nothing_to_uninstall(
    synapse: Synapse, team: Path, what: str
) -> None:
    synapse("install", "--client", "gemini")
    (team / ".claude").mkdir()
    if what == "folder":
        (team / CLAUDE).mkdir()
    else:
        (team / CLAUDE).symlink_to("settings.json")
    done = synapse("uninstall")
    assert (done.code, done.out) == (0, "removed  .gemini/settings.json  Gemini CLI\n")


def test_a_dry_run_shows_the_difference(synapse: Synapse, team: Path) -> None:
    before = files(team)
    done = synapse("install", "--client", "claude", "--dry-run")
    assert done.out.startswith("--- /dev/null\n+++ b/.claude/settings.json\n")
    assert files(team) == before
    synapse("install", "--client", "claude")
    gone = synapse("uninstall", "--dry-run").out
    assert gone.startswith("--- a/.claude/settings.json\n+++ /dev/null\n")
    assert (team / CLAUDE).exists()


def test_what_was_edited_since_stays(synapse: Synapse, team: Path) -> None:
    (team / ".claude").mkdir()
    (team / CLAUDE).write_text('{\n  "model": "opus"\n}\n')
    synapse("install", "--client", "claude")
    edited = (team / CLAUDE).read_text().replace('"opus"', '"sonnet"')
    (team / CLAUDE).write_text(edited)
    synapse("uninstall")
    assert (team / CLAUDE).read_text() == '{\n  "model": "sonnet"\n}\n'


def test_another_computer_finds_the_entries_too(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    synapse("install", "--client", "all")
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "another"))
    synapse("uninstall")
    assert not [path for path in team.iterdir() if path.name.startswith((".c", ".g", ".agents"))]


def test_the_original_is_kept(synapse: Synapse, team: Path) -> None:
    (team / ".claude").mkdir()
    (team / CLAUDE).write_text('{"model": "opus"}')
    synapse("install", "--client", "claude")
    (file,) = synapse("install", "--client", "claude", "--format", "json").json["files"]
    assert Path(file["backup"]).read_text() == '{"model": "opus"}'


def test_a_file_in_the_place_of_the_folder_is_to_be_moved(synapse: Synapse, team: Path) -> None:
    (team / ".claude").write_text("mine")
    done = synapse("install", "--client", "claude")
    assert done.code == 2
    assert "there is a file where a folder is needed" in done.err
    assert "remedy: Move that file away." in done.err
    assert "not registered" in synapse("doctor", "--client", "claude").out
    assert (team / ".claude").read_text() == "mine"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{\n  "hooks": oops\n}', ":2:12 is no JSON that Claude Code reads: expected a value."),
        ('{\n  "hooks', ":2:3 is no JSON that Claude Code reads: an unclosed string."),
        ("{} // mine", ":1:4 is no JSON that Claude Code reads: it takes no comments."),
        ('{"hooks": []}', ':1:11: "hooks" is a list, not an object.'),
        (
            '{"hooks": {"SessionStart": {}}}',
            ':1:28: "hooks.SessionStart" is an object, not a list.',
        ),
        ("[]", ":1:1: the document is a list, not an object."),
    ],
)
def test_a_file_that_cannot_be_changed_is_an_error_and_nothing_is_written(
    synapse: Synapse, team: Path, text: str, told: str
) -> None:
    (team / ".claude").mkdir()
    (team / CLAUDE).write_text(text)
    before = files(team)
    done = synapse("install", "--client", "all")
    assert (done.code, done.out) == (2, "")
    assert f"error: {CLAUDE}{told}\n" in done.err
    assert files(team) == before


def test_a_file_that_cursor_would_cut_is_an_error_and_stays_as_it_is(
    synapse: Synapse, team: Path
) -> None:
    file = team / ".cursor/hooks.json"
    file.parent.mkdir()
    file.write_text('{"hooks": {"stop": [{"command": "curl http://127.0.0.1"}]}}')
    before = files(team)
    done = synapse("install", "--client", "cursor")
    told = r":1:44 is no JSON that Cursor reads: it takes this // for a comment (in a text, \/\/ is none)."
    assert (done.code, done.out) == (2, "")
    assert f"error: .cursor/hooks.json{told}\n" in done.err
    assert files(team) == before


def test_bytes_that_are_no_text_are_an_error(synapse: Synapse, team: Path) -> None:
    (team / ".claude").mkdir()
    (team / CLAUDE).write_bytes(b'{"a": "\xff"}')
    assert f"{CLAUDE} is not UTF-8 (byte 7)" in synapse("install", "--client", "claude").err


def test_a_link_is_written_through(synapse: Synapse, team: Path) -> None:
    (team / ".claude").mkdir()
    (team / "shared.json").write_text("{}\n")
    (team / CLAUDE).symlink_to(team / "shared.json")
    synapse("install", "--client", "claude")
    assert (team / CLAUDE).is_symlink() and "UserPromptSubmit" in (team / "shared.json").read_text()
    synapse("uninstall")
    assert (team / CLAUDE).is_symlink() and (team / "shared.json").read_text() == "{}\n"


def test_a_link_to_settings_that_were_not_there_stays_and_nothing_of_ours_does(
    synapse: Synapse, team: Path
) -> None:
    (team / ".claude").mkdir()
    (team / CLAUDE).symlink_to(team / "dotfiles.json")
    synapse("install", "--client", "claude")
    assert "UserPromptSubmit" in (team / "dotfiles.json").read_text()
    synapse("uninstall")
    assert (team / CLAUDE).is_symlink() and (team / "dotfiles.json").read_text() == "{}\n"


def test_a_link_that_cursor_would_not_read_is_an_error(synapse: Synapse, team: Path) -> None:
    (team / ".cursor").mkdir()
    (team / "shared.json").write_text("{}\n")
    (team / ".cursor/hooks.json").symlink_to(team / "shared.json")
    done = synapse("install", "--client", "cursor")
    assert done.code == 2 and "Cursor reads no settings through one" in done.err


def test_a_mark_at_the_beginning_and_permissions_stay(synapse: Synapse, team: Path) -> None:
    (team / ".gemini").mkdir()
    file = team / ".gemini/settings.json"
    original = b'\xef\xbb\xbf{\r\n\t"ui": {} // mine\r\n}'
    file.write_bytes(original)
    file.chmod(0o640)
    synapse("install", "--client", "gemini")
    assert file.read_bytes().startswith(b'\xef\xbb\xbf{\r\n\t"ui": {}, // mine\r\n\t"hooks": {\r\n')
    assert file.stat().st_mode & 0o777 == 0o640
    synapse("uninstall")
    assert file.read_bytes() == original


def test_older_entries_are_replaced(synapse: Synapse, team: Path) -> None:
    handler = {"type": "command", "command": "synapse hook --client claude", "timeout": 5}
    old = {"hooks": {"Stop": [{"hooks": [handler]}], "UserPromptSubmit": [{"hooks": [handler]}]}}
    (team / ".claude").mkdir()
    (team / CLAUDE).write_text(json.dumps(old))
    synapse("install", "--client", "claude")
    assert sorted(json.loads((team / CLAUDE).read_text())["hooks"]) == sorted(
        CLIENTS["claude"].with_guard(True).events
    )


def events_in(file: Path) -> set[str]:
    return set(json.loads(file.read_text())["hooks"])


def test_the_guard_is_asked_unless_the_tree_s_is_off(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude")
    assert "PreToolUse" in events_in(team / CLAUDE)
    synapse("uninstall")
    (team / ".synapse/config.toml").write_text('[guard]\nmode = "off"\n')
    synapse("install", "--client", "claude")
    assert "PreToolUse" not in events_in(team / CLAUDE)


def test_what_is_said_of_the_guard_counts_before_what_the_tree_says(
    synapse: Synapse, team: Path
) -> None:
    synapse("install", "--client", "claude", "--no-guard")
    assert "PreToolUse" not in events_in(team / CLAUDE)
    (team / ".synapse/config.toml").write_text('[guard]\nmode = "off"\n')
    synapse("install", "--client", "claude", "--guard")
    assert "PreToolUse" in events_in(team / CLAUDE)
    synapse("uninstall")
    assert not (team / CLAUDE).exists()


def test_antigravity_is_never_asked(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "antigravity", "--guard")
    assert "PreToolUse" not in (team / ".agents/hooks.json").read_text()


def test_a_status_line_is_offered_and_never_taken_away(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--statusline")
    settings = json.loads((team / CLAUDE).read_text())
    assert settings["statusLine"]["command"].endswith("synapse-ls statusline || true")
    synapse("uninstall")
    assert not (team / CLAUDE).exists()
    own = '{"statusLine": {"type": "command", "command": "mine.sh"}}'
    (team / ".claude").mkdir(exist_ok=True)
    (team / CLAUDE).write_text(own)
    done = synapse("install", "--client", "claude", "--statusline")
    assert done.code == 0 and f"{CLAUDE}:1:16 has a status line already, which stays" in done.err
    settings = json.loads((team / CLAUDE).read_text())
    assert (
        settings["statusLine"]["command"] == "mine.sh" and "UserPromptSubmit" in settings["hooks"]
    )
    synapse("uninstall")
    assert (team / CLAUDE).read_text() == own


def test_a_status_line_outlives_another_installation(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--statusline")
    text = (team / CLAUDE).read_text()
    (team / CLAUDE).write_text(text.replace('"timeout": 10', '"timeout": 11', 1))
    synapse("install", "--client", "claude")
    assert "synapse-ls statusline" in (team / CLAUDE).read_text()


def test_a_tree_is_trusted_only_when_it_was_asked_for(synapse: Synapse, team: Path) -> None:
    first = synapse("install", "--client", "claude", "--scope", "user", "--format", "json").json
    assert first["trusted"] is False and "synapse trust" in first["next"]
    again = synapse(
        "install", "--client", "claude", "--scope", "user", "--trust", "--format", "json"
    ).json
    assert again["trusted"] is True and trusted_trees.is_trusted(str(team))


def test_a_folder_without_a_tree_is_pointed_out(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new").mkdir()
    monkeypatch.chdir(tmp_path / "new")
    assert "next, `synapse init`" in synapse("install", "--client", "claude").err


def test_all_clients_means_those_with_such_settings(synapse: Synapse, team: Path) -> None:
    done = synapse("install", "--client", "all", "--scope", "local")
    assert done.code == 0 and "note: Cursor has no settings of scope local\n" in done.err
    assert (team / ".claude/settings.local.json").exists()


def test_a_change_in_the_meantime_is_no_loss(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from synapse_ls.integrations.client_settings import PROJECT, Surroundings
    from synapse_ls.setup.install import hook_installation
    from synapse_ls.text.user_error import UserError

    around = Surroundings(team, Path(os.environ["HOME"]))
    changes = hook_installation.plan_installation(
        around, [CLIENTS["claude"], CLIENTS["codex"]], PROJECT
    )
    (team / ".codex").mkdir()
    (team / ".codex/hooks.json").write_text("{}")
    with pytest.raises(UserError, match="has changed since it was read"):
        hook_installation.apply_changes(changes)
    assert not (team / ".claude").exists()


@pytest.mark.parametrize("name", ["claude", "cursor", "codex", "gemini"])
def test_settings_of_the_user_are_none_of_a_project_in_the_home_folder(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path / "home")
    before = files(tmp_path / "home")
    done = synapse("install", "--client", name)
    assert (done.code, done.out, files(tmp_path / "home")) == (2, "", before)
    assert "would run in every project" in done.err and "--scope user" in done.err


def test_the_original_engine_beside_is_pointed_out(synapse: Synapse, team: Path) -> None:
    engine = {"type": "command", "command": 'node "$P/.claude/hooks/synapse-engine.cjs"'}
    (team / ".claude").mkdir()
    settings = {"hooks": {"UserPromptSubmit": [{"hooks": [engine]}]}}
    (team / CLAUDE).write_text(json.dumps(settings, indent=2))
    done = synapse("install", "--client", "claude")
    assert done.code == 0 and f"note: {CLAUDE}:8 runs the original engine" in done.err


def test_the_engine_beside_is_pointed_out_where_it_stands_now(synapse: Synapse, team: Path) -> None:
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"node .claude/hooks/{name}.cjs"}]}]
        for event, name in (
            ("UserPromptSubmit", "synapse-wrapper"),
            ("PreCompact", "precompact-wrapper"),
        )
    }
    (team / ".claude").mkdir()
    (team / CLAUDE).write_text(json.dumps({"hooks": hooks}, indent=2))
    done = synapse("install", "--client", "claude")
    lines = (team / CLAUDE).read_text().splitlines()
    first, second = (n for n, line in enumerate(lines, 1) if ".cjs" in line)
    assert f"note: {CLAUDE}:{first}, {second} runs the original engine" in done.err


def test_a_file_that_may_not_be_written_stays(synapse: Synapse, team: Path) -> None:
    (team / ".claude").mkdir()
    (team / CLAUDE).write_text("{}\n")
    (team / CLAUDE).chmod(0o444)
    done = synapse("install", "--client", "claude", "--client", "codex")
    assert done.code == 2 and f"error: {CLAUDE} is write-protected" in done.err
    assert (team / CLAUDE).read_text() == "{}\n" and not (team / ".codex").exists()


def test_a_link_that_leads_nowhere_is_named(synapse: Synapse, team: Path) -> None:
    (team / ".claude").symlink_to(team / "gone")
    done = synapse("install", "--client", "claude")
    assert (done.code, files(team).get(".codex")) == (2, None)
    assert "error: .claude is a symbolic link that leads nowhere" in done.err


def test_a_failure_names_its_file(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (team / ".codex").write_text("a file")
    done = synapse("install", "--client", "claude", "--client", "codex")
    assert done.code == 2 and ".codex/hooks.json" in done.err and " it:" not in done.err
    assert not (team / ".claude").exists()


def asked_events(root: Path) -> set[str]:
    """The events before a tool is used that Cursor's shared settings register."""
    found = json.loads((root / ".cursor/hooks.json").read_text("utf-8"))["hooks"]
    return {"beforeShellExecution", "beforeMCPExecution", "preToolUse"} & set(found)


@pytest.mark.parametrize(("mode", "more", "asked"), [
    ("warn", [], False), ("enforce", [], True), ("off", [], False), ("warn", ["--guard"], True),
    ("enforce", ["--no-guard"], False),
])  # fmt: skip
def test_shared_settings_of_cursor_ask_the_guard_where_it_is_enforced(
    synapse: Synapse, team: Path, mode: str, more: list[str], asked: bool
) -> None:
    (team / ".synapse/config.toml").write_text(f'[guard]\nmode = "{mode}"\n')
    done = synapse("install", "--client", "cursor", *more)
    assert bool(asked_events(team)) == asked
    assert ("does not ask the guard with these settings" in done.err) == (
        mode == "warn" and not more
    )


def test_settings_of_the_user_ask_the_guard_of_cursor(synapse: Synapse, team: Path) -> None:
    done = synapse("install", "--client", "cursor", "--scope", "user")
    assert "beforeShellExecution" in (Path.home() / ".cursor/hooks.json").read_text("utf-8")
    assert "does not ask the guard" not in done.err
