"""This module resolves the situation of a prompt: who (agent, squad) is at work on what
(workflow, phase, task).

Each part has one order of sources, and the answer says which source it came from: a value
the caller gives, what the prompt itself activates, the session, the workspace's own state.

This module tells of which work a session has spoken last: the person in it, or the workflow
state files.

By events, never by clocks: a state file speaks when its values are others than those that this
session has seen in it before. Nothing is changed here; who records a session takes over what is
returned.
"""

from __future__ import annotations

from synapse_ls.engine.keyword_table import KeywordMatches, match_keywords
from synapse_ls.engine.user_prompt import Prompt
from synapse_ls.engine.word_matching import slug_of
from synapse_ls.formats.switch_words import parse_switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from synapse_ls.engine.compiled_plan import Plan, PlanDomain, PlanState
    from synapse_ls.engine.context_usage import Usage
    from synapse_ls.engine.memory_hints import Hint, MemoryOutcome
    from synapse_ls.engine.profile_model import Bracket
    from synapse_ls.engine.task_facts import TakenTask, TaskFacts
    from synapse_ls.storage.session_state import (
        ActiveAgent,
        ActiveSquad,
        ActiveTask,
        ActiveWorkflow,
        SeenStates,
        SessionState,
    )

    Values = tuple[str, ...]
    Recalled = Mapping[str, tuple[str, tuple[str, ...]]]


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


DEFAULT_EXECUTOR = "Agente"
MENTION_REMARK = (
    "@{agent} is mentioned and was not activated: a prompt that begins with @{agent} does that."
)
NONE = "none"
"""Given as agent, workflow, task or squad: there is none, whatever a session or a state says."""


class Request:
    """A Request is what a caller may say about the situation of a prompt; whatever is empty is
    found out, `NONE` is nothing.

    session: the state of a session, or None. recalled: label of a domain that came in within its
    lifetime -> why, as code and words of a verdict. files: paths the agent touched. turn:
    number of this prompt, from 1. hints: memories to use in place of those that are found for
    the prompt. detected: the workflow that the commands so far belong to, and its phase where that
    is certain, both "" for none. resumes: the agent's window holds nothing yet, so that it is given
    where the work was left. hosted: the client adds the prompt itself, so that it is counted by a
    profile that shapes the whole text, and not rendered.
    """

    __slots__ = (
        "agent",
        "bracket",
        "detected",
        "files",
        "hints",
        "hosted",
        "phase",
        "prompt",
        "recalled",
        "resumes",
        "session",
        "squad",
        "story",
        "task",
        "turn",
        "workflow",
    )

    def __init__(
        self,
        prompt: str = "",
        *,
        agent: str = "",
        workflow: str = "",
        phase: str = "",
        task: str = "",
        story: str = "",
        squad: str = "",
        bracket: str = "",
        session: SessionState | None = None,
        recalled: Recalled | None = None,
        files: tuple[str, ...] = (),
        turn: int = 1,
        hints: tuple[Hint, ...] = (),
        detected: tuple[str, str] | None = None,
        resumes: bool = False,
        hosted: bool = False,
    ) -> None:
        self.prompt = prompt
        self.agent = agent
        self.workflow = workflow
        self.phase = phase
        self.task = task
        self.story = story
        self.squad = squad
        self.bracket = bracket
        self.session = session
        self.recalled: Recalled = recalled or {}
        self.files = files
        self.turn = turn
        self.hints = hints
        known = session.detected if session else None
        self.detected = detected or ((known.id or "", known.phase or "") if known else ("", ""))
        self.resumes = resumes
        self.hosted = hosted

    def with_values(self, **values: Any) -> Request:
        """Returns the same request with other values for the given fields."""
        return Request(**{**{name: getattr(self, name) for name in self.__slots__}, **values})


