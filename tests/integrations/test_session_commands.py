"""How a new session is begun in each client."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations.session_commands import (
    OTHER_CLIENT,
    PROMPT,
    SESSION_STARTS,
    session_start_of,
    start_command,
    start_instruction,
)
from synapse_ls.queries.recovery_report import session_start_report

FILE = ".synapse/continuation/latest.md"
SENTENCE = PROMPT.format(file=FILE)


@pytest.mark.parametrize(
    ("client", "kind", "program", "alone"),
    [
        ("claude", "command", ("claude",), ("claude", "-p")),
        ("gemini", "command", ("gemini", "-i"), ("gemini", "-p")),
        ("codex", "command", ("codex",), ("codex", "exec")),
        ("opencode", "command", ("opencode", "--prompt"), ("opencode", "run")),
        ("kilo", "command", ("kilo", "--prompt"), ("kilo", "run")),
        ("cline", "command", ("cline", "--tui"), ("cline",)),
        ("antigravity", "session", (), ()),
        ("cursor", "file", (), ()),
        ("vscode", "file", (), ()),
        ("copilot", "file", (), ()),
    ],
)
def test_how_each_client_begins_a_new_session(
    tmp_path: Path, client: str, kind: str, program: tuple[str, ...], alone: tuple[str, ...]
) -> None:
    row = session_start_of(client)
    assert row.kind == kind
    assert start_command(row, FILE) == ((*program, SENTENCE) if program else ())
    assert start_command(row, FILE, headless=True) == ((*alone, SENTENCE) if alone else ())
    report = session_start_report(str(tmp_path), client)
    assert (report["command"] is None) == (not program)
    assert FILE in f"{report['command']} {report['say']}"


def test_a_client_that_is_not_known_is_told_what_to_say() -> None:
    assert session_start_of("emacs") is OTHER_CLIENT
    assert SENTENCE in start_instruction(OTHER_CLIENT, FILE)


def test_no_command_line_holds_anything_but_the_name_of_the_file() -> None:
    for row in SESSION_STARTS.values():
        assert "{" not in " ".join(start_command(row, FILE))
