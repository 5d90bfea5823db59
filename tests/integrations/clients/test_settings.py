from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations.client_settings import PROJECT, USER, Surroundings
from synapse_ls.integrations.hook_registrations import (
    find_registrations,
    hook_troubles,
    registered_files,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install.hook_installation import apply_changes, plan_installation


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    """A project and a home of the test's own."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    for folder in ("root", "home"):
        (tmp_path / folder).mkdir()
    return Surroundings(tmp_path / "root", tmp_path / "home")


def test_settings_files_that_register_the_hook_are_found(around: Surroundings) -> None:
    apply_changes(plan_installation(around, [CLIENTS["claude"], CLIENTS["cursor"]], PROJECT))
    apply_changes(plan_installation(around, [CLIENTS["claude"]], USER))
    found = registered_files(str(around.root), home=str(around.home))
    assert found == (".claude/settings.json", ".cursor/hooks.json", "~/.claude/settings.json")


def test_a_registration_has_a_place(around: Surroundings) -> None:
    apply_changes(plan_installation(around, [CLIENTS["claude"]], PROJECT))
    found = [
        r for r in find_registrations(around, CLIENTS["claude"]) if r.event == "UserPromptSubmit"
    ]
    (registration,) = found
    line = registration.file.read_text().splitlines()[registration.line - 1]
    assert "--event UserPromptSubmit" in line
    assert (registration.scope, registration.name) == (PROJECT, ".claude/settings.json")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"hooks": {"Stop": [{"hooks": [{"command": 1}]}]}}']
)
def test_settings_that_register_nothing(around: Surroundings, text: str) -> None:
    (around.root / ".claude").mkdir()
    (around.root / ".claude/settings.json").write_text(text)
    assert registered_files(str(around.root), home=str(around.home)) == ()


def test_settings_that_the_client_cannot_read_are_told_with_the_place(around: Surroundings) -> None:
    (around.root / ".claude").mkdir()
    (around.root / ".claude/settings.json").write_text('{\n  "hooks": {}, // none\n}')
    (told,) = hook_troubles(str(around.root), home=str(around.home))
    assert told == (
        ".claude/settings.json:2:16 is no JSON that Claude Code reads: it takes no comments"
    )
