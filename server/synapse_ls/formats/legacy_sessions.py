"""Convert sessions of older systems to sessions of schema 2.0 (ADR-001 D1).

CARL v1's ``.carl/sessions/{id}.json`` and both shapes of ``.aiox/session-state.json``. Fields
without a counterpart are kept under their own names. No IO.
"""

from typing import Any, Final

from synapse_ls.formats.session_file import SCHEMA_VERSION, SessionState
from synapse_ls.formats.session_values import parse_switch, read_mapping, read_optional_text
from synapse_ls.text.iso_time import format_day

Session = dict[str, Any]

_NO_DOMAINS: Final = ("", "none")


def session_from_carl(data: Session) -> SessionState:
    """Convert a legacy session of CARL to today's schema.

    CARL wrote local time without a zone; it is taken for UTC, which is some hours off at most.
    Overrides become booleans: CARL took the word "inactive" for true. The signature of the last
    injection says which bracket, domains and commands it held.
    """
    # The signature `"b:CRITICAL|a:GLOBAL|m:API"` as a table.
    value = data.get("last_context_signature")
    parts = value.split("|") if isinstance(value, str) else ()
    signature = {key: rest for key, _, rest in (part.partition(":") for part in parts)}
    overrides = data.get("overrides")
    session = SessionState(data)
    session.started = _to_utc(data.get("started"))
    session.last_activity = _to_utc(data.get("last_activity")) or session.started
    session.overrides = {key: parse_switch(value) for key, value in read_mapping(overrides).items()}
    session.context.bracket = signature.get("b") or session.context.bracket
    session.history.domains = (
        *_domain_names(signature.get("a", "")),
        *_domain_names(signature.get("m", "")),
    )
    session.history.star_commands = tuple(
        command.lower() for command in _domain_names(signature.get("c", ""))
    )
    return session


def session_from_aiox(data: Session) -> SessionState:
    """Convert a legacy session state of AIOX to today's schema.

    Its times are milliseconds since the epoch. The agent is the one activated last; the workflow
    takes its state for its phase; the story is that of the active task, whose id AIOX does not say.
    """
    agents = [agent for agent in _to_list(data.get("agentSequence")) if isinstance(agent, dict)]
    last = agents[-1] if agents else _to_reference(data.get("lastAgent"))
    workflow = _to_reference(data.get("workflowActive") or data.get("lastWorkflow"))
    story = data.get("currentStory")
    started = _to_iso_time(data.get("startTime"))
    commands = [str(command).lstrip("*") for command in _to_list(data.get("lastCommands"))]
    session = SessionState(
        {
            "uuid": data.get("sessionId")
            or _find_identity(_to_reference(data.get("currentSession"))),
            "schema_version": SCHEMA_VERSION,
            "started": started,
            "last_activity": _to_iso_time(data.get("lastActivity")) or started,
            "active_agent": {
                "id": _find_identity(last),
                "activated_at": _to_iso_time(last.get("activatedAt")) or None,
            },
            "active_workflow": {
                "id": _find_identity(workflow),
                "current_phase": read_optional_text(data.get("workflowState")),
            }
            if _find_identity(workflow)
            else None,
            "active_task": {"story": story} if isinstance(story, str) and story else None,
            "history": {
                "star_commands_used": [command for command in commands if command],
                "agents_activated": list(dict.fromkeys(filter(None, map(_find_identity, agents)))),
            },
        }
    )
    document = session.to_document()
    others = {key: value for key, value in data.items() if key not in document}
    return SessionState({**others, **document})


def _domain_names(value: str) -> list[str]:
    return [name for name in value.split(",") if name.strip().lower() not in _NO_DOMAINS]


def _to_utc(value: object) -> str:
    """Return an ISO date with milliseconds and ``Z``; one that names its zone stays as it is."""
    text = value if isinstance(value, str) else ""
    if len(text) < 19 or text[19:20] not in ("", ".") or any(c in text[19:] for c in "Z+-"):
        return text
    return f"{text[:19]}{(text[19:23] or '.').ljust(4, '0')}Z"


def _to_iso_time(value: object) -> str:
    """Return milliseconds since the epoch as ISO 8601 in UTC; a text as it is; "" for anything
    else.

    """
    if isinstance(value, str):
        return _to_utc(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e14:
        return ""
    seconds, milliseconds = divmod(int(value), 1000)
    days, second = divmod(seconds, 86400)
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return f"{format_day(days)}T{clock}.{milliseconds:03d}Z"


def _to_reference(value: object) -> Session:
    """Return an object, or the object that a name stands for."""
    return {"id": value} if isinstance(value, str) else read_mapping(value)


def _find_identity(value: Session) -> str | None:
    names = (value.get(field) for field in ("agentId", "id", "sessionId", "name"))
    return next((name for name in names if isinstance(name, str) and name), None)


def _to_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
