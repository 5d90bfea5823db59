"""Setting what a session knows: who is at work on what, and what is switched for it alone."""

from __future__ import annotations

from synapse_ls.formats.switches import switch
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.given import phase_note, workflow_note
from synapse_ls.service.inventory import sessions_folder
from synapse_ls.service.lookup import find_label
from synapse_ls.service.plans import planned
from synapse_ls.sessions import changes
from synapse_ls.sessions.store import SessionStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from synapse_ls.engine.plan import Domain, Plan
    from synapse_ls.sessions.changes import Session

FIELDS = ("agent", "workflow", "phase", "task", "story", "squad")
"""What can be set beside ``DEVMODE`` and ``{DOMAIN}_STATE``."""


def set_fields(
    root: str, session_id: str, wanted: Mapping[str, str], *, now: float
) -> tuple[str, ...]:
    """Set `FIELDS`, ``DEVMODE`` and ``{DOMAIN}_STATE`` of a session by name; "" clears one.

    The next prompt is answered accordingly. Gives sentences about what is odd. Raises ServiceError
    where a value cannot be set, SessionError where the session cannot be written; then nothing is.
    """
    plan = planned(root).plan
    for key, value in wanted.items():
        if key.endswith("_STATE"):
            domain = plan.domain(plan.labels[find_label(plan, key.removesuffix("_STATE"))])
            fixed = domain.role == "constitution" or domain.non_negotiable
            if fixed and switched(key, value) is False:
                raise _fixed(key, domain)
    store = SessionStore(sessions_folder(root))

    def change(session: Session) -> None:
        for key, value in wanted.items():
            if key not in FIELDS:
                changes.set_override(session, key, switched(key, value))
        _set(session, wanted, now)

    transaction = store.update(session_id, change, cwd=root, now=now)
    return (*transaction.notes, *_odd(plan, transaction.session, wanted))


def switched(key: str, value: str) -> bool | None:
    """The state that a switch is set to, None where it is cleared; ServiceError for no state."""
    wanted = switch(value)
    if value and wanted is None:
        raise ServiceError(
            f'{key} is switched on or off, not "{value}".', f"Write {key}=on or {key}=off."
        )
    return wanted


def _fixed(key: str, domain: Domain) -> ServiceError:
    """Why a domain cannot be switched off for a session."""
    why = (
        "the constitution applies whatever its state says"
        if domain.role == "constitution"
        else f"it is marked {domain.name}_NON_NEGOTIABLE in {domain.manifest}"
    )
    return ServiceError(
        f"{key} cannot be off for a session: {why}.",
        "Change or remove single rules of it instead.",
    )


def _set(session: Session, wanted: Mapping[str, str], now: float) -> None:
    """The fields in the order in which they depend on each other."""
    if "agent" in wanted:
        changes.activate_agent(session, wanted["agent"] or None, now=now)
    if "squad" in wanted:
        changes.set_squad(session, wanted["squad"] or None)
    workflow = wanted.get("workflow", _kept(session, "active_workflow", "id"))
    if "workflow" in wanted or "phase" in wanted:
        _needs(workflow, wanted, "phase", "workflow")
        changes.set_workflow(
            session, workflow or None, current_phase=wanted.get("phase") or None, now=now
        )
    task = wanted.get("task", _kept(session, "active_task", "id"))
    if "task" in wanted or "story" in wanted:
        _needs(task, wanted, "story", "task")
        changes.set_task(session, task or None, story=wanted.get("story") or None, now=now)


def _needs(owner: str, wanted: Mapping[str, str], part: str, whole: str) -> None:
    if wanted.get(part) and not owner:
        raise ServiceError(
            f"A {part} belongs to a {whole}, and the session has none.", f"Set {whole}=… as well."
        )


def _odd(plan: Plan, session: Session, wanted: Mapping[str, str]) -> Iterator[str]:
    """What is odd about the names that were set."""
    agent, workflow, phase = (wanted.get(name, "") for name in ("agent", "workflow", "phase"))
    if agent and agent.lower() not in plan.agents:
        yield f"no domain or definition is known for agent @{agent}"
    notes = [workflow_note(plan, workflow)] if workflow else []
    if phase:
        notes.append(phase_note(plan, workflow or _kept(session, "active_workflow", "id"), phase))
    yield from filter(None, notes)


def _kept(session: Session, field: str, key: str) -> str:
    value = session.get(field)
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""
