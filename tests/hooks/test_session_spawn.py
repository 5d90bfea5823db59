"""A session is begun only where that is allowed, and once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.cli.main import main
from synapse_ls.hooks import session_continuation, session_upkeep
from synapse_ls.storage import trusted_trees
from synapse_ls.workspace.pinned_content import scan_content
from tests.hooks.hook_clients import Claude
from tests.integrations.transcripts.claude_records import answer, prompt
from tests.integrations.transcripts.support import lines_of
from tests.trees import TEAM, write_tree


class Begun:
    """What was started, instead of starting it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[list[str], dict[str, Any]]] = []
        monkeypatch.setattr(subprocess, "Popen", self)
        monkeypatch.setattr(shutil, "which", lambda name, **_: f"/usr/bin/{name}")

    def __call__(self, words: list[str], **more: Any) -> None:
        if words[0].startswith("/usr/bin/"):  # on a busy machine a plan is finished apart, too
            self.calls.append((words, more))


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv(session_continuation.SPAWNED_VARIABLE, raising=False)
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    root = write_tree(
        tmp_path / "app", {**TEAM, ".synapse/config.toml": '[recovery]\nspawn = "run"\n'}
    )
    client = Claude(root)
    client.transcript.write_bytes(lines_of(prompt("Go", 1), answer(9_000, "TODO: more.", second=2)))
    client.prompt("Go")
    return client


def compactions(client: Claude, number: int) -> None:
    for _ in range(number):
        client.send("PreCompact", trigger="auto")
        client.send("SessionStart", source="compact")
        client.prompt("on")


def test_the_third_compaction_begins_one_session(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Begun(monkeypatch)
    trusted_trees.trust_tree(str(claude.root))
    compactions(claude, 2)
    assert begun.calls == []
    compactions(claude, 3)
    ((words, more),) = begun.calls
    assert words[:2] == ["/usr/bin/claude", "-p"]
    assert words[2].startswith("Read .synapse/continuation/latest.md")
    assert more["cwd"] == str(claude.root)
    assert more["env"][session_continuation.SPAWNED_VARIABLE] == "1"
    assert claude.document()["recovery"]["spawned"]


@pytest.mark.skipif(sys.platform == "win32", reason="rights of programs")
def test_a_program_of_the_project_is_not_begun(
    claude: Claude, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for folder in (claude.root, claude.root / "bin", tmp_path / "tools"):
        folder.mkdir(exist_ok=True)
        (folder / "claude").write_text("#!/bin/sh\n")
        (folder / "claude").chmod(0o755)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/claude").symlink_to(claude.root / "claude")
    monkeypatch.chdir(claude.root)
    search = [".", "bin", str(claude.root / "bin"), str(tmp_path / "linked")]
    monkeypatch.setenv("PATH", os.pathsep.join(search))
    assert session_continuation.start_command(str(claude.root), "claude", "x.md") == []
    monkeypatch.setenv("PATH", os.pathsep.join([*search, str(tmp_path / "tools")]))
    words = session_continuation.start_command(str(claude.root), "claude", "x.md")
    assert words[0] == str(tmp_path / "tools/claude")


def test_what_a_client_starts_by_name_is_not_of_the_project(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join((str(claude.root / "bin"), "/tools")))
    begun = Begun(monkeypatch)
    trusted_trees.trust_tree(str(claude.root))
    compactions(claude, 3)
    ((_, more),) = begun.calls
    assert more["env"]["PATH"] == "/tools"


def test_none_is_begun_in_a_tree_that_is_not_trusted(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Begun(monkeypatch)
    compactions(claude, 5)
    assert begun.calls == []


def test_none_is_begun_by_one_that_was_begun(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Begun(monkeypatch)
    trusted_trees.trust_tree(str(claude.root))
    monkeypatch.setenv(session_continuation.SPAWNED_VARIABLE, "1")
    compactions(claude, 5)
    assert begun.calls == []


def test_none_is_begun_unless_the_tree_says_so(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Begun(monkeypatch)
    trusted_trees.trust_tree(str(claude.root))
    (claude.root / ".synapse/config.toml").write_text("")
    compactions(claude, 5)
    assert begun.calls == []


@pytest.mark.parametrize("is_pinned", [True, False])
def test_none_is_begun_by_what_a_pull_brings_into_a_pinned_tree(
    claude: Claude, monkeypatch: pytest.MonkeyPatch, is_pinned: bool
) -> None:
    begun, root, config = Begun(monkeypatch), claude.root, claude.root / ".synapse/config.toml"
    allowed = config.read_text()
    config.write_text("")
    compactions(claude, 5)
    trusted_trees.trust_tree(str(root))
    if is_pinned:
        trusted_trees.write_pin(str(root), scan_content(str(root))[0], "warn")
    config.write_text(allowed)
    monkeypatch.chdir(root)
    main(["handoff", "--session", claude.session])
    assert len(begun.calls) == (0 if is_pinned else 1)
