"""Commands that start a new session in each client, to go on from a continuation file.

The command has one sentence that names the file, never its text, which only the agent may see
(Chati Context Engine, "IDE-Specific Behavior").
"""

from typing import NamedTuple

COMMAND, SESSION, FILE = "command", "session", "file"

PROMPT = "Read {file} and go on where it says; it was left by the session before this one."


class SessionStart(NamedTuple):
    """By which command a new session is started in one client.

    kind: by a command, in a new session that a person opens, or with the file. program: the words
    of the command that a person runs, before the sentence. headless: the same for when nobody is at
    the terminal. instruction: what to tell the person.
    """

    client: str
    title: str
    kind: str
    program: str
    headless: str
    instruction: str


_RUN_COMMAND = "Run this in the project."
_RUN_OR_OPEN = "Run this in the project, or begin a new task in the editor with the sentence."
_RUN_OR_DELEGATE = (
    "Run this in the project, or have the Task tool start a sub-agent with the sentence."
)
_OPEN_SESSION = "Start a new agent session and say: {prompt}"
_OPEN_CHAT = "Open a new chat and say: {prompt}"

SESSION_STARTS: dict[str, SessionStart] = {
    row.client: row
    for row in (
        SessionStart("claude", "Claude Code", COMMAND, "claude", "claude -p", _RUN_OR_DELEGATE),
        SessionStart("gemini", "Gemini CLI", COMMAND, "gemini -i", "gemini -p", _RUN_COMMAND),
        SessionStart("codex", "Codex", COMMAND, "codex", "codex exec", _RUN_COMMAND),
        SessionStart(
            "opencode", "OpenCode", COMMAND, "opencode --prompt", "opencode run", _RUN_COMMAND
        ),
        SessionStart("kilo", "Kilo Code", COMMAND, "kilo --prompt", "kilo run", _RUN_OR_OPEN),
        SessionStart("cline", "Cline", COMMAND, "cline --tui", "cline", _RUN_OR_OPEN),
        SessionStart("antigravity", "Antigravity", SESSION, "", "", _OPEN_SESSION),
        SessionStart("cursor", "Cursor", FILE, "", "", _OPEN_CHAT),
        SessionStart("vscode", "VS Code", FILE, "", "", _OPEN_CHAT),
        SessionStart("copilot", "GitHub Copilot", FILE, "", "", _OPEN_CHAT),
    )
}
OTHER_CLIENT = SessionStart(
    "", "Any other client", FILE, "", "", "Begin a new session and say: {prompt}"
)


def session_start_of(client: str) -> SessionStart:
    """Return how a client starts a new session, `OTHER_CLIENT` for a client that is not known."""
    return SESSION_STARTS.get(client, OTHER_CLIENT)


def start_command(start: SessionStart, file: str, *, headless: bool = False) -> tuple[str, ...]:
    """Return the words of the command that starts a session with the continuation ``file``, () for
    a client without a command.

    headless: nobody is at the terminal.
    """
    words = (start.headless if headless else start.program).split()
    return (*words, PROMPT.format(file=file)) if words else ()


def start_instruction(start: SessionStart, file: str) -> str:
    """Return the sentence that tells a person by which command to start the session."""
    return start.instruction.replace("{prompt}", PROMPT.format(file=file))
