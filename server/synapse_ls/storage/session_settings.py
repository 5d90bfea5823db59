"""Set fields and switches of a session by name, and report names that the tree does not know.

Unknown names are remarks ("did you mean"), never refusals. The engine reports agents, squads and
phases, and reading a task reports tasks.
"""

from collections.abc import Iterable, Mapping

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import NONE, Situation
from synapse_ls.engine.word_matching import slug_of
from synapse_ls.formats.session_file import ActiveSquad, SeenStates, SessionState
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.storage import session_changes
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.naming_conventions import suggest_names, upper_snake
from synapse_ls.workspace.tree_loader import load_tree

_DEFINING = (FileKind.WORKFLOW, FileKind.PATTERNS, FileKind.CHAINS)


def find_label(plan: Plan, name: str) -> str:
    """Check the name of a domain, in any spelling, and return its label; raise UserError with near
    misses where there is none.
    """
    wanted = upper_snake(name)
    label = next((label for label in plan.labels if upper_snake(label) == wanted), "")
    if not label or not wanted:
        raise UserError(
            f'The tree has no domain "{name}".',
            suggest_names(wanted, plan.labels, "`synapse domains` lists them."),
        )
    return label


def unknown_name_notes(plan: Plan, situation: Situation, *, workflow: str, story: str) -> list[str]:
    """Return a sentence for each given name (not "") that is unknown."""
    facts = situation.task_facts
    notes = (
        workflow_note(plan, workflow) if workflow not in ("", NONE) else "",
        _unknown_note("story", story, plan.stories)
        if story not in ("", NONE) and not (facts and facts.story_path)
        else "",
    )
    return [note for note in notes if note]


def workflow_note(plan: Plan, written: str) -> str:
    """Return what is odd about a workflow's id: no trigger, definition, state or alias has it; else
    "".
    """
    wanted = plan.workflow_id(written)
    names = {*plan.by_workflow, *plan.aliases, *plan.aliases.values()}
    names |= {slug_of(state.id) for state in plan.states}
    if wanted in names:
        return ""
    # The workflows that have a file or a pattern, as they are compared.
    snapshot = load_tree(plan.root, LoadScope.ALL).index.snapshot()
    workflows = set()
    for kind in _DEFINING:
        for path in snapshot.paths(kind):
            facts = snapshot.facts(path)
            defined = facts.definitions if facts else ()
            workflows |= {slug_of(d.key[1]) for d in defined if d.key[0] == "workflow"}
    names |= workflows  # a prompt does not need to know them, so the plan does not
    return "" if wanted in names else _unknown_note("workflow", written, names)


def phase_note(plan: Plan, workflow: str, written: str) -> str:
    """Return what is odd about a phase: no rule, state or alias of the workflow has it; else "".

    Where nothing is known of the workflow's phases, any will do.
    """
    identity, wanted = plan.workflow_id(workflow), slug_of(written)
    rules = {
        row.phase
        for position in plan.by_workflow.get(identity, ())
        for row in plan.domain(position).rules
        if row.phase
    }
    table = plan.phases.get(identity, {})
    states = (state for state in plan.states if plan.workflow_id(state.id) == identity)
    names = {*rules, *table, *table.values(), *(name for state in states for name in state.phases)}
    if not rules or wanted in map(slug_of, names):
        return ""
    return _unknown_note("phase", written, names, f" of {workflow}")


def _unknown_note(noun: str, written: str, known: Iterable[str], owner: str = "") -> str:
    word = nearest_word(written, sorted(known))
    return f'no {noun}{owner} is called "{written}"' + (
        f' (did you mean "{word}"?)' if word else ""
    )


# What can be set beside ``DEVMODE`` and ``{DOMAIN}_STATE``.
SETTABLE_FIELDS = ("agent", "workflow", "phase", "task", "story", "squad")


