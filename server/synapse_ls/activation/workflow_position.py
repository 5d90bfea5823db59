"""Find a session's position in its workflow: from the state file, else from the commands used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from synapse_ls.activation import active_story, agent_handoff, workflow_files
from synapse_ls.activation.activation_files import TreeFiles
from synapse_ls.engine import workflow_detection
from synapse_ls.engine import workflow_route as navigation
from synapse_ls.engine.compiled_plan import Plan, PlanState
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.engine.word_matching import slug_of
from synapse_ls.engine.workflow_route import RoutePosition, RouteStep, locate_step, workflow_route
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.naming_conventions import kebab_case


@dataclass(frozen=True, slots=True)
class WorkflowPosition:
    """The position of a session in its workflow: where the work is.

    ``source``: "state" (a file of the instance, be it at rest), "session" or "given" (a workflow
    without one), "commands" (by the patterns), or by a chain of commands: "chain", "story" (whose
    state has a step there) or "handoff" (after the last command of another agent). Of ``position``
    and ``detected`` there is one, or ``summary`` says all that is known. ``next``: commands that
    may follow; ``begun_command``: the one that is at work. ``path`` and ``line`` (from 1, 0 for
    none): the step's place. ``why``: how a place in a chain is known. ``is_under_way``: whether
    enough speaks for it to call it a workflow.
    """

    workflow: str
    source: str
    position: RoutePosition | None = None
    detected: workflow_detection.DetectedWorkflow | None = None
    next: tuple[workflow_detection.Suggestion, ...] = ()
    path: str = ""
    line: int = 0
    notes: tuple[str, ...] = ()
    summary: str = ""
    begun_command: str = ""
    why: str = ""
    is_under_way: bool = True

    @property
    def location(self) -> str:
        """Where the work is, as a sentence without its full stop."""
        if self.position is not None:
            why = f", {self.why}" if self.why else ""
            return neutralise_text(f"{navigation.describe_position(self.position)}{why}")
        if (detected := self.detected) is None:
            return self.summary
        used = " ".join(f"*{command}" for command in detected.matched)
        if not detected.state:
            return f"{detected.workflow}, by {used}"
        if not detected.is_done:
            return f"{detected.workflow}: *{detected.last} was begun"
        return neutralise_text(f"{detected.workflow}: {detected.state}, by {used}")

    @property
    def following_text(self) -> str:
        """What comes next and who does it; "" for nothing."""
        if self.position is not None:
            return neutralise_text(navigation.describe_next(self.position))
        commands = [
            f"*{suggestion.command}{f' (@{suggestion.agent})' if suggestion.agent else ''}"
            for suggestion in self.next
        ]
        return " or ".join(commands)

    @property
    def agent_on_turn(self) -> str:
        """The agent whose turn it is, "" for nobody in particular."""
        if self.position is not None:
            return self.position.step.agent if self.position.step else ""
        return self.next[0].agent if self.next else ""


def find_workflow_position(
    files: TreeFiles,
    plan: Plan,
    situation: Situation,
    *,
    used: Sequence[str] = (),
    running: Sequence[str] = (),
) -> WorkflowPosition | None:
    """Find the position in the workflow of ``situation``; None where nothing is under way.

    used: the star-commands of the session, the last one last; running: those of its last prompt.
    """
    if situation.workflow and situation.workflow_source != "commands":
        position = _position_in_workflow(files, plan, situation)
        if position is not None and (position.agent_on_turn or position.source == "state"):
            if position.position is None or not position.position.is_finished:
                return position
            # Where all steps of an instance are done, a chain may go on after them.
            after = position_in_chain(files, plan, situation, used, running, is_over=not running)
            if after is None or not after.agent_on_turn:
                return position
            return replace(after, notes=(position.location, *after.notes))
        return (
            position_in_chain(files, plan, situation, used, running)
            or position
            or position_from_session(situation)
        )
    position = _position_from_commands(files, situation.agent, used, running) if used else None
    if position is not None and position.next:
        return position
    return (
        position_in_chain(files, plan, situation, used, running)
        or position
        or resting_position(files, plan, situation)
    )


def resting_position(files: TreeFiles, plan: Plan, situation: Situation) -> WorkflowPosition | None:
    """Return the position in an instance of the workflow in question that is paused or over;
    without one, in one that is paused.
    """
    resting_state = workflow_files.find_resting_state(files, plan, situation.workflow_written)
    if resting_state is None:
        return None
    path, instance = resting_state
    written = workflow_files.find_definition(files, plan, instance.workflow_id)
    position = locate_step(workflow_route(instance, written[1] if written else None))
    notes = (
        *_other_name_notes(situation, instance.workflow_id),
        _RESTING_NOTES[instance.status].format(path),
    )
    workflow_position = _build_position(files, situation, position, path, "state", notes)
    return replace(
        workflow_position,
        workflow=workflow_position.workflow or instance.workflow_id,
        is_under_way=False,
    )


_RESTING_NOTES = {
    "paused": "it is paused: `status: active` in {} resumes it",
    "completed": "it is completed ({}): nothing is left to do in it; "
    "`synapse session set current workflow=` leaves it",
    "aborted": "it was aborted: `status: active` in {} takes it up again, "
    "`synapse session set current workflow=` leaves it",
}


def _other_name_notes(situation: Situation, id: str) -> tuple[str, ...]:
    """Return a note that an instance is of another workflow than was named, though the same rules
    are for both.
    """
    named = situation.workflow_written
    if slug_of(named) in ("", slug_of(id), situation.workflow):
        return ()
    return (f"{named} has no instance of its own; the same rules are for {id}",)


def position_from_session(situation: Situation) -> WorkflowPosition | None:
    """Return the position in the workflow that a session tells without reading anything; None where
    no workflow is under way.
    """
    if not situation.workflow:
        return None
    phase = f": phase {situation.phase}" if situation.phase else ""
    text = neutralise_text(f"{situation.workflow_written}{phase}")
    return WorkflowPosition(situation.workflow_written, situation.workflow_source, summary=text)


def _position_in_workflow(
    files: TreeFiles, plan: Plan, situation: Situation
) -> WorkflowPosition | None:
    states = [s for s in plan.states if plan.workflow_id(s.id) == situation.workflow]
    exact = (s for s in states if slug_of(s.id) == slug_of(situation.workflow_written))
    state = next(exact, states[0] if states else None)
    if state is not None:
        return _position_of_state(files, plan, situation, state)
    if (workflow_position := resting_position(files, plan, situation)) is not None:
        return workflow_position
    if (written := workflow_files.find_definition(files, plan, situation.workflow_written)) is None:
        return None
    route = workflow_route(None, written[1])
    slugs = {slug_of(name) for name in (situation.phase, *situation.phases) if name}
    steps = (
        (step, {slug_of(name) for name in (*step.names, step.phase)}) for step in route.owned_steps
    )
    stop = next((step for step, names in steps if slugs & names), None)
    position, source = RoutePosition(route, stop), situation.workflow_source
    return _build_position(files, situation, position, written[0], source, ())


def _position_of_state(
    files: TreeFiles, plan: Plan, situation: Situation, state: PlanState
) -> WorkflowPosition | None:
    """Return the position that an instance tells; None where it and its definition do not."""
    written = workflow_files.find_definition(files, plan, state.id)
    if (instance := workflow_files.read_state(files, state.path)) is None:
        # The step whose turn it is by the agent that the state names.
        route = workflow_route(None, written[1]) if written else None
        turns = (step for step in route.owned_steps if step.agent == state.agent) if route else ()
        turn = next(iter(turns), None) if state.agent else None
        if route is None or written is None or turn is None:
            return None
        route.at, route.status = turn.index, navigation.ACTIVE
        return _build_position(files, situation, locate_step(route), written[0], "state", ())
    position = locate_step(workflow_route(instance, written[1] if written else None))
    ids = ((s.id, plan.workflow_id(s.id)) for s in plan.states)
    workflows = dict.fromkeys(id for id, workflow in ids if workflow != situation.workflow)
    notes = [f"also active: {', '.join(workflows)}"] if workflows else []
    notes += _other_name_notes(situation, state.id)
    phases = set(map(slug_of, state.phases))
    if situation.phase and position.step and not phases & set(situation.phases):
        notes.append(f"the session says that it is in phase {situation.phase}")
    return _build_position(files, situation, position, state.path, "state", tuple(notes))


def _build_position(
    files: TreeFiles,
    situation: Situation,
    position: RoutePosition,
    path: str,
    source: str,
    notes: tuple[str, ...],
) -> WorkflowPosition:
    stop = position.step
    suggested: tuple[workflow_detection.Suggestion, ...] = ()
    if stop:  # the command of its agent that does it, where one is named like it
        task = stop.task.rpartition("/")[2].removesuffix(".md")
        names = filter(None, (task, task.removeprefix(f"{stop.agent}-"), *stop.names))
        slugs = set(map(kebab_case, names))
        suggested = tuple(
            workflow_detection.Suggestion(command, stop.agent, "", stop.action)
            for command in workflow_files.agent_commands(files).get(stop.agent, ())
            if kebab_case(command) in slugs
        )[:1]
    waiting = (
        f"{step} is not done yet" for step in map(navigation.describe_step, position.missing_steps)
    )
    return WorkflowPosition(
        situation.workflow_written,
        source,
        position,
        next=suggested,
        path=path,
        line=_step_line(files, path, stop) if stop else 0,
        notes=(*notes, *map(neutralise_text, waiting)),
    )


def _step_line(files: TreeFiles, path: str, stop: RouteStep) -> int:
    """Return the line of a step, from 1; 0 where its file is gone."""
    text = files.read_text(path)
    return LineIndex(text).line_of(min(stop.start, len(text))) + 1 if text else 0


def _position_from_commands(
    files: TreeFiles, agent: str, used: Sequence[str], running: Sequence[str]
) -> WorkflowPosition | None:
    if not (patterns := workflow_files.workflow_patterns(files)):
        return None
    commands = workflow_files.agent_commands(files)
    workflow = workflow_detection.detect_workflow(
        patterns, used, running=running, agent=agent, agent_commands=commands
    )
    if workflow is None:
        return None
    notes = []
    if workflow.others:
        notes.append(f"as many commands speak for {' and '.join(workflow.others)}")
    if workflow.unknown:
        listed = ", ".join(f"*{command}" for command in workflow.unknown)
        notes.append(f"the patterns suggest {listed}, which no agent has")
    return WorkflowPosition(
        workflow.workflow,
        "commands",
        detected=workflow,
        next=workflow.next,
        notes=tuple(notes),
        begun_command="" if workflow.is_done else workflow.last,
    )


def position_in_chain(
    files: TreeFiles,
    plan: Plan,
    situation: Situation,
    used: Sequence[str],
    running: Sequence[str],
    *,
    is_over: bool = False,
) -> WorkflowPosition | None:
    """Return the position in a workflow by the chains of commands: of the session, else of what was
    handed over, else the story's.

    is_over: whether nothing that was begun is still at work.
    """
    if not (listed := workflow_files.command_chains(files)):
        return None
    commands = workflow_files.agent_commands(files)
    story = situation.story or (situation.task_facts.story if situation.task_facts else "")
    state = active_story.story_state(files, plan.stories, story) if story else ""
    handoff = None if used else agent_handoff.latest_handoff(files, situation.agent)
    after = handoff.last_command if handoff and not handoff.consumed else ""
    for path, chains in listed:
        workflow = situation.workflow
        chain = workflow_detection.follow_chain(
            [chain for chain in chains if workflow in ("", plan.workflow_id(chain.id.value))],
            used or ((after,) if after else ()),
            running=running,
            agent=situation.agent,
            agent_commands=commands,
            state=state,
            is_done=is_over or bool(after),
        )
        if chain is not None:
            by = f"as @{handoff.from_agent} handed over after *{after}" if handoff and after else ""
            return _build_chain_position(files, path, chain, commands, story, by)
    return None


def _build_chain_position(
    files: TreeFiles,
    path: str,
    progress: workflow_detection.ChainProgress,
    commands: Mapping[str, Sequence[str]],
    story: str,
    handoff_reason: str,
) -> WorkflowPosition:
    stop = progress.position.step
    suggested, unknown = workflow_detection.suggest_commands(progress, commands)
    others = " and ".join(progress.others)
    notes = [f"as many commands speak for {others}"] if others else []
    if (still := progress.state_step) is not None:
        said = f"{still.condition} is for *{still.command}"
        notes.append(f"story {story} does not say so yet: {said}")
    if progress.chain.max_rounds and progress.rounds >= progress.chain.max_rounds:
        notes.append(f"this is round {progress.rounds} of at most {progress.chain.max_rounds}")
    if unknown:
        listed = ", ".join(f"*{command}" for command in unknown)
        notes.append(f"the chain suggests {listed}, which no agent has")
    if progress.by_state:
        source, why = "story", f"as story {story} is {progress.state.replace('_', ' ')}"
    elif handoff_reason:
        source, why = "handoff", handoff_reason
    else:
        source, why = "chain", f"by {' '.join(f'*{command}' for command in progress.matched)}"
    return WorkflowPosition(
        progress.chain.id.value,
        source,
        progress.position,
        next=suggested,
        path=path,
        line=_step_line(files, path, stop) if stop else 0,
        notes=tuple(map(neutralise_text, notes)),
        begun_command=progress.begun_command,
        why=why,
        is_under_way=len(set(progress.matched)) > 1,
    )
