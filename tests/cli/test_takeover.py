"""``synapse install`` in a project in which another engine tells the rules already."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.cli.console import Console
from synapse_ls.integrations.hook_commands import CARL_HOOK, ORIGINAL_ENGINE, engine_title
from tests.activation.crew import repository
from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor
from tests.support import corpus

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells")

SETTINGS, LOCAL = ".claude/settings.json", ".claude/settings.local.json"
ENGINE = 'node "${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/synapse-wrapper.cjs"'
DIGEST = 'node "${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/precompact-wrapper.cjs"'
MINE = "./mine.sh"


def group(*commands: str) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": c, "timeout": 10} for c in commands]}


def write(team: Path, name: str, hooks: dict[str, Any]) -> bytes:
    file = team / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"hooks": hooks}, indent=2))
    return file.read_bytes()


def commands(file: Path) -> list[str]:
    table = json.loads(file.read_text()).get("hooks", {})
    return [hook["command"] for groups in table.values() for g in groups for hook in g["hooks"]]


@pytest.fixture
def aiox(team: Path) -> bytes:
    """The settings and scripts that the original engine ships, in the project."""
    for script in ("synapse-wrapper.cjs", "precompact-wrapper.cjs"):
        file = team / ".claude/hooks" / script
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    return write(
        team,
        SETTINGS,
        {"UserPromptSubmit": [group(MINE), group(ENGINE)], "PreCompact": [group(DIGEST)]},
    )


@pytest.mark.parametrize(
    ("command", "title"),
    [
        (ENGINE, ORIGINAL_ENGINE),
        (DIGEST, ORIGINAL_ENGINE),
        ('node "$CLAUDE_PROJECT_DIR/.claude/hooks/synapse-engine.cjs"', ORIGINAL_ENGINE),
        ('node "C:\\\\work\\\\.claude\\\\hooks\\\\synapse-engine.cjs"', ORIGINAL_ENGINE),
        ("node .claude/hooks/precompact-session-digest.js", ORIGINAL_ENGINE),
        ("python3 ~/.carl/carl-hook.py", CARL_HOOK),
        ("node .claude/hooks/code-intel-pretool.cjs", ""),
        ("node my-synapse-engine.cjs", ""),
        ("synapse-ls hook --event PreCompact --client claude || echo {}", ""),
    ],
)
def test_a_line_of_another_engine_is_known(command: str, title: str) -> None:
    assert engine_title(command) == title


def test_every_hook_of_the_engine_is_replaced_and_others_stay(
    synapse: Synapse, team: Path, aiox: bytes
) -> None:
    local = write(team, LOCAL, {"PreCompact": [group(DIGEST)]})
    done = synapse("install", "--client", "claude", "--replace")
    assert done.code == 0 and "is replaced" in done.err and f"{SETTINGS}:" in done.err
    told = commands(team / SETTINGS)
    assert MINE in told and not any(map(engine_title, told))
    assert commands(team / LOCAL) == []
    synapse("uninstall")
    assert ((team / SETTINGS).read_bytes(), (team / LOCAL).read_bytes()) == (aiox, local)


def test_a_hook_of_the_engine_at_an_event_that_ours_does_not_answer_stays(
    synapse: Synapse, team: Path
) -> None:
    hooks = {"UserPromptSubmit": [group(ENGINE)], "Notification": [group(DIGEST)]}
    before = write(team, SETTINGS, hooks)
    done = synapse("install", "--client", "claude", "--replace")
    assert f"{SETTINGS}:" in done.err and "(Notification)" in done.err
    assert [c for c in commands(team / SETTINGS) if engine_title(c)] == [DIGEST]
    synapse("uninstall")
    assert (team / SETTINGS).read_bytes() == before


def test_the_engine_s_note_before_a_compaction_is_replaced_by_ours(
    synapse: Synapse, team: Path, aiox: bytes
) -> None:
    synapse("install", "--client", "claude", "--replace")
    table = json.loads((team / SETTINGS).read_text())["hooks"]
    (hook,) = (hook for entry in table["PreCompact"] for hook in entry["hooks"])
    assert hook["command"] == "synapse-ls hook --event PreCompact --client claude || true"


@pytest.mark.usefixtures("aiox")
def test_a_shared_file_without_the_other_engine_is_said_to_concern_colleagues(
    synapse: Synapse,
) -> None:
    done = synapse("install", "--client", "claude", "--replace")
    assert f"your colleagues share {SETTINGS}: they lose the other engine" in done.err
    assert "only if their client calls this hook and finds `synapse-ls`" in done.err


@pytest.mark.usefixtures("aiox")
def test_an_uninstallation_elsewhere_says_that_the_engine_does_not_come_back(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    synapse("install", "--client", "claude", "--replace")
    shutil.rmtree(tmp_path / "clone", ignore_errors=True)
    shutil.copytree(team, tmp_path / "clone")
    done = synapse("uninstall", "--root", str(tmp_path / "clone"))
    assert f"no installation on this machine is recorded for {SETTINGS}" in done.err
    assert "is recorded" not in synapse("uninstall").err


def test_one_scope_s_uninstallation_brings_back_what_it_replaced_in_another(
    synapse: Synapse, team: Path, aiox: bytes
) -> None:
    synapse("install", "--client", "claude", "--scope", "local", "--replace")
    assert not any(map(engine_title, commands(team / SETTINGS)))
    synapse("uninstall", "--scope", "local")
    assert (team / SETTINGS).read_bytes() == aiox and not (team / LOCAL).exists()


@pytest.mark.usefixtures("aiox")
def test_the_engine_comes_back_into_settings_that_were_edited_since(
    synapse: Synapse, team: Path
) -> None:
    synapse("install", "--client", "claude", "--replace")
    edited = json.loads((team / SETTINGS).read_text())
    (team / SETTINGS).write_text(json.dumps({"model": "opus", **edited}))
    synapse("install", "--client", "claude")  # the record of what was replaced outlives this
    synapse("uninstall")
    assert json.loads((team / SETTINGS).read_text())["model"] == "opus"
    assert sorted(commands(team / SETTINGS)) == sorted([MINE, ENGINE, DIGEST])


@pytest.mark.usefixtures("aiox")
def test_what_a_person_took_out_stays_out(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude")
    found = json.loads((team / SETTINGS).read_text())
    found["hooks"]["UserPromptSubmit"].pop(1)
    (team / SETTINGS).write_text(json.dumps(found))
    synapse("uninstall")
    assert commands(team / SETTINGS) == [MINE, DIGEST]


def test_without_a_word_nothing_of_another_engine_is_touched(
    synapse: Synapse, team: Path, aiox: bytes
) -> None:
    done = synapse("install", "--client", "claude")
    assert "synapse install --client claude --replace" in done.err
    assert [c for c in commands(team / SETTINGS) if engine_title(c)] == [ENGINE, DIGEST]
    synapse("uninstall")
    assert (team / SETTINGS).read_bytes() == aiox


@pytest.mark.usefixtures("aiox")
def test_on_a_terminal_one_is_asked(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Console, "can_ask", True)
    done = synapse("install", "--client", "claude", stdin="n\nn\n")
    assert "Take its place?" in done.err and ENGINE in commands(team / SETTINGS)
    done = synapse("install", "--client", "claude", stdin="\n\n")
    assert ENGINE not in commands(team / SETTINGS)


def test_settings_of_the_user_are_replaced_with_the_user_s_scope_only(
    synapse: Synapse, team: Path
) -> None:
    home = Path.home()
    write(home, SETTINGS, {"UserPromptSubmit": [group("python3 ~/.carl/carl-hook.py")]})
    done = synapse("install", "--client", "claude", "--replace")
    named = "synapse install --client claude --scope user --replace --trust"
    assert f"`{named}` takes its place" in done.err
    assert any(map(engine_title, commands(home / SETTINGS)))
    done = synapse(*named.split()[1:])
    assert not any(map(engine_title, commands(home / SETTINGS)))
    assert "it served every project; ours serves those that `synapse trust` names" in done.err
    (doubled,) = [
        trouble
        for trouble in doctor(synapse, "--client", "claude")["troubles"]
        if trouble["code"] == "double-registration"
    ]
    assert "`synapse uninstall --client claude --scope project`" in doubled["remedy"]


@pytest.mark.usefixtures("aiox")
def test_what_the_engine_remembers_is_imported_and_taken_back(synapse: Synapse, team: Path) -> None:
    (team / ".aiox").mkdir()
    gotcha = {"id": "g", "title": "Ports", "right": "Use 8080.", "severity": "high"}
    (team / ".aiox/gotchas.json").write_text(json.dumps({"gotchas": [gotcha]}))
    done = synapse("install", "--client", "claude", "--replace")
    assert "imported 1 gotcha (pitfalls that another tool noted) as memories" in done.err
    assert "To share them with others, commit .synapse/memory/" in done.err
    assert "Ports" in synapse("memory", "list").out
    done = synapse("uninstall")
    assert "1 memory that the installation had imported went, too" in done.err
    assert not (team / ".synapse/memory").exists()


@pytest.mark.usefixtures("aiox")
def test_of_what_is_imported_git_is_offered_the_memories_alone(
    synapse: Synapse, team: Path
) -> None:
    (team / ".synapse/.gitignore").write_text("sessions/\ncache/\n")
    (team / ".aiox").mkdir()
    gotcha = {"id": "g", "title": "Ports", "right": "Use 8080.", "severity": "high"}
    (team / ".aiox/gotchas.json").write_text(json.dumps({"gotchas": [gotcha]}))
    repository(team, "main")
    synapse("install", "--client", "claude", "--replace")
    listing = ("git", "ls-files", "--others", "--exclude-standard", ".synapse")
    listed = subprocess.run(listing, cwd=team, capture_output=True, text=True, check=True).stdout
    assert [Path(name).suffix for name in listed.split()] == [".md"]


@pytest.mark.usefixtures("aiox")
def test_it_ends_with_the_block_beside_what_the_engine_s_files_come_to(
    synapse: Synapse, team: Path
) -> None:
    done = synapse("install", "--client", "claude", "--scope", "local", "--replace")
    assert "<synapse-rules>" in done.out and "reach the model with the first prompt" in done.out
    assert "The original engine injects a part of its " in done.out
    assert "how many of them it injects is not known, since nothing of it was run." in done.out


@pytest.mark.usefixtures("aiox")
def test_what_an_agent_s_first_block_has_no_room_for_is_told(synapse: Synapse, team: Path) -> None:
    rules = "".join(f"AGENT_DEV_RULE_{i}=Keep module {i} small.\n" for i in range(99))
    (team / ".synapse/agent-dev").write_text(rules)
    done = synapse("install", "--client", "claude", "--scope", "local", "--replace")
    assert (
        "\nWith @dev, " in done.out
        and "Most clients inject the rest with the next replies" in done.out
    )


@pytest.mark.usefixtures("aiox")
def test_sleeping_triggers_are_offered_to_be_woken(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/config.toml").unlink(missing_ok=True)
    manifest = team / ".synapse/manifest"
    manifest.write_text(f"{manifest.read_text()}\nPORTS_STATE=active\nPORTS_RECALL=port\n")
    (team / ".synapse/ports").write_text("PORTS_RULE_0=Use 8080.\n")
    done = synapse("install", "--client", "claude")
    assert "`synapse profile use synapse-live` activates them" in done.err
    synapse("install", "--client", "claude", "--live")
    assert 'profile = "synapse-live"' in (team / ".synapse/config.toml").read_text()
    synapse("uninstall")
    assert not (team / ".synapse/config.toml").exists()


@pytest.mark.usefixtures("aiox")
def test_a_first_block_without_room_for_all_is_offered_to_be_whole(
    synapse: Synapse, team: Path
) -> None:
    (team / ".synapse/config.toml").unlink(missing_ok=True)
    rules = "".join(f"AGENT_DEV_RULE_{i}=Keep module {i} small.\n" for i in range(99))
    (team / ".synapse/agent-dev").write_text(rules)
    done = synapse("install", "--client", "claude")
    found = re.search(r"apply, with those of @dev, take ([\d,]+) tokens", done.err)
    assert found and "FRESH has 800: `synapse profile use synapse-live`" in done.err
    assert (
        f"with those of @dev, take {found[1]} tokens"
        in doctor(synapse, "--client", "claude")["late"]
    )
    synapse("install", "--client", "claude", "--live")
    whole = json.loads(synapse("context", "--format", "json", "--agent", "dev").out)
    assert whole["tokens"] == int(found[1].replace(",", "")) and not whole["cuts"]
    assert doctor(synapse, "--client", "claude")["late"] == ""


@pytest.mark.slow
@pytest.mark.usefixtures("aiox")
def test_the_doctor_names_two_engines_until_one_is_replaced(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    document = doctor(synapse, "--client", "claude")
    assert codes(document, "claude") == ["rival-engine"] and not document["ok"]
    synapse("install", "--client", "claude", "--scope", "local", "--replace")
    assert doctor(synapse, "--client", "claude")["troubles"] == []


@pytest.mark.slow
def test_a_real_repository_is_taken_over_and_given_back(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "aiox"
    for name in ("aiox", "aiox-repository"):
        shutil.copytree(corpus() / name, root, dirs_exist_ok=True)
    subprocess.run(["chmod", "-R", "u+w", str(root)], check=True)
    (root / "synapse.gitignore").rename(root / ".synapse/.gitignore")
    before = contents(root)
    monkeypatch.chdir(root)
    done = synapse("install", "--client", "claude", "--scope", "local", "--replace", "--live")
    assert "imported 4 gotchas" in done.err and "<synapse-rules>" in done.out
    assert doctor(synapse, "--client", "claude")["troubles"] == []
    synapse("uninstall")
    assert contents(root) == before


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