def set_fields(
    root: str, session_id: str, values: Mapping[str, str], *, now: float
) -> tuple[str, ...]:
    """Set `SETTABLE_FIELDS`, ``DEVMODE`` and ``{DOMAIN}_STATE`` of a session by name; "" clears
    one, and so does "none" of a field.

    The next prompt is answered accordingly. Returns sentences about what is odd. Raises UserError
    where a value cannot be set, StorageError where the session cannot be written; then nothing is.
    """
    plan = load_plan(root).plan
    values = {
        key: "" if key in SETTABLE_FIELDS and value == NONE else value
        for key, value in values.items()
    }
    for key, value in values.items():
        if key.endswith("_STATE"):
            domain = plan.domain(plan.labels[find_label(plan, key.removesuffix("_STATE"))])
            fixed = domain.role == "constitution" or domain.non_negotiable
            if fixed and parse_setting_switch(key, value) is False:
                why = (
                    "the constitution applies whatever its state says"
                    if domain.role == "constitution"
                    else f"it is marked {domain.name}_NON_NEGOTIABLE in {domain.manifest}"
                )
                raise UserError(
                    f"{key} cannot be off for a session: {why}.",
                    "Change or remove single rules of it instead.",
                )
    store = SessionStore(sessions_folder(root))

    def apply_values(session: SessionState) -> None:
        for key, value in values.items():
            if key not in SETTABLE_FIELDS:
                session_changes.set_override(session, key, parse_setting_switch(key, value))
        # Set the fields in the order in which they depend on each other.
        if "agent" in values:
            session_changes.activate_agent(session, values["agent"] or None, now=now)
        if "squad" in values:
            squad = session.squad
            if squad is None or squad.name != values["squad"]:
                squad = ActiveSquad()
            squad.name, squad.path, squad.domains = values["squad"], None, ()
            session.squad = squad if values["squad"] else None
        workflow = values.get("workflow", _current_workflow(session))
        if "workflow" in values or "phase" in values:
            _require_whole(workflow, values, "phase", "workflow")
            phase = values.get("phase") or None
            session_changes.set_workflow(session, workflow or None, phase, now)
        task = values.get("task", (session.task and session.task.id) or "")
        if "task" in values or "story" in values:
            _require_whole(task, values, "story", "task")
            session_changes.set_task(session, task or None, values.get("story") or None, now)
        # What is set comes after what the workflow state files say now.
        latest = session.seen_states.latest if session.seen_states else ""
        seen_states = session.seen_states = SeenStates()
        seen_states.files = {state.path: state.values for state in plan.states}
        seen_states.latest = latest or (plan.states[0].path if plan.states else "")

    transaction = store.update(session_id, apply_values, cwd=root, now=now)
    # What is odd about the names that were set.
    agent, workflow, phase = (values.get(name, "") for name in ("agent", "workflow", "phase"))
    odd = []
    if agent and agent.lower() not in plan.agents:
        odd.append(f"no domain or definition is known for agent @{agent}")
    if workflow:
        odd.append(workflow_note(plan, workflow))
    if phase:
        odd.append(phase_note(plan, workflow or _current_workflow(transaction.session), phase))
    return (*transaction.notes, *filter(None, odd))


def parse_setting_switch(key: str, value: str) -> bool | None:
    """Return the state that a switch of a session's settings is set to, None where it is cleared.
    Raises UserError for no state.
    """
    wanted = parse_switch(value)
    if value and wanted is None:
        raise UserError(
            f'{key} is switched on or off, not "{value}".', f"Write {key}=on or {key}=off."
        )
    return wanted


def _require_whole(owner: str, wanted: Mapping[str, str], part: str, whole: str) -> None:
    if wanted.get(part) and not owner:
        raise UserError(
            f"A {part} belongs to a {whole}, and the session has none.", f"Set {whole}=… as well."
        )


def _current_workflow(session: SessionState) -> str:
    return (session.workflow and session.workflow.id) or ""