class Situation:
    """A Situation is who is at work on what, resolved from all sources.

    A ``*_source`` says where a part came from: "given", "prompt", "session", "state", "agent",
    "command", "commands" or "". task_agent: who has taken the task up, "" for nobody in particular.
    said: what was said last of the work, for who records it. remarks: sentences that the agent
    is told with this reply. phase: the current phase as people write it; phases: every name the
    workflow's current step goes by, as compared, best first. task_facts: what is known of the
    task, filled in by whoever can read files. notes: sentences worth showing. answers:
    (command, line) of what ``*synapse …`` commands of this prompt say. switched: overrides that
    they ask the session to keep. Both are filled in by whoever carries the commands out.
    activation: what the session knows of how its agent was brought up. hints: the memories that
    are in the block, best first; memories: what became of the others, filled in by whoever can
    look at them. carried: what the session keeps for its hand-off. resumes, hosted: as in
    `Request`.
    """

    __slots__ = (
        "activation",
        "agent",
        "agent_source",
        "answers",
        "bracket",
        "carried",
        "detected",
        "devmode",
        "executor",
        "files",
        "hints",
        "hosted",
        "matches",
        "memories",
        "notes",
        "overrides",
        "phase",
        "phases",
        "prompt",
        "recalled",
        "remarks",
        "resumes",
        "said",
        "squad",
        "squad_source",
        "story",
        "switched",
        "task",
        "task_agent",
        "task_facts",
        "task_source",
        "turn",
        "usage",
        "workflow",
        "workflow_source",
        "workflow_written",
    )

    def __init__(self, prompt: Prompt, usage: Usage, bracket: Bracket) -> None:
        self.prompt = prompt
        self.usage = usage
        self.bracket = bracket
        self.agent = self.agent_source = ""
        self.workflow = self.workflow_written = self.workflow_source = ""
        self.phase = ""
        self.phases: tuple[str, ...] = ()
        self.task = self.task_source = self.task_agent = self.story = ""
        self.said: SpokenWork | None = None
        self.remarks: list[str] = []
        self.squad = self.squad_source = ""
        self.executor = ""
        self.task_facts: TaskFacts | None = None
        self.matches = KeywordMatches()
        self.detected = ("", "")
        self.overrides: Mapping[str, object] = {}
        self.recalled: Recalled = {}
        self.resumes = False
        self.hosted = False
        self.carried: Mapping[str, Any] = {}
        self.files: tuple[str, ...] = ()
        self.hints: tuple[Hint, ...] = ()
        self.memories: MemoryOutcome | None = None
        self.turn = 1
        self.devmode = False
        self.notes: list[str] = []
        self.answers: tuple[tuple[str, str], ...] = ()
        self.activation: ActiveAgent | None = None
        self.switched: dict[str, bool] = {}

    def awake_layers(self, plan: Plan) -> frozenset[str]:
        """Returns the layers awake now: those of the bracket that the executor's type may see.

        A task stays in sight of a human or a clone in every bracket (ADR-001 E7).
        """
        allowed = plan.profile.executors.get(self.executor or DEFAULT_EXECUTOR)
        if allowed is None:
            return self.bracket.layers
        layers = self.bracket.layers.intersection(allowed)
        return layers | {"L4"} if self.executor in ("Humano", "Clone") else layers


def resolve_situation(plan: Plan, request: Request, usage: Usage) -> Situation:
    """Returns the situation of ``request`` in the tree of ``plan``."""
    settings = plan.settings
    prompt = Prompt(
        request.prompt,
        agents=plan.agents,
        activations=settings["activate"],
        everything=settings["match_everything"],
    )
    bracket = plan.profile.bracket_at(usage.remaining)
    found = Situation(prompt, usage, bracket)
    if request.bracket:
        named = plan.profile.find_bracket(request.bracket)
        if named is None:
            found.notes.append(f"the profile has no bracket {request.bracket!r}")
        else:
            found.bracket = named
    session = request.session
    if session is not None:
        found.overrides = session.overrides
        found.activation = session.agent
        found.carried = session.recovery.notes
    override = parse_switch(found.overrides.get("DEVMODE"))
    found.devmode = plan.devmode if override is None else override
    found.recalled, found.files = (
        request.recalled,
        (*request.files, *_relative_paths(plan, prompt.paths)),
    )
    found.turn, found.hints = request.turn, request.hints
    found.resumes = request.resumes
    found.hosted = request.hosted
    found.detected = request.detected
    said = found.said = listen_to_states(plan, session, found.files)
    _resolve_agent(plan, request, found, said)
    called = prompt.called if prompt.called != found.agent else ""
    if called and session is not None and session.mention_explained in (None, found.turn):
        found.remarks.append(MENTION_REMARK.format(agent=called))
    found.remarks += said.notes
    _resolve_workflow(plan, request, found, said)
    _resolve_task(plan, request, found, said)
    _resolve_squad(plan, request, found, said)
    found.matches = match_keywords(
        plan.keywords, prompt.folded, substring=settings["matching"] == "substring"
    )
    return found


def current_phase(domain: PlanDomain, situation: Situation) -> str:
    """Returns the phase of the situation, as the rules of ``domain`` spell it; "" where none
    fits.
    """
    spelt = domain.phases
    return next((spelt[name] for name in situation.phases if name in spelt), "")


