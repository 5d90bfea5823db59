from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from synapse_ls.hooks.failed_reply import LATE_NOTICE
from synapse_ls.integrations import hook_commands
from synapse_ls.integrations.client_settings import LOCAL, PROJECT, USER
from synapse_ls.integrations.hook_commands import (
    hook_command,
    is_hook_command,
    is_status_line_command,
    quote_path,
    status_line_command,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from tests.trees import TEAM, write_tree

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells")
EVENT = {"prompt": "hello"}
SHARING = [name for name, client in CLIENTS.items() if PROJECT in client.scopes]


def shell(
    command: str, folder: Path, event: object = EVENT, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["/bin/sh", "-c", command],
        input=json.dumps(event).encode(),
        capture_output=True,
        cwd=folder,
        env={**os.environ, **environment},
        check=False,
    )


def test_a_user_s_own_line_names_the_interpreter_and_skips_what_it_looks_for() -> None:
    words = shlex.split(hook_command("claude", "PreCompact", LOCAL))
    assert words[:3] == [sys.executable, "-I", "-S"]
    assert Path(words[3]).name == "hook.py" and Path(words[3]).exists()
    assert words[4:] == ["--event", "PreCompact", "--client", "claude", "--scope", "local"]


def test_the_working_directory_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(hook_command("claude", "E", USER))
    assert Path(words[0]).is_absolute() and Path(words[3]).is_absolute()


@posix
def test_the_line_finds_what_a_tree_needs(tmp_path: Path) -> None:
    state = "workflowId: story_development\nstatus: active\ncurrent_phase: qa\n"
    write_tree(tmp_path, {**TEAM, ".aiox/a-state.yaml": state})
    line, cache = hook_command("claude", "UserPromptSubmit", LOCAL), str(tmp_path / "cache")
    reply = LATE_NOTICE
    while LATE_NOTICE in reply:  # on a busy machine the hook ends before its answer
        reply = shell(line, tmp_path, SYNAPSE_LS_CACHE=cache).stdout.decode()
    assert "[CONSTITUTION]" in reply


@posix
@pytest.mark.parametrize(
    "folder", ["a b", 'x"y', "$HOME", "back`tick`", "back\\slash", "it's", "é"]
)
def test_a_path_is_one_word_of_a_shell(folder: str) -> None:
    said = f"printf %s {quote_path(f'/{folder}/python')}"
    done = subprocess.run(["/bin/sh", "-c", said], capture_output=True, check=True)
    assert done.stdout.decode() == f"/{folder}/python"


@pytest.mark.parametrize(
    ("windows", "event", "before", "after"),
    [
        ("bash", "UserPromptSubmit", "", ""),
        ("cmd", "PreToolUse", "", " || echo {}"),
        ("powershell", "UserPromptSubmit", "& ", ""),
        ("powershell", "PreToolUse", "& ", "; if (-not $?) { '{}'; exit 0 }"),
    ],
)
def test_on_windows_a_path_is_one_word_that_every_shell_reads(
    monkeypatch: pytest.MonkeyPatch, windows: str, event: str, before: str, after: str
) -> None:
    monkeypatch.setattr(hook_commands, "os", SimpleNamespace(name="nt"))
    python, script = r"C:\Program Files\Zé & Co\python.exe", r"D:\a b\synapse_ls\hook.py"
    line = hook_command("x", event, USER, windows=windows, python=python, script=script)
    words = '"C:/Program Files/Zé & Co/python.exe" -I -S "D:/a b/synapse_ls/hook.py"'
    assert line == f"{before}{words} --event {event} --client x --scope user{after}"
    assert is_hook_command(line) and is_hook_command(f"{python} -S {script} --event {event}")


def test_no_line_has_what_a_pattern_takes_for_a_comment() -> None:
    assert "//" not in hook_command("cursor", "stop", USER, python="//opt//python")


@posix
def test_the_line_runs_in_a_shell(tmp_path: Path) -> None:
    link = tmp_path / 'odd $HOME "`folder`'
    link.mkdir()
    (link / "python").symlink_to(sys.executable)
    command = hook_command("claude", "UserPromptSubmit", LOCAL, python=str(link / "python"))
    done = shell(command, link, {})
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, b"{}", b"")


def shared(client: str) -> str:
    """The line for a prompt in settings that the whole project shares."""
    known = CLIENTS[client]
    entry = known.hook_entry(known.prompt, PROJECT)
    handler = entry.get("hooks", [entry])[0]
    return str(handler.get("bash") or handler["command"])


