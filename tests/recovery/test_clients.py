"""How a new session is begun in each client."""

from __future__ import annotations

import pytest

from synapse_ls.recovery.clients import CLIENTS, OTHER, PROMPT, command, level2, said
from synapse_ls.recovery.report import level2_report

FILE = ".synapse/continuation/latest.md"
SENTENCE = PROMPT.format(file=FILE)


@pytest.mark.parametrize(
    ("client", "kind", "program", "alone"),
    [
        ("claude", "command", ("claude",), ("claude", "-p")),
        ("gemini", "command", ("gemini", "-i"), ("gemini", "-p")),
        ("codex", "command", ("codex",), ("codex", "exec")),
        ("antigravity", "session", (), ()),
        ("cursor", "file", (), ()),
        ("vscode", "file", (), ()),
        ("copilot", "file", (), ()),
    ],
)
def test_how_each_client_begins_a_new_session(
    client: str, kind: str, program: tuple[str, ...], alone: tuple[str, ...]
) -> None:
    row = level2(client)
    assert row.kind == kind
    assert command(row, FILE) == ((*program, SENTENCE) if program else ())
    assert command(row, FILE, alone=True) == ((*alone, SENTENCE) if alone else ())
    report = level2_report(client)
    assert (report["command"] is None) == (not program)
    assert FILE in f"{report['command']} {report['say']}"


def test_a_client_that_is_not_known_is_told_what_to_say() -> None:
    assert level2("emacs") is OTHER
    assert SENTENCE in said(OTHER, FILE)


def test_no_command_line_holds_anything_but_the_name_of_the_file() -> None:
    for row in CLIENTS.values():
        assert "{" not in " ".join(command(row, FILE))
