"""The agent clients by name: a new one is a module here and a line below."""

from __future__ import annotations

from synapse_ls.hosts.fields import text
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any, Final

    Raw = Mapping[str, Any]

FALLBACK: Final = "other"

# Events that only Gemini CLI has.
_GEMINI: Final = (
    "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "BeforeModel", "AfterModel",
    "BeforeToolSelection", "PreCompress",
)  # fmt: skip


def host(name: str) -> ModuleType | None:
    """The module of the client ``name``, or None where there is none of that name."""
    row = HOSTS.get(name)
    return load(f"synapse_ls.hosts.{row[0]}") if row else None


def detect(environment: Mapping[str, str], raw: Raw, named: str) -> str:
    """The client that runs this hook.

    The environment is believed before ``--client`` (``named``), so that two registrations of the
    hook under one client keep one record. It names several, or the wrong one, where a client was
    started in the terminal of another, and none for clients that set nothing: then what the payload
    looks like decides.
    """
    told = [name for name, (_, variables, _) in HOSTS.items() if _any(environment, variables)]
    like = [
        name
        for name, (_, _, looks) in HOSTS.items()
        if looks(raw) and (name != FALLBACK or name == named)
    ]
    silent = [name for name in like if not HOSTS[name][1]]
    for sure in ([name for name in like if name in told], silent):
        if sure:
            return named if named in sure else sure[0]
    if len(told) == 1 and not like:
        return told[0]
    if named in HOSTS:
        return named
    return like[0] if like else FALLBACK


def _any(environment: Mapping[str, str], variables: tuple[str, ...]) -> bool:
    return any(environment.get(variable) for variable in variables)


def _claude(raw: Raw) -> bool:
    if "timestamp" in raw or _cursor(raw):
        return False
    session = text(raw, "session_id")
    return "prompt_id" in raw or (session != "" and _transcript(raw) == f"{session}.jsonl")


def _copilot(raw: Raw) -> bool:
    if "sessionId" in raw or isinstance(raw.get("timestamp"), int):
        return True
    return _stamped(raw) and _transcript(raw) in ("", "events.jsonl")


def _cursor(raw: Raw) -> bool:
    return "cursor_version" in raw or ("conversation_id" in raw and "generation_id" in raw)


def _codex(raw: Raw) -> bool:
    if "timestamp" in raw or _claude(raw) or _cursor(raw):
        return False
    if _transcript(raw).startswith("rollout-"):  # all that the end of a session has
        return True
    return "model" in raw and ("turn_id" in raw or "permission_mode" in raw)


def _gemini(raw: Raw) -> bool:
    if text(raw, "hook_event_name") in _GEMINI:
        return True
    return _stamped(raw) and (not _transcript(raw) or _transcript(raw).startswith("session-"))


def _antigravity(raw: Raw) -> bool:
    return ("conversationId" in raw or "workspacePaths" in raw) and "sessionId" not in raw


def _vscode(raw: Raw) -> bool:
    kept = _transcript(raw)
    return _stamped(raw) and kept != "events.jsonl" and not kept.startswith("session-")


def _stamped(raw: Raw) -> bool:
    """Whether the payload has the time in words, and what comes with that in several clients."""
    event = text(raw, "hook_event_name")
    return event not in ("", *_GEMINI) and bool(
        text(raw, "timestamp") and "permission_mode" not in raw
    )


def _transcript(raw: Raw) -> str:
    """The name of the transcript's file."""
    return text(raw, "transcript_path").replace("\\", "/").rpartition("/")[2]


# name -> (module, variables that only this client sets in its hooks, whether a payload looks like
# one of it). An unknown client may look like VS Code; it is none where ``--client`` says so.
HOSTS: Final[dict[str, tuple[str, tuple[str, ...], Callable[[Raw], bool]]]] = {
    "claude": ("claude", ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"), _claude),
    "copilot": ("copilot", ("COPILOT_CLI", "COPILOT_PROJECT_DIR", "COPILOT_HOOK_DIR"), _copilot),
    "vscode": ("vscode", (), _vscode),
    "cursor": ("cursor", ("CURSOR_VERSION", "CURSOR_PROJECT_DIR"), _cursor),
    "codex": ("codex", (), _codex),
    "gemini": ("gemini", ("GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID"), _gemini),
    "antigravity": ("antigravity", (), _antigravity),
    FALLBACK: ("other", (), _stamped),
}
