"""Set the fields of a session by name: agent, workflow, phase, task, story, squad, and switch that
hold for the session alone.
"""

from __future__ import annotations

from synapse_ls.formats.switch_words import parse_switch
from synapse_ls.storage import session_changes
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.name_checks import find_label, phase_note, workflow_note
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.user_error import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from synapse_ls.engine.compiled_plan import Plan, PlanDomain
    from synapse_ls.formats.session_file import SessionState

SETTABLE_FIELDS = ("agent", "workflow", "phase", "task", "story", "squad")
"""What can be set beside ``DEVMODE`` and ``{DOMAIN}_STATE``."""


def set_fields(
    root: str, session_id: str, values: Mapping[str, str], *, now: float
) -> tuple[str, ...]:
    """Set `SETTABLE_FIELDS`, ``DEVMODE`` and ``{DOMAIN}_STATE`` of a session by name; "" clears
    one.

    The next prompt is answered accordingly. Returns sentences about what is odd. Raises UserError
    where a value cannot be set, StorageError where the session cannot be written; then nothing is.
    """
    plan = load_plan(root).plan
    for key, value in values.items():
        if key.endswith("_STATE"):
            domain = plan.domain(plan.labels[find_label(plan, key.removesuffix("_STATE"))])
            fixed = domain.role == "constitution" or domain.non_negotiable
            if fixed and parse_setting_switch(key, value) is False:
                raise _fixed_error(key, domain)
    store = SessionStore(sessions_folder(root))

    def apply_values(session: SessionState) -> None:
        for key, value in values.items():
            if key not in SETTABLE_FIELDS:
                session_changes.set_override(session, key, parse_setting_switch(key, value))
        _set_values(session, values, now)
        session_changes.note_seen_states(session, plan)

    transaction = store.update(session_id, apply_values, cwd=root, now=now)
    return (*transaction.notes, *_odd_names(plan, transaction.session, values))


def parse_setting_switch(key: str, value: str) -> bool | None:
    """Return the state that a switch of a session's settings is set to, None where it is cleared;
    raises UserError for no state.
    """
    wanted = parse_switch(value)
    if value and wanted is None:
        raise UserError(
            f'{key} is switched on or off, not "{value}".', f"Write {key}=on or {key}=off."
        )
    return wanted


def _fixed_error(key: str, domain: PlanDomain) -> UserError:
    """Return the error that says why a domain cannot be switched off for a session."""
    why = (
        "the constitution applies whatever its state says"
        if domain.role == "constitution"
        else f"it is marked {domain.name}_NON_NEGOTIABLE in {domain.manifest}"
    )
    return UserError(
        f"{key} cannot be off for a session: {why}.",
        "Change or remove single rules of it instead.",
    )


def _set_values(session: SessionState, wanted: Mapping[str, str], now: float) -> None:
    """Set the fields in the order in which they depend on each other."""
    if "agent" in wanted:
        session_changes.activate_agent(session, wanted["agent"] or None, now=now)
    if "squad" in wanted:
        session_changes.set_squad(session, wanted["squad"] or None)
    workflow = wanted.get("workflow", _current_workflow(session))
    if "workflow" in wanted or "phase" in wanted:
        _require_whole(workflow, wanted, "phase", "workflow")
        session_changes.set_workflow(
            session, workflow or None, current_phase=wanted.get("phase") or None, now=now
        )
    task = wanted.get("task", (session.task and session.task.id) or "")
    if "task" in wanted or "story" in wanted:
        _require_whole(task, wanted, "story", "task")
        session_changes.set_task(session, task or None, story=wanted.get("story") or None, now=now)


def _require_whole(owner: str, wanted: Mapping[str, str], part: str, whole: str) -> None:
    if wanted.get(part) and not owner:
        raise UserError(
            f"A {part} belongs to a {whole}, and the session has none.", f"Set {whole}=… as well."
        )


def _odd_names(plan: Plan, session: SessionState, wanted: Mapping[str, str]) -> Iterator[str]:
    """Yield what is odd about the names that were set."""
    agent, workflow, phase = (wanted.get(name, "") for name in ("agent", "workflow", "phase"))
    if agent and agent.lower() not in plan.agents:
        yield f"no domain or definition is known for agent @{agent}"
    notes = [workflow_note(plan, workflow)] if workflow else []
    if phase:
        notes.append(phase_note(plan, workflow or _current_workflow(session), phase))
    yield from filter(None, notes)


def _current_workflow(session: SessionState) -> str:
    return (session.workflow and session.workflow.id) or ""
