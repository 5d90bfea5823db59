"""This module tells of which work a session has spoken last: the person in it, or the workflow
state files.

By events, never by clocks: a state file speaks when its values are others than those that this
session has seen in it before. Nothing is changed here; who records a session takes over what is
returned.
"""

from __future__ import annotations

from synapse_ls.engine.word_matching import slug_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from synapse_ls.engine.compiled_plan import Plan, PlanState
    from synapse_ls.storage.session_state import (
        ActiveSquad,
        ActiveTask,
        ActiveWorkflow,
        SeenStates,
        SessionState,
    )

    Values = tuple[str, ...]


class SpokenWork:
    """A SpokenWork is what holds of the words that were spoken about the work.

    workflow, squad: the person's, None where there are none or a state file has spoken since.
    phase: what the person said of the workflow's phase. task: the task taken up last. waiting:
    agent -> its own task, while another agent's is the last one. state: the state file that counts.
    seen: path -> values of every active state file; latest: path of the one that spoke last.
    is_handed_over: a state that says which agent is at work has come to name another one. notes:
    what the agent and the person should know of changes.
    """

    __slots__ = (
        "is_handed_over",
        "latest",
        "notes",
        "phase",
        "seen",
        "squad",
        "state",
        "task",
        "waiting",
        "workflow",
    )

    def __init__(self, session: SessionState | None) -> None:
        self.workflow: ActiveWorkflow | None = session.workflow if session else None
        self.phase = (self.workflow.phase or "") if self.workflow else ""
        self.squad: ActiveSquad | None = session.squad if session else None
        self.task: ActiveTask | None = session.task if session else None
        self.waiting: Mapping[str, ActiveTask] = session.waiting_tasks if session else {}
        self.state: PlanState | None = None
        self.seen: dict[str, Values] = {}
        self.latest = ""
        self.is_handed_over = False
        self.notes: list[str] = []

    def task_of(self, agent: str) -> ActiveTask | None:
        """Returns the task that ``agent`` has taken up, or that nobody in particular has."""
        last = self.task
        if last is not None and (last.agent or agent) == agent:
            return last
        return self.waiting.get(agent)

    def end_task_of(self, agent: str) -> None:
        """Ends the task that is told to ``agent``."""
        if self.task is not None and self.task_of(agent) is self.task:
            self.task = None
        else:
            self.waiting = {name: task for name, task in self.waiting.items() if name != agent}

    def end_tasks(self) -> None:
        """Ends every task that was taken up."""
        self.task, self.waiting = None, {}


def listen_to_states(
    plan: Plan, session: SessionState | None, touched_files: Collection[str]
) -> SpokenWork:
    """Returns the work of which a person has spoken last, by the states in prompts. touched_files:
    what tools of the session have touched.
    """
    said = SpokenWork(session)
    said.seen = {state.path: state.values for state in plan.states}
    before = session.seen_states if session else None
    if before is not None:
        said.latest = before.latest
        _hear_changes(plan, said, before, touched_files)
    found = _find_state(plan, said)
    if before is None:
        said.latest = found.path if found else ""
    said.state = found
    return said


def _find_state(plan: Plan, said: SpokenWork) -> PlanState | None:
    """Returns the state file that counts: that of the workflow which the person named, else the one
    that spoke last, else the newest.
    """
    if said.workflow is not None:
        named = plan.workflow_id(said.workflow.id or "")
        own = [state for state in plan.states if plan.workflow_id(state.id) == named]
    else:
        own = list(plan.states)
    return next((state for state in own if state.path == said.latest), own[0] if own else None)


def _hear_changes(
    plan: Plan, said: SpokenWork, before: SeenStates, touched_files: Collection[str]
) -> None:
    """Takes over what the state files say that have changed, the newest of them last."""
    for path, values in before.files.items():
        if path not in said.seen:
            if before.is_old and path == before.latest:
                said.notes.append(
                    f"Since this session was last at work, {path} has ceased to be active: "
                    f"{_describe(values)} then."
                )
            _hear_end(plan, said, path, values)
    for state in reversed(plan.states):
        known = before.files.get(state.path)
        if known == state.values:
            continue
        is_ours = state.path in touched_files
        was = said.latest
        if plan.settings["agent"] and known and _agent_of(known) != _agent_of(state.values):
            said.is_handed_over = True
        _hear_workflow(plan, said, state, is_ours=is_ours)
        _hear_task(plan, said, state, is_ours=is_ours, is_followed=state.path == was)
        if before.is_old and known and said.latest == state.path:
            said.notes.append(
                f"Since this session was last at work, {state.path} has changed: "
                f"{_describe(known)} then, {_describe(state.values)} now."
            )


def _hear_end(plan: Plan, said: SpokenWork, path: str, values: Values) -> None:
    """Ends what follows from an instance that is not active any more."""
    ended = plan.workflow_id(values[0]) if values else ""
    named = said.workflow
    if named is not None and plan.workflow_id(named.id or "") == ended:
        said.workflow, said.phase = None, ""
        said.end_tasks()
    elif named is None and path == said.latest:
        said.end_tasks()
    if path == said.latest:
        said.latest = ""


def _hear_workflow(plan: Plan, said: SpokenWork, state: PlanState, *, is_ours: bool) -> None:
    named = said.workflow
    if named is None:
        said.latest = state.path
    elif plan.workflow_id(named.id or "") == plan.workflow_id(state.id):
        said.phase, said.latest = "", state.path
    elif is_ours:
        said.workflow, said.phase, said.latest = None, "", state.path
        said.squad = None if state.squad else said.squad
    else:
        said.notes.append(
            f"{state.path} has changed ({_describe(state.values)}), and not by this session, which "
            f"stays with the workflow {named.id}."
        )


def _hear_task(
    plan: Plan, said: SpokenWork, state: PlanState, *, is_ours: bool, is_followed: bool
) -> None:
    task = said.task
    if task is None:
        return
    same_story = _may_be_same_story(plan, task, state)
    if not is_ours and not (same_story and (is_followed or said.latest == state.path)):
        if state.task and not same_story:
            said.notes.append(
                f"{state.path} has changed ({_describe(state.values)}), and not by this session, "
                f"which stays with the story {task.story}."
            )
        return
    goes_on = not state.task or slug_of(state.task) == slug_of(task.id or "")
    is_its_agent = bool(task.agent) and plan.find_agent(state.agent) == task.agent
    if not (goes_on and same_story and is_its_agent):
        said.end_tasks()


def _may_be_same_story(plan: Plan, task: ActiveTask, state: PlanState) -> bool:
    if not task.story or not state.story:
        return True
    from synapse_ls.engine.task_facts import find_story_path

    known = find_story_path(plan.stories, task.story)
    return known == find_story_path(plan.stories, state.story) and (
        bool(known) or slug_of(task.story) == slug_of(state.story)
    )


def _agent_of(values: Values) -> str:
    return values[2] if len(values) > 2 else ""


def _describe(values: Values) -> str:
    """Returns the values of a state file in words."""
    workflow, phase, _, task, story = (*values, "", "", "", "", "")[:5]
    parts = (
        workflow,
        f"phase {phase}" if phase else "",
        f"task {task}" if task else "",
        f"story {story}" if story else "",
    )
    return ", ".join(filter(None, parts))
