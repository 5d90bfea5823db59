"""The agent clients whose hooks are answered, and how to detect which one calls.

A new client is a folder here and a line in the table below.
"""

from __future__ import annotations

from synapse_ls.integrations.hook_event import text_field
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final

    from synapse_ls.integrations.hook_client import HookClient

    Raw = Mapping[str, Any]

FALLBACK_CLIENT: Final = "other"

# A client that is made of another lies in its folder, under a name of its own.
_DERIVED_CLIENTS: Final = {"kilo": ("opencode", "KILO")}

# Events that only Gemini CLI has.
_GEMINI_EVENTS: Final = (
    "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "BeforeModel", "AfterModel",
    "BeforeToolSelection", "PreCompress",
)  # fmt: skip


def load_client(name: str) -> HookClient | None:
    """Return the client ``name``, or None where there is none of that name."""
    if name not in HOOK_CLIENTS:
        return None
    folder, attribute = _DERIVED_CLIENTS.get(name, (name, "CLIENT"))
    client: HookClient = getattr(load_module(f"synapse_ls.integrations.{folder}"), attribute)
    return client


def detect_client(environment: Mapping[str, str], raw: Raw, named_client: str) -> str:
    """Return the name of the client that runs this hook.

    The environment is believed before ``--client`` (``named_client``), so that two
    registrations of the hook under one client keep one record. It names several, or the wrong
    one, where a client was started in the terminal of another, and none for clients that set
    nothing: then what the payload looks like decides.
    """
    variables, looks = HOOK_CLIENTS.get(named_client, ((), bool))
    if _has_variable(environment, variables) and looks(raw):
        return named_client
    named_clients = [
        name
        for name, (variables, _) in HOOK_CLIENTS.items()
        if _has_variable(environment, variables)
    ]
    like = [
        name
        for name, (_, looks) in HOOK_CLIENTS.items()
        if looks(raw) and (name != FALLBACK_CLIENT or name == named_client)
    ]
    silent = [name for name in like if not HOOK_CLIENTS[name][0]]
    for sure in ([name for name in like if name in named_clients], silent):
        if sure:
            return named_client if named_client in sure else sure[0]
    if len(named_clients) == 1 and not like:
        return named_clients[0]
    if named_client in HOOK_CLIENTS:
        return named_client
    return like[0] if like else FALLBACK_CLIENT


def _has_variable(environment: Mapping[str, str], variables: tuple[str, ...]) -> bool:
    return any(map(environment.get, variables))


def _looks_like_claude(raw: Raw) -> bool:
    if "timestamp" in raw or _looks_like_cursor(raw):
        return False
    session = text_field(raw, "session_id")
    return "prompt_id" in raw or (session != "" and _transcript_name(raw) == f"{session}.jsonl")


def _looks_like_copilot(raw: Raw) -> bool:
    if "sessionId" in raw or isinstance(raw.get("timestamp"), int):
        return True
    return _has_timestamp(raw) and _transcript_name(raw) in ("", "events.jsonl")


def _looks_like_cursor(raw: Raw) -> bool:
    return "cursor_version" in raw or ("conversation_id" in raw and "generation_id" in raw)


def _looks_like_codex(raw: Raw) -> bool:
    if "timestamp" in raw or _looks_like_claude(raw) or _looks_like_cursor(raw):
        return False
    if _transcript_name(raw).startswith("rollout-"):  # all that the end of a session has
        return True
    return "model" in raw and ("turn_id" in raw or "permission_mode" in raw)


def _looks_like_gemini(raw: Raw) -> bool:
    if text_field(raw, "hook_event_name") in _GEMINI_EVENTS:
        return True
    return _has_timestamp(raw) and (
        not _transcript_name(raw) or _transcript_name(raw).startswith("session-")
    )


def _looks_like_antigravity(raw: Raw) -> bool:
    return ("conversationId" in raw or "workspacePaths" in raw) and "sessionId" not in raw


def _looks_like_vscode(raw: Raw) -> bool:
    transcript_name = _transcript_name(raw)
    return (
        _has_timestamp(raw)
        and transcript_name != "events.jsonl"
        and not transcript_name.startswith("session-")
    )


def _has_timestamp(raw: Raw) -> bool:
    """Return whether the payload has the time in words, and what comes with that in several
    clients.
    """
    event = text_field(raw, "hook_event_name")
    return event not in ("", *_GEMINI_EVENTS) and bool(
        text_field(raw, "timestamp") and "permission_mode" not in raw
    )


def _transcript_name(raw: Raw) -> str:
    return text_field(raw, "transcript_path").replace("\\", "/").rpartition("/")[2]


# name -> (variables that only this client sets in its hooks, whether a payload looks like one of
# it). An unknown client may look like VS Code; it is none where ``--client`` says so.
HOOK_CLIENTS: Final[dict[str, tuple[tuple[str, ...], Callable[[Raw], bool]]]] = {
    "claude": (("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"), _looks_like_claude),
    "copilot": (("COPILOT_CLI", "COPILOT_PROJECT_DIR", "COPILOT_HOOK_DIR"), _looks_like_copilot),
    "vscode": ((), _looks_like_vscode),
    "cursor": (("CURSOR_VERSION", "CURSOR_PROJECT_DIR"), _looks_like_cursor),
    "codex": ((), _looks_like_codex),
    "gemini": (("GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID"), _looks_like_gemini),
    "antigravity": ((), _looks_like_antigravity),
    "opencode": ((), lambda raw: raw.get("client") == "opencode"),  # our plugin says so
    "kilo": ((), lambda raw: raw.get("client") == "kilo"),
    "cline": ((), lambda raw: raw.get("client") == "cline"),
    "kimi": ((), lambda raw: "client_type" in raw and "session_id" in raw),
    FALLBACK_CLIENT: ((), _has_timestamp),
}
