from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from synapse_ls.integrations.client_settings import Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS
from tests.cli.conftest import Synapse


@pytest.mark.parametrize("mode", ["off", "warn", "enforce"])
@pytest.mark.parametrize("client", CLIENTS)
def test_the_settings_are_what_an_installation_writes(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch, client: str, mode: str
) -> None:
    known = CLIENTS[client]
    for name in (*known.variables, known.user_folder.variable):
        monkeypatch.delenv(name or "-", raising=False)
    (team / ".synapse/config.toml").write_text(f'[guard]\nmode = "{mode}"\n')
    done = synapse("hook", "--print-settings", "--client", client)
    assert (done.code, done.err) == (0, "")
    place = known.place("local") or known.place("user")
    assert place is not None
    assert synapse("install", "--client", client, "--scope", place.scope).code == 0
    written = known.path_of(place, Surroundings(team, Path(os.environ["HOME"])))
    assert done.out == written.read_text("utf-8")


def test_a_client_nobody_knows_is_an_error(synapse: Synapse) -> None:
    done = synapse("hook", "--print-settings", "--client", "nobody")
    assert (done.code, done.out) == (2, "")


def test_a_person_gets_help_and_standard_output_stays_empty(synapse: Synapse) -> None:
    done = synapse("hook")
    assert (done.code, done.out) == (0, "")
    assert "\nExamples:\n" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--client", "bogus"], 'no client "bogus" is known'),
        (["--nosuch"], "no option --nosuch is known"),
        (["--nosuch=3", "--client", "claude"], "no option --nosuch is known"),
    ],
)
def test_what_nobody_knows_is_a_line_in_the_log(
    process: Synapse, team: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    event = json.dumps({"prompt": "hello", "cwd": str(team), "hook_event_name": "UserPromptSubmit"})
    done = process("hook", *arguments, stdin=event)
    assert (done.code, done.err) == (0, "") and "[CONSTITUTION]" in done.out
    (line,) = (tmp_path / "cache/hook.log").read_text().splitlines()
    assert said in line and "hello" not in line


@pytest.mark.parametrize(("line", "is_whole"), [((), False), (("--limit", "60000"), True)])
def test_codex_is_sent_as_much_as_its_settings_have_it_pass_on(
    process: Synapse, tmp_path: Path, line: tuple[str, ...], is_whole: bool
) -> None:
    rules = "".join(
        f"- Prefer the short form of statement {n} to the long one\n" for n in range(400)
    )
    root = tmp_path / "project"
    root.mkdir()
    (root / "STYLE.md").write_text(rules)
    assert process("init", str(root), "--from", "STYLE.md").code == 0
    event = {"prompt": "hello", "cwd": str(root), "hook_event_name": "UserPromptSubmit"}
    done = process(
        "hook",
        "--client",
        "codex",
        *line,
        stdin=json.dumps({**event, "turn_id": "1", "session_id": "s"}),
    )
    assert (len(done.out) > 10_000) is is_whole and ("statement 399" in done.out) is is_whole


def test_a_client_nobody_knows_is_found_by_its_events(process: Synapse, team: Path) -> None:
    event = {"prompt": "hello", "cwd": str(team), "cursor_version": "1"}
    named = json.dumps({**event, "hook_event_name": "beforeSubmitPrompt"})
    assert list(process("hook", "--client", "bogus", stdin=named).json) == [
        "continue",
        "additional_context",
    ]


def test_a_working_directory_that_is_gone_is_a_line_in_the_log(
    process: Synapse, team: Path, tmp_path: Path
) -> None:
    event = json.dumps({"prompt": "hello", "cwd": "/nowhere/at/all"})
    done = process("hook", "--event", "prompt", stdin=event)
    assert (done.code, done.out, done.err) == (0, "{}", "")
    (line,) = (tmp_path / "cache/hook.log").read_text().splitlines()
    assert "/nowhere/at/all" in line


def test_known_options_leave_no_line(process: Synapse, team: Path, tmp_path: Path) -> None:
    event = json.dumps({"prompt": "hello", "cwd": str(team)})
    process("hook", "--event", "prompt", "--client", "claude", "--scope", "local", stdin=event)
    assert not (tmp_path / "cache/hook.log").exists()
