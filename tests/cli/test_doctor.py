from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.doctor import checks
from tests.cli.conftest import Synapse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells")


@pytest.fixture(autouse=True)
def computer(surroundings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A computer with ``synapse`` on the search path and no client."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "synapse"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m synapse_ls "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr(checks, "SHORT_PATH", str(folder))
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    for client in CLIENTS.values():
        for name in (*client.variables, client.home.variable):
            monkeypatch.delenv(name or "-", raising=False)


def doctor(synapse: Synapse, *arguments: str) -> dict[str, Any]:
    document: dict[str, Any] = synapse("doctor", "--runs", "0", *arguments, "--format", "json").json
    return document


def codes(document: dict[str, Any], client: str = "") -> list[str]:
    return [t["code"] for t in document["troubles"] if t["client"] == client]


def settings(team: Path, name: str, change: dict[str, Any]) -> None:
    file = team / name
    found = json.loads(file.read_text()) if file.exists() else {}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**found, **change}))


@pytest.mark.parametrize("name", CLIENTS)
def test_the_block_comes_back_through_the_command_line_of_each_client(
    synapse: Synapse, team: Path, name: str
) -> None:
    synapse("install", "--client", name)
    (patient,) = doctor(synapse, "--client", name)["clients"]
    canary = patient["canary"]
    assert canary["ok"] and canary["exit"] == 0
    assert "[CONSTITUTION]" in canary["text"].replace("&#91;", "[")
    assert 0 < canary["characters"] <= canary["limit"]


@pytest.mark.parametrize("scope", ["local", "user"])
def test_the_other_scopes_answer_too(synapse: Synapse, team: Path, scope: str) -> None:
    synapse("install", "--client", "claude", "--scope", scope, "--trust")
    document = doctor(synapse, "--client", "claude")
    assert document["ok"] and document["clients"][0]["canary"]["scope"] == scope


def test_nothing_is_left_of_the_examination(synapse: Synapse, team: Path, tmp_path: Path) -> None:
    synapse("install", "--client", "all")
    before = {path: path.stat().st_mtime_ns for path in sorted(team.rglob("*"))}
    synapse("doctor", "--runs", "1")
    assert {path: path.stat().st_mtime_ns for path in sorted(team.rglob("*"))} == before
    assert not (tmp_path / "cache").exists()