def _relative_paths(plan: Plan, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the paths as patterns of the tree see them; nobody asks where no domain has any."""
    if not paths or not plan.periodic:
        return paths
    from synapse_ls.engine.path_globs import relative_path

    return tuple(relative_path(path, plan.root) for path in paths)


def _resolve_agent(plan: Plan, request: Request, found: Situation, said: SpokenWork) -> None:
    if request.agent == NONE:
        return
    if found.prompt.leaves and not request.agent:
        found.agent_source = "prompt"
        return
    kept = request.session.agent.id if request.session and not said.is_handed_over else ""
    for written, source in (
        (request.agent, "given"),
        (found.prompt.agent, "prompt"),
        (kept, "session"),
        (plan.settings["agent"], "state"),
    ):
        if written:
            found.agent = plan.find_agent(written)
            found.agent_source = source
            if not found.agent:
                found.agent = written.removeprefix("@")
                found.notes.append(f"no domain or definition is known for agent @{found.agent}")
            return


def _resolve_workflow(plan: Plan, request: Request, found: Situation, said: SpokenWork) -> None:
    """Sets workflow and phases."""
    if request.workflow == NONE:
        said.state = None
        return
    named, detected = said.workflow, request.detected
    for written, source in (
        (request.workflow, "given"),
        ((named.id or "") if named else "", "session"),
        (said.state.id if said.state else "", "state"),
        (detected[0], "commands"),
    ):
        if written:
            found.workflow, found.workflow_written = plan.workflow_id(written), written
            found.workflow_source = source
            break
    else:
        return
    if said.state is None or plan.workflow_id(said.state.id) != found.workflow:
        own = (state for state in plan.states if plan.workflow_id(state.id) == found.workflow)
        said.state = next(own, None)
    phase = request.phase or (said.phase if source == "session" else "")
    phase = phase or (detected[1] if source == "commands" else "")
    names = (phase,) if phase else said.state.phases if said.state else ()
    found.phases = _phase_slugs(plan, found.workflow, names)
    written_phase = _phase_of_rules(plan, found)
    found.phase = written_phase or (names[0] if names else "")


def _phase_of_rules(plan: Plan, found: Situation) -> str:
    """Returns the phase as the rules of the workflow spell it; "" where none is for it."""
    known: dict[str, str] = {}
    for position in plan.by_workflow.get(found.workflow, ()):
        known.update(plan.domain(position).phases)
    return next((known[name] for name in found.phases if name in known), "")


def _phase_slugs(plan: Plan, workflow: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the slugs of ``names``, then what the alias table calls them."""
    slugs = [slug_of(name) for name in names]
    table = plan.phases.get(workflow, {})
    aliases = [table[slug] for slug in slugs if slug in table]
    return tuple(dict.fromkeys(slug for slug in (*slugs, *aliases) if slug))


def _resolve_task(plan: Plan, request: Request, found: Situation, said: SpokenWork) -> None:
    if request.task == NONE:
        found.story = request.story
        return
    if found.prompt.leaves:
        _leave_task(found, said, request.session)
    kept = said.task_of(found.agent)
    taken = _task_of_commands(plan, found, said) if not request.task else None
    state = said.state
    if request.task:
        found.task, found.task_source = request.task, "given"
        found.task_agent = found.agent
    elif taken is not None:
        found.task, found.task_source = taken.task, "command"
        found.story, found.task_agent = taken.story, found.agent
        found.remarks += taken.remarks
    elif kept is not None:
        found.task, found.task_source = kept.id or "", "session"
        found.story, found.task_agent = kept.story or "", kept.agent or ""
        found.executor = kept.executor or ""
    elif state is not None and state.task and not _is_task_of_other(plan, found, state):
        found.task, found.task_source = state.task, "state"
        found.story, found.task_agent = state.story, plan.find_agent(state.agent) or state.agent
    elif state is not None:
        found.story = state.story
    found.story = request.story or found.story


def _is_task_of_other(plan: Plan, found: Situation, state: PlanState) -> bool:
    """Returns whether the task of a state that says which agent is at work is another agent's."""
    return bool(plan.settings["agent"]) and plan.find_agent(state.agent) != found.agent


def _leave_task(found: Situation, said: SpokenWork, session: SessionState | None) -> None:
    """Ends the task of the agent whose work ends with this prompt, and what waits for it."""
    left = found.prompt.agent or (session.agent.id if session else "") or ""
    if said.task is not None and said.task.agent in (None, left):
        said.task = None
    said.waiting = {agent: task for agent, task in said.waiting.items() if agent != left}


def _task_of_commands(plan: Plan, found: Situation, said: SpokenWork) -> TakenTask | None:
    if not found.prompt.commands:
        return None
    from synapse_ls.engine.task_facts import task_of_commands

    return task_of_commands(plan, found, said)


def add_task_facts(found: Situation, facts: TaskFacts | None) -> None:
    """Gives the situation what is known of its task; a task whose story has become done since it
    was taken up ends with that.
    """
    kept = (
        found.said.task_of(found.agent) if found.said and found.task_source == "session" else None
    )
    is_done = facts is not None and facts.story_state == "done"
    if facts is not None and facts.story and found.story == facts.story_path:
        found.story = facts.story
    if kept is None or kept.story_was_done or not is_done:
        found.task_facts = facts
        return
    assert found.said is not None
    found.said.end_task_of(found.agent)
    found.task = found.task_source = found.task_agent = found.story = found.executor = ""
    found.task_facts = None


def _resolve_squad(plan: Plan, request: Request, found: Situation, said: SpokenWork) -> None:
    if request.squad == NONE:
        return
    active, state = said.squad, said.state
    for written, source in (
        (request.squad, "given"),
        (active.name if active else "", "session"),
        (state.squad if state else "", "state"),
        (plan.owners.get(found.agent, ""), "agent"),
    ):
        if written:
            wanted = slug_of(written)
            squad = next(
                (s for s in plan.squads if wanted in (slug_of(s.folder), slug_of(s.name))), None
            )
            if squad is None:
                found.notes.append(f'no squad is called "{written}"')
                continue
            found.squad, found.squad_source = squad.folder, source
            return
