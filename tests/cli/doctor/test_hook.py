"""The hook of each client, called as the client would, and what is wrong with it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.doctor import registration_checks, tree_checks
from synapse_ls.storage import bytecode_bundle, plan_cache
from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor, replace_program

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells")]
in_forks = pytest.mark.usefixtures("forks")
"""What is not about how a hook or server starts."""


@pytest.mark.parametrize("name", CLIENTS)
def test_the_block_comes_back_through_the_command_line_of_each_client(
    synapse: Synapse, team: Path, name: str
) -> None:
    synapse("install", "--client", name, "--scope", CLIENTS[name].scopes[0], "--trust")
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
    (team / ".synapse/config.toml").write_text('profile = "synapse-live"\n', "utf-8")
    synapse("install", "--client", "claude")
    done = synapse("doctor", "--runs", "2")
    assert done.code == 0
    settings = json.loads((team / ".claude/settings.json").read_text("utf-8"))
    count = len(settings["hooks"])
    assert f"  project  .claude/settings.json:8, {count} events\n" in done.out
    assert "a harmless tool passed the test" in done.out
    assert "the hook answers: " in done.out
    assert " the slowest\n" in done.out and done.out.endswith("\nAll is well.\n")


def test_a_hook_that_stands_in_the_way_of_harmless_tools_is_an_error(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    synapse("install", "--client", "claude")
    replace_program(tmp_path, """echo '{"permissionDecision": 1}'""")
    document = doctor(synapse, "--client", "claude")
    (trouble,) = [t for t in document["troubles"] if t["code"] == "guard-in-the-way"]
    assert "permissionDecision" in trouble["sentence"] and not document["ok"]
    assert document["clients"][0]["guard"] == [{"scope": "project", "ok": False}]


def test_a_guard_to_be_enforced_that_nobody_asks_is_a_warning(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/config.toml").write_text('[guard]\nmode = "enforce"\n')
    synapse("install", "--client", "claude", "--no-guard")
    codes = [trouble["code"] for trouble in doctor(synapse, "--client", "claude")["troubles"]]
    assert codes == ["unguarded"]


@in_forks
@pytest.mark.parametrize(("mode", "said"), [("warn", "warns: "), ("enforce", "enforces: ")])
def test_the_guard_s_mode_is_told(synapse: Synapse, team: Path, mode: str, said: str) -> None:
    (team / ".synapse/config.toml").write_text(f'[guard]\nmode = "{mode}"\n')
    synapse("install", "--client", "claude", "--scope", "local")
    assert f"  guard    {said}" in synapse("doctor", "--client", "claude", "--runs", "0").out
    assert f"\nguard     {said}" in synapse("status").out
    assert synapse("status", "--format", "json").json["guard"] == mode


def test_runs_are_timed_against_a_bare_interpreter(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    document = synapse("doctor", "--client", "claude", "--runs", "3", "--format", "json").json
    latency = document["clients"][0]["latency"]
    assert latency["runs"] == 3 and 0 < latency["median_ms"] <= latency["worst_ms"]
    assert latency["times_start"] == pytest.approx(
        latency["fastest_ms"] / latency["start_ms"], abs=0.2
    )
    assert (
        0 < latency["fastest_ms"] <= latency["median_ms"]
        and document["interpreter"]["start_ms"] > 0
    )


def test_clients_that_nobody_asked_about_are_not_proposed(synapse: Synapse, team: Path) -> None:
    (team / ".cursor").mkdir()
    synapse("install", "--client", "claude", "--scope", "local")
    told = synapse("doctor", "--runs", "0").out
    assert "\nSeen here, without the hook: Cursor (the project has .cursor)\n" in told
    assert "synapse install --client cursor" not in told
    assert "synapse install --client cursor" in synapse("doctor", "--client", "cursor").out


def test_where_nothing_is_registered_that_is_said(synapse: Synapse, team: Path) -> None:
    (team / ".cursor").mkdir()
    done = synapse("doctor", "--runs", "0")
    assert done.code == 1
    assert (
        "Cursor  not registered (the project has .cursor): `synapse install --client cursor`"
        in (done.out)
    )
    assert "error: no client calls the hook\n  remedy: Run `synapse install`.\n" in done.out


def test_where_no_client_is_used_the_remedy_names_them(synapse: Synapse, team: Path) -> None:
    done = synapse("doctor", "--runs", "0")
    assert "remedy: Run `synapse install --client NAME`, with one of claude, " in done.out


def test_a_client_that_is_asked_about_is_named(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude")
    done = synapse("doctor", "--runs", "0", "--client", "cursor")
    assert "error: Cursor does not call the hook\n" in done.out
    assert "remedy: Run `synapse install --client cursor`.\n" in done.out


def test_another_engine_is_named_before_ours_is_there(synapse: Synapse, team: Path) -> None:
    command = "node .claude/hooks/synapse-wrapper.cjs"
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]}
    (team / ".claude/hooks").mkdir(parents=True)
    (team / ".claude/hooks/synapse-wrapper.cjs").write_text("")
    (team / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))
    done = synapse("doctor", "--runs", "0")
    assert "with ours beside it, the agent would get rules twice" in done.out
    assert "`synapse install --client claude --replace`" in done.out


def test_synapse_that_is_not_found_is_told(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synapse("install", "--client", "claude")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (trouble,) = doctor(synapse)["troubles"]
    assert trouble["code"] == "silent-hook" and "not found" in trouble["sentence"]
    assert (trouble["path"], trouble["line"]) == (".claude/settings.json", 19)


def test_the_program_that_the_shared_line_calls_is_called(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    synapse("install", "--client", "claude")
    replace_program(tmp_path, "exit 7")
    document = doctor(synapse, "--client", "claude")
    (trouble,) = [t for t in document["troubles"] if t["code"] == "silent-hook"]
    program = str(tmp_path / "bin/synapse-ls")
    assert f"{program}: it exits with 7" in trouble["sentence"] and not document["ok"]
    assert f"Run `{program} hook` by hand" in trouble["remedy"]
    replace_program(tmp_path, "echo '{}'")
    (trouble,) = [t for t in doctor(synapse)["troubles"] if t["code"] == "silent-hook"]
    assert "it has nothing to say" in trouble["sentence"]


def test_the_program_of_the_search_path_is_no_link_into_the_project(
    synapse: Synapse, team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synapse("install", "--client", "claude")
    (team / "evil").write_text(f"#!/bin/sh\ntouch '{team}/ran'\n")
    (team / "evil").chmod(0o755)
    (tmp_path / "links").mkdir()
    (tmp_path / "links/synapse-ls").symlink_to(team / "evil")
    monkeypatch.setenv("PATH", f"{tmp_path}/links:{os.environ['PATH']}")
    assert doctor(synapse, "--client", "claude")["ok"] and not (team / "ran").exists()


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


@pytest.mark.parametrize(("client", "timeout"), [("claude", 1), ("gemini", 1000)])
def test_no_longer_is_waited_than_the_client_would(
    synapse: Synapse, team: Path, tmp_path: Path, client: str, timeout: int
) -> None:
    synapse("install", "--client", client)
    file = team / f".{client}/settings.json"
    found = json.loads(file.read_text())
    assert CLIENTS[client].prompt in found["hooks"]
    for (entry,) in found["hooks"].values():  # the prompt's and that of what is done with tools
        entry["hooks"][0]["timeout"] = timeout
    file.write_text(json.dumps(found))
    replace_program(tmp_path, "sleep 120")
    began = time.monotonic()
    document = doctor(synapse, "--client", client)
    assert time.monotonic() - began < 100
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
    package = Path(registration_checks.__file__).parents[2]
    sources = "".join(
        path.read_text("utf-8")
        for pattern in ("setup/doctor/*.py", "integrations/*/settings.py")
        for path in package.glob(pattern)
    )
    page = Path(__file__).parents[3] / "docs/cli.md"
    section = page.read_text("utf-8").partition("\n## synapse doctor\n")[2].partition("\n## ")[0]
    codes = re.findall(r'Trouble\(\s*"([a-z-]+)"', sources)
    assert codes and not [code for code in codes if f"`{code}`" not in section]


@in_forks
@pytest.mark.parametrize(
    ("config", "severity", "line", "said"),
    [
        ("\nprofile = [", "error", 2, "the whole configuration is ignored"),
        ('[guard]\nmode = "enforced"\n', "warning", 2, 'it counts as "enforce"'),
        ("[session]\nkept_megabyte = 3\n", "warning", 2, "no setting `session.kept_megabyte`"),
        ('# ours\nprofile = "sinapse"\n', "error", 2, "There is no profile `sinapse`"),
        ("\0\0", "error", 1, "the guard is strict"),
    ],
)
def test_what_is_wrong_with_the_configuration_weighs_what_it_does_for_check(
    synapse: Synapse, team: Path, config: str, severity: str, line: int, said: str
) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    (team / ".synapse/config.toml").write_text(config, "utf-8")
    document = doctor(synapse)
    checked = synapse("check", "--format", "json").json
    (weight,) = {one["severity"] for one in checked if one["path"].endswith(".synapse/config.toml")}
    assert weight == severity
    (found,) = [t for t in document["troubles"] if t["code"] == "broken-configuration"]
    assert (found["severity"], found["path"], found["line"]) == (
        severity, ".synapse/config.toml", line,
    )  # fmt: skip
    assert said in found["sentence"] and found["remedy"]
    assert document["ok"] is (severity == "warning")


@in_forks
def test_the_guard_is_as_strict_as_the_hook_has_it(synapse: Synapse, team: Path) -> None:
    config = team / ".synapse/config.toml"
    config.write_text('[guard]\nmode = "warn"\n', "utf-8")
    synapse("install", "--client", "claude", "--scope", "local")
    synapse("status")
    config.unlink()
    config.mkdir()
    assert "guard     warns:" in synapse("status").out
    done = synapse("doctor", "--client", "claude")
    assert "  guard    warns:" in done.out
    assert "where no hook has read it before, the defaults hold" in done.out


def test_what_the_hook_is_still_reading_is_waited_for(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    impatient = (
        "import sys, synapse_ls.hooks.hook_call as c; c.PATIENCE = 0.0; "
        "import synapse_ls.__main__ as m; sys.exit(m.main())"
    )
    replace_program(tmp_path, f'exec {shlex.join([sys.executable, "-c", impatient])} "$@"')
    synapse("install", "--client", "claude")
    (patient,) = doctor(synapse, "--client", "claude")["clients"]
    assert "still being read" not in patient["canary"]["text"]
    assert "[GLOBAL]" in patient["canary"]["text"]


def test_a_damaged_plan_in_the_hook_s_cache_is_told_and_removed(
    synapse: Synapse, team: Path
) -> None:
    synapse("install", "--client", "claude")
    synapse("context")
    plan = Path(plan_cache.plan_file(str(team)))
    data = plan.read_bytes()
    plan.write_bytes(data[:-20] + b"?" + data[-19:])
    assert "damaged-cache" in codes(doctor(synapse, "--client", "claude"))
    assert not plan.exists()
    assert "damaged-cache" not in codes(doctor(synapse, "--client", "claude"))


def test_damaged_bytecode_of_the_hook_is_told_and_removed(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synapse("install", "--client", "claude")
    bundle = tmp_path / "hook.bundle"
    bundle.write_bytes(b"nonsense")
    for module in (bytecode_bundle, tree_checks):
        monkeypatch.setattr(module, "BUNDLE_FILE", str(bundle))
    troubles = doctor(synapse, "--client", "claude")["troubles"]
    (told,) = [trouble["sentence"] for trouble in troubles if trouble["code"] == "damaged-cache"]
    assert "it was removed" in told and not bundle.exists()
