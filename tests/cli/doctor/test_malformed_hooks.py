"""What the doctor says of a malformed hook, for which Claude Code can leave out a whole settings file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor, settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("forks"),
]

COMMAND = {"type": "command", "command": "echo"}


def add_hooks(team: Path, name: str, event: str, entries: object) -> None:
    file = team / name
    hooks = json.loads(file.read_text())["hooks"] if file.exists() else {}
    settings(team, name, {"hooks": {**hooks, event: entries}})


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("echo", "the value of `Stop` is no list"),
        (["echo"], "an entry of `Stop` is no object"),
        ([COMMAND], "an entry of `Stop` has no list `hooks`"),
        ([{"hooks": COMMAND}], "an entry of `Stop` has no list `hooks`"),
        ([{"matcher": {"type": "always"}, "hooks": [COMMAND]}], "a `matcher` of `Stop` is no text"),
        ([{"hooks": ["echo"]}], "a hook of `Stop` is no object"),
        ([{"hooks": [{"command": "echo"}]}], "a hook of `Stop` has no `type`"),
        ([{"hooks": [COMMAND, {"type": "command"}]}], "a hook of `Stop` has no `command`"),
        ([{"hooks": [{"type": "agent"}]}], "a hook of `Stop` has no `prompt`"),
    ],
)
def test_a_malformed_hook_beside_ours_is_an_error(
    synapse: Synapse, team: Path, entries: object, said: str
) -> None:
    synapse("install", "--client", "claude")
    add_hooks(team, ".claude/settings.json", "Stop", entries)
    report = doctor(synapse)
    (trouble,) = [one for one in report["troubles"] if one["code"] == "broken-settings"]
    assert f": {said}, for which Claude Code can leave out the whole file" in trouble["sentence"]
    assert (trouble["path"], report["ok"]) == (".claude/settings.json", False)


def test_it_is_named_by_line_and_column(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    text = '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command"}]}\n    ]\n  }\n}\n'
    (team / ".claude/settings.json").write_text(text)
    (trouble,) = [one for one in doctor(synapse)["troubles"] if one["client"] == "claude"]
    assert trouble["sentence"].startswith(".claude/settings.json:4:18: ")
    assert trouble["line"] == 4


def test_in_another_file_than_ours_it_is_a_warning(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    add_hooks(team, ".claude/settings.json", "Stop", [{"hooks": [{"type": "command"}]}])
    report = doctor(synapse)
    (trouble,) = [one for one in report["troubles"] if one["client"] == "claude"]
    assert (trouble["severity"], report["ok"]) == ("warning", True)


@pytest.mark.parametrize(
    "hook",
    [
        COMMAND,
        {"type": "prompt", "prompt": "Is it done?"},
        {"type": "http", "url": "http://127.0.0.1:1/"},
        {"type": "of-tomorrow"},
    ],
)
def test_a_well_formed_hook_of_any_type_is_none(
    synapse: Synapse, team: Path, hook: dict[str, Any]
) -> None:
    synapse("install", "--client", "claude")
    add_hooks(team, ".claude/settings.json", "Notification", [{"matcher": "", "hooks": [hook]}])
    assert "broken-settings" not in codes(doctor(synapse), "claude")
