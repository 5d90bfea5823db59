"""What decides which hooks of git run is asked about, wherever the repository keeps it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.workspace import git_settings
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="there is no git")


def run_git(folder: Path, *words: str) -> None:
    settings = ("-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


def make_tree(folder: Path, mode: str = "enforce") -> Claude:
    config = {".synapse/config.toml": f"[guard]\nmode = '{mode}'\n"}
    return Claude(write_tree(folder, {**TEAM, ".synapse/agent-dev": "", **config}))


def decision(reply: dict[str, Any]) -> str:
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", "allow"))


def decide_command(agent: Claude, command: str) -> str:
    tool = {"tool_name": "Bash", "tool_input": {"command": command}}
    return decision(agent.send("PreToolUse", **tool))


def decide_write(agent: Claude, path: Path | str, name: str = "Write") -> str:
    tool = {"tool_name": name, "tool_input": {"file_path": str(path), "content": "x"}}
    return decision(agent.send("PreToolUse", **tool))


def new_repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    run_git(folder, "init", "-q")
    run_git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return folder


def in_a_monorepo(tmp: Path) -> tuple[Path, Path]:
    top = new_repository(tmp / "repo")
    return top / "packages" / "app", top / ".git"


def in_a_work_tree(tmp: Path) -> tuple[Path, Path]:
    top = new_repository(tmp / "repo")
    run_git(top, "worktree", "add", "-q", str(tmp / "linked"))
    return tmp / "linked", top / ".git"


def in_a_work_tree_of_a_bare_repository(tmp: Path) -> tuple[Path, Path]:
    run_git(new_repository(tmp / "repo"), "clone", "-q", "--bare", ".", str(tmp / "shared.git"))
    run_git(tmp / "shared.git", "worktree", "add", "-q", "-b", "y", str(tmp / "linked"))
    return tmp / "linked", tmp / "shared.git"


def in_a_submodule(tmp: Path) -> tuple[Path, Path]:
    new_repository(tmp / "part")
    top = new_repository(tmp / "repo")
    run_git(top, "submodule", "--quiet", "add", str(tmp / "part"), "libs/part")
    return top / "libs" / "part", top / ".git" / "modules" / "libs" / "part"


def with_a_folder_elsewhere(tmp: Path) -> tuple[Path, Path]:
    (tmp / "work").mkdir()
    run_git(tmp, "init", "-q", "--separate-git-dir", str(tmp / "kept"), str(tmp / "work"))
    return tmp / "work", tmp / "kept"


ALIASES = """\
[Alias]
\tP = push # for short
\tquoted = "push --force" ; as a whole
\tinside = push" --f"orce
\tmark = !echo \\"a\\" \\\\ \\t"; #"
[ALIAS] same = push
[alias]
\t; nothing = push
\tlong = push \\
origin
\tempty =
"""
PLACES = [
    in_a_monorepo,
    in_a_work_tree,
    in_a_work_tree_of_a_bare_repository,
    in_a_submodule,
    with_a_folder_elsewhere,
]


@pytest.mark.parametrize("make", PLACES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", ["hooks/pre-commit", "config"])
def test_it_is_asked_about_wherever_git_keeps_it(make: Any, name: str, tmp_path: Path) -> None:
    root, kept = make(tmp_path)
    agent = make_tree(root)
    agent.prompt("@dev go on")
    path = kept / name
    spelled = os.path.relpath(path, root)
    assert decide_write(agent, path) == "ask"
    assert decide_write(agent, spelled, "Edit") == "ask"
    assert decide_command(agent, f"echo x > {path}") == "ask"
    assert decide_command(agent, f"cp x {spelled}") == "ask"
    assert decide_command(agent, f"cd {Path(spelled).parent} && tee {path.name} < x") == "ask"
    assert decide_command(agent, f"cat {spelled}") == "allow"


@pytest.mark.parametrize("make", PLACES, ids=lambda make: make.__name__)
def test_where_it_warns_nothing_is_said(make: Any, tmp_path: Path) -> None:
    root, kept = make(tmp_path)
    agent = make_tree(root, "warn")
    agent.prompt("@dev go on")
    assert agent.send(
        "PreToolUse", tool_name="Write", tool_input={"file_path": str(kept / "hooks/pre-commit")}
    ) in ({}, None)


def test_the_file_that_leads_to_the_repository_is_asked_about(tmp_path: Path) -> None:
    root, _ = in_a_work_tree(tmp_path)
    agent = make_tree(root)
    agent.prompt("@dev go on")
    assert decide_write(agent, ".git") == "ask"
    assert decide_command(agent, "echo gitdir: ../evil > .git") == "ask"
    assert decide_command(agent, "tar --exclude=.git/objects -cf x.tar src") == "allow"


@pytest.mark.parametrize("is_absolute", [True, False], ids=["absolute", "relative"])
def test_the_folder_that_the_settings_name_for_hooks_is_asked_about(
    is_absolute: bool, tmp_path: Path
) -> None:
    top = new_repository(tmp_path / "repo")
    folder = top / "tools" / "hooks"
    folder.mkdir(parents=True)
    run_git(top, "config", "core.hooksPath", str(folder) if is_absolute else "tools/hooks")
    agent = make_tree(top / "packages" / "app")
    agent.prompt("@dev go on")
    assert decide_write(agent, folder / "pre-push") == "ask"
    assert decide_command(agent, "cp x ../../tools/hooks/pre-push") == "ask"
    assert decide_command(agent, "cp x ../../tools/other") == "allow"


def test_a_comment_behind_the_folder_for_hooks_is_no_part_of_it(tmp_path: Path) -> None:
    top = new_repository(tmp_path / "repo")
    (top / "tools/hooks").mkdir(parents=True)
    with (top / ".git/config").open("a") as settings:
        settings.write("[Core]\n\thooksPath = tools/hooks ; those of the team\n")
    agent = make_tree(top)
    agent.prompt("@dev go on")
    assert decide_write(agent, "tools/hooks/pre-push") == "ask"


@pytest.mark.parametrize("value", ["/dev/null", ".", "/", "missing"])
def test_a_folder_that_holds_no_hooks_alone_is_no_reason_to_ask(value: str, tmp_path: Path) -> None:
    top = new_repository(tmp_path / "repo")
    run_git(top, "config", "core.hooksPath", value)
    agent = make_tree(top)
    agent.prompt("@dev go on")
    assert decide_write(agent, "src/a.py") == "allow"
    assert decide_command(agent, "make > /dev/null") == "allow"


def test_a_repository_inside_of_the_project_has_hooks_too(tmp_path: Path) -> None:
    agent = make_tree(new_repository(tmp_path / "repo"))
    new_repository(tmp_path / "repo" / "vendor" / "x")
    agent.prompt("@dev go on")
    assert decide_write(agent, "vendor/x/.git/hooks/post-checkout") == "ask"
    assert decide_command(agent, "rm -rf vendor/x/.git") == "ask"
    assert decide_command(agent, 'echo x > "src/$NAME.ts"') == "allow"


def test_aliases_of_a_submodule_are_read(tmp_path: Path) -> None:
    root, _ = in_a_submodule(tmp_path)
    run_git(root, "config", "alias.p", "push")
    assert git_settings.read_git_aliases(str(root)) == {"p": "push"}


def test_aliases_are_read_as_git_reads_them(tmp_path: Path) -> None:
    top = new_repository(tmp_path / "repo")
    with (top / ".git/config").open("a") as settings:
        settings.write(ALIASES)
    said = subprocess.run(
        ["git", "config", "--local", "--null", "--get-regexp", "^alias"],
        cwd=top,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.rstrip("\0")
    pairs = (one.removeprefix("alias.").partition("\n") for one in said.split("\0"))
    wanted = {name: value for name, _, value in pairs}
    assert len(wanted) == 7
    assert git_settings.read_git_aliases(str(top)) == wanted


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("CLAUDE_CONFIG_DIR", "settings.json"),
        ("CLAUDE_CONFIG_DIR", ".claude.json"),
        ("CLAUDE_CONFIG_DIR", "projects/x/s9.jsonl"),
        ("CODEX_HOME", "hooks.json"),
        ("COPILOT_HOME", "hooks/x.json"),
        ("COPILOT_HOME", "session-state/x/events.jsonl"),
        ("KIMI_CODE_HOME", "config.toml"),
        ("KIMI_CODE_HOME", "sessions/x/y/wire.jsonl"),
        ("SYNAPSE_LS_CONFIG", "trusted.json"),
        ("XDG_CONFIG_HOME", "git/config"),
        ("XDG_CONFIG_HOME", "opencode/plugins/x.js"),
    ],
)
def test_settings_that_the_environment_has_elsewhere_are_asked_about(
    variable: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = make_tree(tmp_path / "app")
    agent.prompt("@dev go on")
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert decide_write(agent, tmp_path / "elsewhere" / name) == "ask"
    assert decide_command(agent, f"cp x ../elsewhere/{name}") == "ask"


def test_the_folders_that_keep_what_the_guard_knows_are_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = {
        "SYNAPSE_LS_CACHE": "cache",
        "SYNAPSE_LS_CONFIG": "config",
        "XDG_STATE_HOME": "state",
    }
    for variable, name in folders.items():
        monkeypatch.setenv(variable, str(tmp_path / name))
    agent = make_tree(tmp_path / "project")
    agent.prompt("@dev go on")
    plan, audit = tmp_path / "cache/abc.plan", tmp_path / "state/synapse-ls/audit/audit.jsonl"
    for path in (plan, tmp_path / "config/pins/a.json", audit):
        assert decide_write(agent, path) == decide_command(agent, f"cp x {path}") == "ask"
    assert decide_command(agent, "rm -rf ~/.cache/synapse-ls") == "ask"
    assert decide_command(agent, f"ls {tmp_path}/cache ~/.cache/synapse-ls") == "allow"
