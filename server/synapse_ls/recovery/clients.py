"""How a new session is begun in each client (Chati Context Engine, "IDE-Specific Behavior").

A client with a command line is started with one sentence that names the continuation file. The text of
the file is never part of a command line: what stands in it is nobody's business but the agent's.
"""

from __future__ import annotations

from typing import NamedTuple

COMMAND, SESSION, FILE = "command", "session", "file"

PROMPT = "Read {file} and go on where it says; it was left by the session before this one."


class Level2(NamedTuple):
    """How a client goes on. kind: by a command, in a new session that a person opens, or with the
    file. program: what a person runs, with ``{prompt}`` for the sentence; alone: the same without
    anybody at the terminal. said: what to tell the person.
    """

    client: str
    title: str
    kind: str
    program: tuple[str, ...]
    alone: tuple[str, ...]
    said: str


_OPENED = "Open a new chat and say: {prompt}"

CLIENTS: dict[str, Level2] = {
    row.client: row
    for row in (
        Level2(
            "claude",
            "Claude Code",
            COMMAND,
            ("claude", "{prompt}"),
            ("claude", "-p", "{prompt}"),
            "Run this in the project, or have the Task tool start a sub-agent with the sentence.",
        ),
        Level2(
            "gemini",
            "Gemini CLI",
            COMMAND,
            ("gemini", "-i", "{prompt}"),
            ("gemini", "-p", "{prompt}"),
            "Run this in the project.",
        ),
        Level2(
            "codex",
            "Codex",
            COMMAND,
            ("codex", "{prompt}"),
            ("codex", "exec", "{prompt}"),
            "Run this in the project.",
        ),
        Level2(
            "antigravity",
            "Antigravity",
            SESSION,
            (),
            (),
            "Start a new agent session and say: {prompt}",
        ),
        Level2("cursor", "Cursor", FILE, (), (), _OPENED),
        Level2("vscode", "VS Code", FILE, (), (), _OPENED),
        Level2("copilot", "GitHub Copilot", FILE, (), (), _OPENED),
    )
}
OTHER = Level2("", "Any other client", FILE, (), (), "Begin a new session and say: {prompt}")


def level2(client: str) -> Level2:
    """The row of a client, `OTHER` for one that is not known."""
    return CLIENTS.get(client, OTHER)


def command(row: Level2, file: str, *, alone: bool = False) -> tuple[str, ...]:
    """The words of the command that starts ``row`` with the continuation ``file``; () for none.

    alone: nobody is at the terminal.
    """
    prompt = PROMPT.format(file=file)
    return tuple(word.replace("{prompt}", prompt) for word in (row.alone if alone else row.program))


def said(row: Level2, file: str) -> str:
    """What a person is told to do."""
    return row.said.replace("{prompt}", PROMPT.format(file=file))
