"""Which hooks Codex runs, and of which folders, asked of Codex itself and of what the doctor asks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.integrations.client_settings import PROJECT
from synapse_ls.integrations.codex.settings import (
    CLIENT,
    CodexFolder,
    event_key,
    find_approvals,
    hash_hook,
)
from tests.clients.codex import Codex
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import Place

LINE = {"type": "command", "command": 'echo é \x7f \t " \\ / 😀 \u2028'}
TOOL = {"type": "mcp_tool", "server": "s", "tool": "t"}
HOOKS: tuple[dict[str, Any], ...] = (
    LINE,
    *({**LINE, "timeout": seconds} for seconds in (None, 0, 2, 10, 100_000)),
    {**LINE, "async": True},
    {**LINE, "statusMessage": "Wait"},
    {**LINE, "additionalContextLimit": 5},
    {**LINE, "unknown": 1},
    *({**TOOL, "input": value} for value in ({}, {"b": "${x}", "a": 1}, {"a": [True, {"c": ""}]})),
)
OWN = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "synapse-ls hook"}]}]}}
TRUSTED, UNTRUSTED = "trusted", "untrusted"


@pytest.fixture
def codex(tmp_path: Path) -> Iterator[Codex]:
    with Model() as model:
        found = client_of("codex", Place(tmp_path / "place", model))
        assert isinstance(found, Codex)
        yield found


def write_hooks(folder: Path, document: Mapping[str, Any]) -> Path:
    file = folder / ".codex/hooks.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document))
    return file


def written_entries() -> dict[str, list[dict[str, Any]]]:
    """What `synapse install` writes, in every way that it does."""
    guarded = CLIENT.with_guard(True)
    ways = (guarded, guarded.through_tool(False), guarded.through_tool(True))
    scopes = (PROJECT, "user")
    return {
        event: [entry for way in ways for s in scopes for entry in way.hook_entries(event, s)]
        for event in guarded.events
    }


def test_the_hash_of_a_hook_is_that_of_codex(codex: Codex, tmp_path: Path) -> None:
    events = (*CLIENT.with_guard(True).events, "Stop", "PostCompact", "PermissionRequest")
    hooks: dict[str, list[dict[str, Any]]] = {event: [] for event in events}
    for event, entries in written_entries().items():
        hooks[event] += entries
    for groups in hooks.values():
        groups.append({"hooks": list(HOOKS)})
        groups.extend({"matcher": one, "hooks": [LINE, TOOL]} for one in ("", "*", "Bash|x"))
    file = write_hooks(tmp_path / "project", {"hooks": hooks})
    codex.trust_folders({file.parent.parent: TRUSTED})
    (listed,) = codex.list_hooks(file.parent.parent)
    ours = {
        f"{file}:{event_key(event)}:{number}:{position}": hash_hook(event, group, hook)
        for event, groups in hooks.items()
        for number, group in enumerate(groups)
        for position, hook in enumerate(group["hooks"])
        if event != "SessionEnd" or hook["type"] == "command"  # it calls no tool at the end
    }
    assert {hook["key"]: hook["currentHash"] for hook in listed["hooks"]} == ours
    assert len(ours) > 100


def test_the_doctor_knows_which_hooks_codex_runs(codex: Codex, tmp_path: Path) -> None:
    hook = {"type": "command", "command": "synapse-ls hook"}
    document = {"hooks": {"Stop": [{"hooks": [{"type": "prompt"}, *[hook] * 5]}]}}
    file = write_hooks(tmp_path / "project", document)
    same = hash_hook("Stop", {}, hook)
    states: dict[str, dict[str, Any]] = {
        f"{file}:stop:0:1": {"trusted_hash": same},
        f"{file}:stop:0:2": {"trusted_hash": "x"},
        f"{file}:stop:0:3": {"trusted_hash": same, "enabled": False},
        f"{file}:stop:0:4": {"enabled": True},
    }
    codex.trust_folders({file.parent.parent: TRUSTED})
    codex.keep_states(states)
    (listed,) = codex.list_hooks(file.parent.parent)
    said = [hook["trustStatus"] if hook["enabled"] else "disabled" for hook in listed["hooks"]]
    words = {"trusted": "approved", "modified": "changed", "untrusted": "unapproved"}
    found = [one.state for one in find_approvals(str(file), document, states)]
    assert found == [words.get(one, one) for one in said]
    assert found == ["approved", "changed", "disabled", "unapproved", "unapproved"]


def git(*arguments: object) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(["git", *who, *map(str, arguments)], check=True, capture_output=True)


def make_folders(base: Path) -> list[Path]:
    """Folders in work trees of all kinds and in none, each with hooks."""
    main = base / "main"
    git("init", "-q", main)
    git("-C", main, "commit", "-q", "--allow-empty", "-m", "x")
    git("-C", main, "worktree", "add", "-q", base / "linked")
    git("-C", main, "worktree", "add", "-q", main / "inside")
    (main / ".git/modules").mkdir()
    git("init", "-q", "--separate-git-dir", main / ".git/modules/part", main / "part")
    git("clone", "-q", "--bare", main, base / "bare/repository.git")
    git("-C", base / "bare/repository.git", "worktree", "add", "-q", base / "bare/linked")
    git("clone", "-q", "--bare", main, base / "hidden/.bare")
    (base / "hidden/.git").write_text("gitdir: ./.bare\n")
    git("-C", base / "hidden", "worktree", "add", "-q", base / "hidden/linked")
    git("clone", "-q", "--separate-git-dir", base / "apart.git", main, base / "apart")
    git("-C", base / "apart", "worktree", "add", "-q", base / "apart-linked")
    moved = base / "moved"
    git("-C", main, "worktree", "add", "-q", base / "before")
    (base / "before").rename(moved)
    names = (
        "main main/sub main/sub/deep linked linked/sub main/inside main/part bare/linked hidden "
        "hidden/linked apart apart-linked moved plain plain/sub"
    )
    folders = [base / name for name in names.split()]
    for folder in folders:
        write_hooks(folder, OWN)
    return folders


@pytest.mark.parametrize(
    "levels",
    [
        {"main": TRUSTED, "plain": TRUSTED},
        {"main": TRUSTED, "main/sub": UNTRUSTED, "linked": UNTRUSTED},
        {"main": UNTRUSTED, "main/sub": TRUSTED, "linked": TRUSTED, "main/part": TRUSTED},
        {"bare": TRUSTED, "hidden": TRUSTED, "apart": TRUSTED, "plain/sub": TRUSTED},
        {"bare/linked": TRUSTED, "apart-linked": TRUSTED, "moved": TRUSTED, "linked/sub": TRUSTED},
        {"": TRUSTED},
    ],
)
def test_the_doctor_knows_whose_hooks_codex_reads(
    codex: Codex, tmp_path: Path, levels: dict[str, str]
) -> None:
    base = tmp_path / "folders"
    folders = make_folders(base)
    trusted = {base / name: level for name, level in levels.items()}
    codex.trust_folders(trusted)
    listed = {Path(one["cwd"]): one["hooks"] for one in codex.list_hooks(*folders)}
    projects = {str(folder): {"trust_level": level} for folder, level in trusted.items()}
    for folder in folders:
        here = CodexFolder.of_path(folder)
        is_read = str(here.hook_file) in {hook["sourcePath"] for hook in listed[folder]}
        assert is_read is here.is_trusted(here.folder, projects), folder
        if here.is_linked:
            own = str(folder / ".codex/hooks.json")
            assert own not in {hook["sourcePath"] for hook in listed[folder]}
