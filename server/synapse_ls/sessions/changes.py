"""What can happen to a session, as changes of its document.

The document is that of the SYNAPSE session schema 2.0. Fields that are not named here belong to
somebody else and stay as they are. ``now`` is always in seconds since the epoch.
"""

from __future__ import annotations

import time

from synapse_ls.formats.switches import switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

    Session = dict[str, Any]

RECOVERY: Final = "recovery"  # field of what is noted for digests and hand-offs
TITLE_LENGTH: Final = 50
LEDGER_LENGTH: Final = 50

_TITLE_SOURCE: Final = 1000  # characters of a prompt that are looked at for its title


def timestamp(now: float) -> str:
    """``now`` in UTC with milliseconds: "2026-11-21T20:46:22.468Z"."""
    seconds, milliseconds = divmod(round(now * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{milliseconds:03d}Z"


def record_prompt(session: Session, prompt: str, now: float) -> None:
    """Count a prompt, and take the title from the first one that has one to give."""
    earlier = prompts_since_compaction(session)
    session["prompt_count"] = _count(session.get("prompt_count")) + 1
    session["last_activity"] = timestamp(now)
    if not session.get("title"):
        session["title"] = title_of(prompt)
    _mapping(session, "context")["prompts_since_compaction"] = earlier + 1


def record_compaction(session: Session, now: float) -> None:
    """Count a compaction; the prompts that estimate the usage start again at 0."""
    context = _mapping(session, "context")
    context["compactions"] = _count(context.get("compactions")) + 1
    context["prompts_since_compaction"] = 0
    session["last_activity"] = timestamp(now)


def record_usage(session: Session, bracket: str, tokens_used: int | None, percent: float) -> None:
    """Keep what was last known of the window: bracket, tokens used (None: unknown), % left."""
    context = _mapping(session, "context")
    context["last_bracket"] = bracket
    if tokens_used is not None:
        context["last_tokens_used"] = tokens_used
    context["last_context_percent"] = percent


def prompts_since_compaction(session: Session) -> int:
    """Recorded prompts since the last compaction; of a session nobody counted them in, all."""
    context = session.get("context")
    if isinstance(context, dict) and "prompts_since_compaction" in context:
        return _count(context["prompts_since_compaction"])
    return _count(session.get("prompt_count"))


def title_of(prompt: str) -> str | None:
    """The title that ``prompt`` gives a session, on one line, or None if it gives none.

    Star-commands, single words and texts of fewer than three characters give none; others their
    first 50 characters, cut back to the last space.
    """
    text = " ".join(prompt.lstrip()[:_TITLE_SOURCE].split())
    text = "".join(filter(str.isprintable, text))
    if len(text) < 3 or " " not in text or text.startswith("*"):
        return None
    head = text[:TITLE_LENGTH]
    if len(text) > TITLE_LENGTH:
        return head[: head.rfind(" ")] if " " in head else head
    return head


def override(session: Session, key: str) -> bool | None:
    """What the session says about ``DEVMODE`` or a ``{DOMAIN}_STATE``; None: as the tree says.

    CARL and hand-written files hold words such as "inactive", which count as what they say.
    """
    overrides = session.get("overrides")
    value = overrides.get(key) if isinstance(overrides, dict) else None
    return switch(value)


def set_override(session: Session, key: str, value: bool | None) -> None:
    """Override ``DEVMODE`` or a ``{DOMAIN}_STATE``; None takes the override away."""
    overrides = _mapping(session, "overrides")
    if value is None:
        overrides.pop(key, None)
    else:
        overrides[key] = value


def activate_agent(session: Session, agent: str | None, *, quality: str = "", now: float) -> None:
    """Make ``agent`` the active one.

    ``quality``: how it was brought up, "full", "partial" or "fallback"; "" leaves what is known of
    that as it is, None of an agent that was only called.
    """
    if agent is None:
        session["active_agent"] = {"id": None, "activated_at": None, "activation_quality": None}
        return
    current = session.get("active_agent")
    kept = current.get("activation_quality") if isinstance(current, dict) else None
    same = isinstance(current, dict) and current.get("id") == agent
    known = quality or (kept if same and isinstance(kept, str) else None)
    shape = {"id": agent, "activated_at": timestamp(now), "activation_quality": known}
    _enter(session, "active_agent", shape, identity=("id",), since="activated_at")
    _append(session, "agents_activated", (agent,))


def set_workflow(
    session: Session,
    workflow: str | None,
    *,
    instance_id: str | None = None,
    current_step: int | str | None = None,
    current_phase: str | None = None,
    now: float,
) -> None:
    """Make ``workflow`` the active one, or update where it stands."""
    if workflow is None:
        session["active_workflow"] = None
        return
    shape = {
        "id": workflow,
        "instance_id": instance_id,
        "current_step": current_step,
        "current_phase": current_phase,
        "started_at": timestamp(now),
    }
    _enter(session, "active_workflow", shape, identity=("id", "instance_id"), since="started_at")


def set_task(
    session: Session,
    task: str | None,
    *,
    story: str | None = None,
    executor_type: str | None = None,
    now: float,
) -> None:
    """Make ``task`` the active one, or update its story and executor."""
    if task is None:
        session["active_task"] = None
        return
    shape = {
        "id": task,
        "story": story,
        "executor_type": executor_type,
        "started_at": timestamp(now),
    }
    _enter(session, "active_task", shape, identity=("id",), since="started_at")


def set_squad(
    session: Session,
    squad: str | None,
    *,
    path: str | None = None,
    domains: Iterable[str] = (),
) -> None:
    """Make ``squad`` the active one, with the domains it has loaded."""
    if squad is None:
        session["active_squad"] = None
        return
    shape = {"name": squad, "path": path, "domains_loaded": list(domains)}
    _enter(session, "active_squad", shape, identity=("name",))


def record_star_commands(session: Session, names: Iterable[str]) -> None:
    """Remember star-commands as used, the most recent last."""
    _append(session, "star_commands_used", names)


def record_domains(session: Session, names: Iterable[str]) -> None:
    """Remember the domains that the last prompt loaded, in place of those of the one before."""
    _mapping(session, "history")["domains_loaded_last"] = list(dict.fromkeys(names))[:LEDGER_LENGTH]


def _enter(
    session: Session,
    field: str,
    shape: dict[str, Any],
    *,
    identity: tuple[str, ...],
    since: str = "",
) -> None:
    """Put ``shape`` in ``field``; what goes on under the same identity keeps its beginning."""
    current = session.get(field)
    if isinstance(current, dict) and all(current.get(key) == shape[key] for key in identity):
        if current.get(since):
            shape[since] = current[since]
        session[field] = {**current, **shape}
    else:
        session[field] = shape


def _append(session: Session, ledger: str, items: Iterable[str]) -> None:
    """Move or add ``items`` to the end of a ledger that holds each once and drops its oldest."""
    history = _mapping(session, "history")
    kept = history.get(ledger)
    new = list(dict.fromkeys(items))
    old = [item for item in kept if item not in new] if isinstance(kept, list) else []
    history[ledger] = (old + new)[-LEDGER_LENGTH:]


def _mapping(session: Session, field: str) -> dict[str, Any]:
    """The object in ``field``, made if the session has none there."""
    value = session.get(field)
    if not isinstance(value, dict):
        value = session[field] = {}
    return value


def _count(value: object) -> int:
    """``value`` as a number of times: 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