def test_all_is_well(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude")
    done = synapse("doctor", "--runs", "2")
    assert done.code == 0
    assert "  project  .claude/settings.json:8, 8 events\n" in done.out
    assert "is asked before a tool is used, and lets a harmless one pass" in done.out
    assert "the block reaches the model: " in done.out
    assert "at worst" in done.out and done.out.endswith("\nAll is well.\n")


def test_a_hook_that_stands_in_the_way_of_harmless_tools_is_an_error(
    synapse: Synapse, team: Path
) -> None:
    synapse("install", "--client", "claude")
    file = team / ".claude/settings.json"
    text = file.read_text()
    before, mark, after = text.partition("synapse hook --event PreToolUse")
    said = '\\"permissionDecision\\"'.replace("\\", "\\\\")
    file.write_text(f"{before}echo '{{{said}: 1}}' # {mark}{after}".replace("\\\\", "\\"))
    document = doctor(synapse, "--client", "claude")
    (trouble,) = [t for t in document["troubles"] if t["code"] == "guard-in-the-way"]
    assert "permissionDecision" in trouble["sentence"] and not document["ok"]
    assert document["clients"][0]["guard"] == [{"scope": "project", "ok": False}]


def test_a_guard_to_be_enforced_that_nobody_asks_is_a_warning(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/config.toml").write_text('[guard]\nmode = "enforce"\n')
    synapse("install", "--client", "claude", "--no-guard")
    codes = [trouble["code"] for trouble in doctor(synapse, "--client", "claude")["troubles"]]
    assert codes == ["unguarded"]


def test_runs_are_timed_against_a_bare_interpreter(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    document = synapse("doctor", "--client", "claude", "--runs", "3", "--format", "json").json
    latency = document["clients"][0]["latency"]
    assert latency["runs"] == 3 and 0 < latency["median_ms"] <= latency["worst_ms"]
    assert latency["times_start"] > 1 and document["interpreter"]["start_ms"] > 0


def test_where_nothing_is_registered_that_is_said(synapse: Synapse, team: Path) -> None:
    (team / ".cursor").mkdir()
    done = synapse("doctor", "--runs", "0")
    assert done.code == 1
    assert (
        "Cursor  not registered (the project has .cursor): `synapse install --client cursor`"
        in (done.out)
    )
    assert "error: no client calls the hook\n  remedy: Run `synapse install`.\n" in done.out


def test_a_hook_of_the_user_says_nothing_in_a_tree_that_is_not_trusted(
    synapse: Synapse, team: Path
) -> None:
    synapse("install", "--client", "claude", "--scope", "user")
    document = doctor(synapse)
    if document["clients"][0]["canary"]["ok"]:
        pytest.fail("an untrusted tree was served")
    assert codes(document, "claude") == ["untrusted-tree"] and not document["ok"]


def test_synapse_that_is_not_found_is_told(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synapse("install", "--client", "claude")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (trouble,) = doctor(synapse)["troubles"]
    assert trouble["code"] == "silent-hook" and "not found" in trouble["sentence"]
    assert (trouble["path"], trouble["line"]) == (".claude/settings.json", 19)


def test_an_interpreter_that_is_gone_is_told(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    file = team / ".claude/settings.local.json"
    file.write_text(file.read_text().replace(sys.executable, "/gone/python"))
    assert codes(doctor(synapse), "claude") == [
        "outdated-registration",
        "missing-program",
        "silent-hook",
    ]


def test_a_registration_without_an_event_is_old(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "cursor")
    found = json.loads((team / ".cursor/hooks.json").read_text())
    del found["hooks"]["stop"]
    (team / ".cursor/hooks.json").write_text(json.dumps(found))
    document = doctor(synapse, "--client", "cursor")
    assert codes(document, "cursor") == ["outdated-registration"]
    assert document["clients"][0]["missing_events"] == ["stop"] and document["ok"]


def test_two_registrations_under_one_client_are_told(synapse: Synapse, team: Path) -> None:
    for scope in ("project", "local"):
        synapse("install", "--client", "claude", "--scope", scope)
    assert codes(doctor(synapse), "claude") == ["double-registration"]


def test_vs_code_that_runs_claude_s_hooks_too_is_told(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--client", "vscode")
    assert codes(doctor(synapse), "vscode") == []
    settings(team, ".vscode/settings.json", {"chat.useClaudeHooks": True})
    assert codes(doctor(synapse), "vscode") == ["double-registration"]


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
    name = json.dumps(str(team / ".codex/hooks.json") + ":session_start:0:0")
    (home / ".codex/config.toml").write_text(
        f'[projects.{json.dumps(str(team))}]\ntrust_level = "trusted"\n'
        f'[hooks.state.{name}]\ntrusted_hash = "x"\n'
    )
    assert doctor(synapse)["troubles"] == []


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


def agreed_to(team: Path, home: Path) -> None:
    """Codex and Gemini CLI trust the folder, and somebody has approved Codex's hooks."""
    for folder in (".gemini", ".codex"):
        (home / folder).mkdir(exist_ok=True)
    (home / ".gemini/trustedFolders.json").write_text(json.dumps({str(team): "TRUST_FOLDER"}))
    names = [json.dumps(f"{base}/.codex/hooks.json:stop:0:0") for base in (team, home)]
    states = "".join(f'[hooks.state.{name}]\ntrusted_hash = "x"\n' for name in names)
    (home / ".codex/config.toml").write_text(
        f'[projects.{json.dumps(str(team))}]\ntrust_level = "trusted"\n{states}'
    )


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


@pytest.mark.parametrize("client", CLIENTS)
def test_a_tree_that_is_not_trusted_has_one_remedy_in_every_client(
    synapse: Synapse, team: Path, client: str
) -> None:
    agreed_to(team, Path(os.environ["HOME"]))
    synapse("install", "--client", client, "--scope", "user")
    (trouble,) = doctor(synapse, "--client", client)["troubles"]
    assert (trouble["code"], trouble["severity"]) == ("untrusted-tree", "error")
    assert CLIENTS[client].title in trouble["sentence"]
    assert trouble["remedy"] == "Run `synapse trust`."
    synapse("install", "--client", client)
    document = doctor(synapse, "--client", client)
    assert "untrusted-tree" in codes(document, client) and document["ok"]


def test_the_original_engine_tells_the_same_rules_twice(synapse: Synapse, team: Path) -> None:
    engine = {"type": "command", "command": "node .claude/hooks/synapse-engine.cjs"}
    settings(team, ".claude/settings.json", {"hooks": {"UserPromptSubmit": [{"hooks": [engine]}]}})
    synapse("install", "--client", "claude")
    document = doctor(synapse, "--client", "claude")
    (trouble,) = document["troubles"]
    assert (trouble["code"], trouble["severity"]) == ("rival-engine", "warning")
    assert trouble["path"] == ".claude/settings.json" and "Take that entry out" in trouble["remedy"]


@pytest.mark.parametrize(("client", "timeout"), [("claude", 1), ("gemini", 1000)])
def test_no_longer_is_waited_than_the_client_would(
    synapse: Synapse, team: Path, client: str, timeout: int
) -> None:
    synapse("install", "--client", client)
    file = team / f".{client}/settings.json"
    found = json.loads(file.read_text())
    event = CLIENTS[client].prompt
    handler = found["hooks"][event][0]["hooks"][0]
    handler |= {"timeout": timeout, "command": f"sleep 20; {handler['command']}"}
    file.write_text(json.dumps(found))
    began = time.monotonic()
    document = doctor(synapse, "--client", client)
    assert time.monotonic() - began < 15
    (trouble,) = [t for t in document["troubles"] if t["code"] == "silent-hook"]
    assert "no answer within 1 s" in trouble["sentence"]


def test_a_slower_computer_makes_no_hook_slow(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[str] = []
    real = subprocess.run

    def run(command: Any, **options: Any) -> Any:
        began.append("bare" if "pass" in command else "other")
        return real(command, **options)

    monkeypatch.setattr(subprocess, "run", run)
    synapse("install", "--client", "claude", "--scope", "local")
    synapse("doctor", "--client", "claude", "--runs", "3")
    assert began.count("bare") >= 6  # for the page's head, and beside each of the prompts


def test_settings_of_the_user_count_once_in_the_home_folder(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synapse("install", "--client", "claude", "--scope", "user")
    monkeypatch.chdir(os.environ["HOME"])
    document = doctor(synapse, "--client", "claude")
    assert {r["scope"] for r in document["clients"][0]["registrations"]} == {"user"}


def test_hooks_of_others_are_listed(synapse: Synapse, team: Path) -> None:
    settings(
        team,
        ".github/hooks/other.json",
        {"version": 1, "hooks": {"userPromptSubmitted": [{"type": "command", "bash": "./mine"}]}},
    )
    synapse("install", "--client", "copilot")
    document = doctor(synapse, "--client", "copilot")
    (rival,) = document["clients"][0]["rivals"]
    assert (rival["path"], rival["line"], rival["command"]) == (
        ".github/hooks/other.json",
        1,
        "./mine",
    )
    assert codes(document, "copilot") == ["rival-hook"]


INLINE = {"hooks": {"userPromptSubmitted": [{"type": "command", "bash": "./mine"}]}}
TABLES = """\
model = "gpt-5"

[[hooks.UserPromptSubmit]]
[[hooks.UserPromptSubmit.hooks]]
type = "command"
command = './mine'
"""
SETS = {"mine": {"PreInvocation": [{"type": "command", "command": "./mine"}]}}


@pytest.mark.parametrize(
    ("client", "path", "text", "line"),
    [
        ("copilot", ".github/copilot/settings.json", json.dumps(INLINE), 1),
        ("codex", ".codex/config.toml", TABLES, 6),
        ("antigravity", ".agents/hooks.json", json.dumps(SETS, indent=1), 6),
        ("antigravity", "_agents/hooks.json", json.dumps(SETS), 1),
    ],
)
def test_hooks_of_others_are_found_wherever_the_client_reads_them(
    synapse: Synapse, team: Path, client: str, path: str, text: str, line: int
) -> None:
    (team / path).parent.mkdir(parents=True)
    (team / path).write_text(text)
    synapse("install", "--client", client)
    (rival,) = doctor(synapse, "--client", client)["clients"][0]["rivals"]
    assert (rival["path"], rival["line"], rival["command"]) == (path, line, "./mine")


def test_settings_that_cannot_be_read_are_told(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude")
    (team / ".claude/settings.local.json").write_text("{")
    (trouble,) = doctor(synapse)["troubles"]
    assert trouble["code"] == "broken-settings"
    assert ".claude/settings.local.json:1:2" in trouble["sentence"]


def test_a_folder_without_a_tree_is_told(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new").mkdir()
    monkeypatch.chdir(tmp_path / "new")
    synapse("install", "--client", "claude")
    assert codes(doctor(synapse)) == ["no-tree"]


def test_runs_are_a_number(synapse: Synapse, team: Path) -> None:
    assert '--runs takes a number up to 1000, not "x".' in synapse("doctor", "--runs", "x").err


def test_the_page_names_every_trouble() -> None:
    package = Path(checks.__file__).parent.parent
    sources = "".join(
        path.read_text("utf-8")
        for room in ("clients", "doctor")
        for path in (package / room).glob("*.py")
    )
    page = Path(__file__).parent.parent.parent / "docs/cli.md"
    section = page.read_text("utf-8").partition("\n## synapse doctor\n")[2].partition("\n## ")[0]
    codes = re.findall(r'Trouble\(\s*"([a-z-]+)"', sources)
    assert codes and not [code for code in codes if f"`{code}`" not in section]


def test_the_mcp_server_is_greeted(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--mcp")
    document = doctor(synapse, "--client", "claude")
    (server,) = document["clients"][0]["servers"]
    assert server["ok"] and server["current"], server
    assert (server["path"], server["command"]) == (".mcp.json", ["synapse", "mcp"])
    assert "silent-server" not in codes(document, "claude")


def test_an_mcp_server_that_does_not_answer_is_told(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--mcp")
    settings(
        team, ".mcp.json", {"mcpServers": {"synapse": {"command": "/no/synapse", "args": ["mcp"]}}}
    )
    document = doctor(synapse, "--client", "claude")
    (trouble,) = [t for t in document["troubles"] if t["code"] == "silent-server"]
    assert "there is no program /no/synapse" in trouble["sentence"]
    assert "--mcp --client claude" in trouble["remedy"]


def test_the_language_server_is_greeted(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "copilot", "--lsp")
    document = doctor(synapse, "--client", "copilot")
    (server,) = document["clients"][0]["servers"]
    assert server["ok"] and server["current"], server
    assert (server["protocol"], server["path"]) == ("lsp", ".github/lsp.json")
    said = synapse("doctor", "--client", "copilot", "--runs", "0").out
    assert "  lsp      .github/lsp.json:3, the server answers\n" in said


def test_a_language_server_that_is_not_registered_is_named(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "copilot")
    said = synapse("doctor", "--client", "copilot", "--runs", "0").out
    assert "  lsp      not registered: `synapse install --lsp --client copilot`\n" in said


@pytest.mark.parametrize("script", ["", "echo hello", "cat", "exit 3"])
def test_a_language_server_that_does_not_answer_is_told(
    synapse: Synapse, team: Path, script: str
) -> None:
    program = team / "tools/synapse"
    if script:
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        program.chmod(0o755)
    entry = {"command": str(program), "args": ["serve"], "fileExtensions": {"": "synapse"}}
    settings(team, ".github/lsp.json", {"lspServers": {"synapse": entry}})
    document = doctor(synapse, "--client", "copilot")
    (trouble,) = [t for t in document["troubles"] if t["code"] == "silent-server"]
    assert trouble["sentence"].startswith("the language server in .github/lsp.json does not answer")
    assert "synapse install --lsp --client copilot" in trouble["remedy"]


@pytest.mark.parametrize(
    ("config", "line", "said"),
    [
        ("\nprofile = [", 2, "the whole configuration is ignored"),
        ('[guard]\nmode = "enforced"\n', 2, 'it counts as "enforce"'),
        ("[lint]\nselekt = []\n", 2, "There is no setting `lint.selekt`"),
        ('# ours\nprofile = "sinapse"\n', 2, "There is no profile `sinapse`"),
        ("\0\0", 1, "the guard is strict"),
    ],
)
def test_what_is_wrong_with_the_configuration_is_an_error(
    synapse: Synapse, team: Path, config: str, line: int, said: str
) -> None:
    (team / ".synapse/config.toml").write_text(config, "utf-8")
    document = doctor(synapse)
    (found,) = [t for t in document["troubles"] if t["code"] == "broken-configuration"]
    assert (found["severity"], found["path"], found["line"]) == (
        "error", ".synapse/config.toml", line,
    )  # fmt: skip
    assert said in found["sentence"] and found["remedy"]
    assert not document["ok"]


def test_what_the_hook_is_still_reading_is_waited_for(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    program = tmp_path / "bin/synapse"
    text = program.read_text().replace(
        f'exec "{sys.executable}" -m synapse_ls',
        f'exec "{sys.executable}" -c "import sys, synapse_ls.service.call as c; c.PATIENCE = 0.0; '
        f'import synapse_ls.__main__ as m; sys.exit(m.main())"',
    )
    program.write_text(text)
    synapse("install", "--client", "claude")
    (patient,) = doctor(synapse, "--client", "claude")["clients"]
    assert "still being read" not in patient["canary"]["text"]
    assert "[GLOBAL]" in patient["canary"]["text"]