def program(folder: Path) -> Path:
    """A ``synapse-ls`` that says what it was called with."""
    folder.mkdir(parents=True)
    found = folder / "synapse-ls"
    found.write_text('#!/bin/sh\ncat >/dev/null\necho "$@"\n')
    found.chmod(0o755)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository below a path with spaces, and the folder in it in which a client was started."""
    root = tmp_path / "a project"
    (root / "src/deep").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@posix
@pytest.mark.parametrize("name", SHARING)
def test_a_shared_line_says_nothing_where_there_is_no_program(name: str, project: Path) -> None:
    for command in (shared(name), status_line_command(PROJECT)):
        done = shell(command, project / "src", PATH="/usr/bin:/bin")
        told = b"" if "||" not in command or "statusline" in command else b"{}\n"
        assert done.stdout == told
        assert done.returncode == (0 if "||" in command else 127)  # of Cursor's line


@posix
@pytest.mark.parametrize("name", SHARING)
def test_a_shared_line_calls_the_program_of_the_search_path(name: str, project: Path) -> None:
    found = program(project.parent / "bin")
    done = shell(shared(name), project / "src/deep", PATH=f"{found.parent}:/usr/bin:/bin")
    client = "copilot" if name == "vscode" else name
    limit = " --limit 60000" if name == "codex" else ""
    words = f"--event {CLIENTS[name].prompt} --client {client}{limit}"
    assert done.stdout.decode() == f"hook {words}\n"


@posix
@pytest.mark.parametrize("name", SHARING)
@pytest.mark.parametrize("place", [".venv/bin", "node_modules/.bin", "."])
def test_a_shared_line_runs_nothing_of_the_repository(name: str, place: str, project: Path) -> None:
    (project / place).mkdir(parents=True, exist_ok=True)
    for called in ("synapse", "synapse-ls"):
        found = project / place / called
        found.write_text("#!/bin/sh\n: > ran\n")
        found.chmod(0o755)
    variables = {k: v.replace("{root}", str(project)) for k, v in CLIENTS[name].environment.items()}
    for command in (shared(name), status_line_command(PROJECT)):
        shell(command, project, PATH="/usr/bin:/bin", **variables)
    assert not (project / "ran").exists()


@pytest.mark.parametrize("name", SHARING)
def test_a_shared_line_is_read_at_a_glance(name: str) -> None:
    known = CLIENTS[name].with_guard(True)
    for event in known.events:
        entry = known.hook_entry(event, PROJECT)
        handler = entry.get("hooks", [entry])[0]
        lines = [handler[key] for key in ("bash", "powershell", "command") if key in handler]
        assert lines and all(len(line) <= 90 and "$" not in line for line in lines)


@posix
def test_what_a_broken_installation_says_is_not_swallowed(project: Path) -> None:
    program(project / "bin").write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    done = shell(shared("codex"), project, PATH=f"{project / 'bin'}:/usr/bin:/bin")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"broken\n")


@posix
def test_the_shared_status_line_calls_the_program_too(project: Path) -> None:
    found = program(project.parent / "bin")
    done = shell(status_line_command(PROJECT), project, PATH=f"{found.parent}:/usr/bin:/bin")
    assert done.stdout == b"statusline\n"


@pytest.mark.parametrize("name", SHARING)
def test_a_shared_line_is_ours_and_names_no_comment(name: str) -> None:
    assert is_hook_command(shared(name)) and "//" not in shared(name)
    assert is_status_line_command(status_line_command(PROJECT))


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ('"/usr/bin/python3" -I -S "/x/synapse_ls/hook.py" --event E', True),
        ("C:\\py.exe -I -S C:\\x\\synapse_ls\\hook.py --event E", True),
        ("synapse  hook --client claude", True),
        (".venv/bin/synapse hook", True),
        ("synapse-ls hook --client claude || echo {}", True),
        ('"C:\\x\\synapse-ls.exe" hook --event E', True),
        ("my-synapse-ls hook", False),
        ("synapse hook --client codex || .venv/bin/synapse hook --client codex || echo {}", True),
        ('"C:\\x\\synapse.exe" hook --event E', True),
        ("python3 -m synapse_ls hook --client codex", True),
        ("node .aios-core/hooks/synapse-engine.js", False),
        ("my-synapse hook", False),
        ("synapse hooks", False),
        ("", False),
    ],
)
def test_commands_that_call_the_hook(command: str, ours: bool) -> None:
    assert is_hook_command(command) is ours


def test_the_shared_line_of_cursor_is_read_by_every_powershell_and_by_sh() -> None:
    entry = CLIENTS["cursor"].hook_entry("sessionStart", PROJECT)
    assert entry["command"] == "synapse-ls hook --event sessionStart --client cursor"
