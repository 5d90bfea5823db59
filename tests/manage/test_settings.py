from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.manage.settings import hook_command, hook_settings, is_hook, quoted, registered
from tests.trees import TEAM, write_tree

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells")


def test_every_event_has_one_command_and_a_timeout() -> None:
    for event, [matcher] in hook_settings("claude")["hooks"].items():
        [handler] = matcher["hooks"]
        assert handler["type"] == "command" and handler["timeout"] == 10
        assert handler["command"].endswith(f" --event {event} --client claude")


def test_the_command_names_the_interpreter_itself() -> None:
    words = shlex.split(hook_command("claude", "PreCompact"))
    assert Path(words[0]).resolve() == Path(sys.executable).resolve()
    assert Path(words[-5]).name == "hook.py" and Path(words[-5]).exists()


def test_the_hook_starts_without_an_environment() -> None:
    words = shlex.split(hook_command("claude", "PreCompact"))
    assert words[:3] == [sys.executable, "-I", "-S"]


@posix
def test_the_command_finds_what_a_tree_needs(tmp_path: Path) -> None:
    state = "workflowId: story_development\nstatus: active\ncurrent_phase: qa\n"
    write_tree(tmp_path, {**TEAM, ".aiox/a-state.yaml": state})
    command = hook_command("claude", "UserPromptSubmit")
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        input=json.dumps({"prompt": "hello", "cwd": str(tmp_path)}).encode(),
        capture_output=True,
        env={**os.environ, "SYNAPSE_LS_CACHE": str(tmp_path / "cache")},
        check=True,
    )
    assert b"[CONSTITUTION]" in done.stdout


@posix
@pytest.mark.parametrize(
    "folder", ["a b", 'x"y', "$HOME", "back`tick`", "back\\slash", "it's", "é"]
)
def test_a_path_is_one_word_of_a_shell(folder: str) -> None:
    said = f"printf %s {quoted(f'/{folder}/python')}"
    done = subprocess.run(["/bin/sh", "-c", said], capture_output=True, check=True)
    assert done.stdout.decode() == f"/{folder}/python"


@posix
def test_the_command_runs_in_a_shell(tmp_path: Path) -> None:
    link = tmp_path / 'odd $HOME "`folder`'
    link.mkdir()
    (link / "python").symlink_to(sys.executable)
    command = hook_command("claude", "UserPromptSubmit", python=str(link / "python"))
    done = subprocess.run(["/bin/sh", "-c", command], input=b"{}", capture_output=True, cwd=link)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, b"{}", b"")


def test_settings_files_that_register_the_hook_are_found(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    for folder in (home, root):
        (folder / ".claude").mkdir(parents=True)
        (folder / ".claude/settings.json").write_text(json.dumps(hook_settings("claude")))
    found = registered(str(root), home=str(home))
    assert found == (".claude/settings.json", "~/.claude/settings.json")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"hooks": {"Stop": [{"hooks": [{"command": 1}]}]}}']
)
def test_settings_that_register_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(text)
    assert registered(str(tmp_path), home=str(tmp_path / "home")) == ()


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ('"/usr/bin/python3" -I -S "/x/synapse_ls/hook.py" --event E', True),
        ("C:\\py.exe -I -S C:\\x\\synapse_ls\\hook.py --event E", True),
        ("synapse  hook --client claude", True),
        ("node .aios-core/hooks/synapse-engine.js", False),
        ("", False),
    ],
)
def test_commands_that_call_the_hook(command: str, ours: bool) -> None:
    assert is_hook(command) is ours


def test_the_working_directory_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(hook_command("claude", "E"))
    assert Path(words[0]).is_absolute() and Path(words[-5]).is_absolute()
