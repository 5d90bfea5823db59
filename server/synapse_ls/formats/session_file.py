"""This module parses and normalizes the session file, ``.synapse/sessions/{id}.json`` (SYNAPSE
session schema 2.0).

A session is a plain ``dict``, because fields that are not named here belong to somebody else and
stay as they are, where they are.
"""

from __future__ import annotations

from synapse_ls.text.fast_json import JsonError, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    Session = dict[str, Any]

SCHEMA_VERSION: Final = "2.0"

# What a session holds beside its plain values: field -> (name of its identity, other fields).
_AGENT: Final = ("activated_at", "activation_quality")
_OBJECTS: Final = {
    "active_workflow": ("id", ("instance_id", "current_step", "current_phase", "started_at")),
    "active_squad": ("name", ("path", "domains_loaded")),
    "active_task": ("id", ("story", "executor_type", "started_at")),
}
_HISTORY_LISTS: Final = ("star_commands_used", "domains_loaded_last", "agents_activated")
# Fields by which a session of SYNAPSE is told from one of CARL, which has no active anything.
_SYNAPSE: Final = ("active_agent", "active_workflow", "active_squad", "active_task", "history")
_CARL: Final = ("overrides", "last_context_signature", "prompt_count")
_AIOX: Final = (
    *("sessionId", "lastCommands", "agentSequence", "taskHistory"),
    *("currentSession", "lastAgent", "lastWorkflow"),
)


def new_session(session_id: str, cwd: str, now_iso: str) -> Session:
    """Returns the content of a session file for a session that begins now; ``now_iso`` is UTC in
    ISO 8601 with milliseconds and ``Z``.
    """
    return normalize_session(
        {
            "uuid": session_id,
            "schema_version": SCHEMA_VERSION,
            "started": now_iso,
            "last_activity": now_iso,
            "cwd": cwd,
        }
    )


def parse(text: str) -> tuple[Session | None, str]:
    """Parses a session file; returns the session with nothing missing and every type right, and
    what is wrong.

    "" means nothing is. An older schema gives both the session as it is today and a sentence part
    that says so ("has the older schema 1.0"); what is no session gives ``None`` and the reason.
    Never raises.
    """
    try:
        data = loads(text)
    except JsonError as error:
        return None, f"is not JSON ({error})"
    if not isinstance(data, dict):
        return None, "holds no JSON object"
    kind = detect_schema(data)
    if kind == "synapse-2.0":
        return normalize_session(data), ""
    if kind in ("synapse-1", "carl"):
        told = data.get("schema_version", "of CARL" if kind == "carl" else "1")
        return normalize_session(
            {**data, "schema_version": SCHEMA_VERSION}
        ), f"has the older schema {told}"
    if kind == "aiox":
        return None, "holds an AIOX session state, which is another format"
    if "schema_version" in data:
        return None, f"has the schema {data['schema_version']}, and {SCHEMA_VERSION} is understood"
    return None, "holds no session"


def last_activity(session: Session) -> str:
    """Returns when a session was last used, as its file says: a time in ISO 8601, "" for none."""
    return _to_text(session.get("last_activity"))


def detect_schema(data: Session) -> str:
    """Returns which schema of session files a JSON object has: "synapse-2.0", "synapse-1", "carl",
    "aiox" or "unknown".
    """
    version = data.get("schema_version")
    if version is not None:
        major = str(version).partition(".")[0]
        return {SCHEMA_VERSION: "synapse-2.0", "2": "synapse-2.0"}.get(
            str(version), "synapse-1" if major in ("0", "1") else "unknown"
        )
    if "uuid" in data and any(field in data for field in _SYNAPSE):
        return "synapse-1"
    if "uuid" in data and any(field in data for field in _CARL):
        return "carl"
    return "aiox" if any(field in data for field in _AIOX) else "unknown"


def normalize_session(session: Session) -> Session:
    """Returns a copy of a session in which nothing that the schema names is missing or of a wrong
    type.

    A string in the place of an object (an older variant of the design) becomes the object's
    identity. Unknown fields and the order of the fields that are there stay.
    """
    result = {**session}
    for field, repair in _FIELD_REPAIRS:
        result[field] = repair(session.get(field))
    if not result["label"]:
        cwd = result["cwd"].replace("\\", "/").rstrip("/")
        result["label"] = cwd.rpartition("/")[2]
    return result


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _schema_version(_: object) -> str:
    return SCHEMA_VERSION


def _to_count(value: object) -> int:
    """Returns a number of things; what cannot be one is 0."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return int(_to_number(value, 0))


def _to_number(value: object, default: int) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return value if 0 <= value < float("inf") else default


def _to_mapping(value: object) -> Session:
    return {**value} if isinstance(value, dict) else {}


def _to_texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _repair_agent(value: object) -> Session:
    agent: Session = {"id": value} if isinstance(value, str) else _to_mapping(value)
    agent["id"] = _text_or_none(agent.get("id"))
    for field in _AGENT:
        agent.setdefault(field, None)
    return agent


def _object_repair(field: str) -> Callable[[object], Session | None]:
    identity, others = _OBJECTS[field]

    def repair(value: object) -> Session | None:
        given: Session = (
            {identity: value} if isinstance(value, str) and value else _to_mapping(value)
        )
        if not given:
            return None
        given[identity] = _text_or_none(given.get(identity))
        for other in others:
            given.setdefault(other, None)
        if "domains_loaded" in given:
            given["domains_loaded"] = _to_texts(given["domains_loaded"])
        return given

    return repair


def _repair_context(value: object) -> Session:
    context = _to_mapping(value)
    context["last_bracket"] = _to_text(context.get("last_bracket")) or "FRESH"
    context["last_tokens_used"] = _to_count(context.get("last_tokens_used"))
    context["last_context_percent"] = _to_number(context.get("last_context_percent"), 100)
    return context


def _repair_history(value: object) -> Session:
    history = _to_mapping(value)
    for ledger in _HISTORY_LISTS:
        history[ledger] = _to_texts(history.get(ledger))
    return history


_FIELD_REPAIRS: Final = (
    ("uuid", _to_text),
    ("schema_version", _schema_version),
    ("started", _to_text),
    ("last_activity", _to_text),
    ("cwd", _to_text),
    ("label", _to_text),
    ("title", _text_or_none),
    ("prompt_count", _to_count),
    ("active_agent", _repair_agent),
    *((field, _object_repair(field)) for field in _OBJECTS),
    ("context", _repair_context),
    ("overrides", _to_mapping),
    ("history", _repair_history),
)
