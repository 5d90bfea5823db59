"""The situation of a prompt: agent, squad, workflow, phase and task, each with its source.

Sources in order: a value of the caller, the prompt, the session, the workspace's state. Of the
session and the workflow state files the one that changed last counts, by events and not by clocks:
a state file changed if its values differ from those that this session saw before.
"""

from __future__ import annotations

from synapse_ls.engine.active_task import TaskFacts, find_story_path, task_of_commands
from synapse_ls.engine.prompt_parser import Prompt
from synapse_ls.engine.word_matching import KeywordMatches, match_keywords, slug_of
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.text.path_globs import relative_path
from synapse_ls.text.phrases import quotation
from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from synapse_ls.engine.compiled_plan import Bracket, Plan, PlanDomain, PlanState
    from synapse_ls.engine.context_usage import Usage
    from synapse_ls.engine.memory_hints import Hint, MemoryOutcome
    from synapse_ls.formats import session_file

    Values = tuple[str, ...]
    Recalled = Mapping[str, tuple[str, tuple[str, ...]]]


class SpokenWork:
    """What holds of the words that were spoken about the work.

    workflow, squad: the person's, None where there are none or a state file has spoken since.
    phase: what the person work of the workflow's phase. task: the task taken up last. waiting:
    agent -> its own task, while another agent's is the last one. state: the state file that counts.
    seen: path -> values of every active state file; latest: path of the one that spoke last.
    is_handed_over: a state that says which agent is at work has come to name another one. notes:
    what the agent and the person should know of changes.
    """

    def __init__(self, session: session_file.SessionState | None) -> None:
        self.workflow: session_file.ActiveWorkflow | None = session.workflow if session else None
        self.phase = (self.workflow.phase or "") if self.workflow else ""
        self.squad: session_file.ActiveSquad | None = session.squad if session else None
        self.task: session_file.ActiveTask | None = session.task if session else None
        self.waiting: Mapping[str, session_file.ActiveTask] = (
            session.waiting_tasks if session else {}
        )
        self.state: PlanState | None = None
        self.seen: dict[str, Values] = {}
        self.latest = ""
        self.is_handed_over = False
        self.notes: list[str] = []

    def task_of(self, agent: str) -> session_file.ActiveTask | None:
        """Return the task that ``agent`` has taken up, or that nobody in particular has."""
        last = self.task
        if last is not None and (last.agent or agent) == agent:
            return last
        return self.waiting.get(agent)

    def end_tasks(self) -> None:
        """End every task that was taken up."""
        self.task, self.waiting = None, {}


def listen_to_states(
    plan: Plan, session: session_file.SessionState | None, touched_files: Collection[str]
) -> SpokenWork:
    """Return the work of which a person has spoken last, by the states in prompts. touched_files:
    what tools of the session have touched.
    """
    work = SpokenWork(session)
    work.seen = {state.path: state.values for state in plan.states}
    before = session.seen_states if session else None
    if before is not None:
        work.latest = before.latest
        _hear_changes(plan, work, before, touched_files)
    # The state of the workflow that the person named, else of the one that spoke last, else the
    # newest.
    states = plan.states
    if work.workflow is not None:
        named = plan.workflow_id(work.workflow.id or "")
        states = tuple(state for state in states if plan.workflow_id(state.id) == named)
    newest = states[0] if states else None
    work.state = next((state for state in states if state.path == work.latest), newest)
    if before is None:
        work.latest = work.state.path if work.state else ""
    return work


def _hear_changes(
    plan: Plan, work: SpokenWork, before: session_file.SeenStates, touched_files: Collection[str]
) -> None:
    """Take over what the state files say that have changed, the newest of them last."""
    for path, values in before.files.items():
        if path not in work.seen:
            if before.is_old and path == before.latest:
                work.notes.append(
                    f"Since this session was last at work, {path} has ceased to be active: "
                    f"{_describe(values)} then."
                )
            # End what follows from an instance that is not active any more.
            ended = plan.workflow_id(values[0]) if values else ""
            named = work.workflow
            if named is not None and plan.workflow_id(named.id or "") == ended:
                work.workflow, work.phase = None, ""
                work.end_tasks()
            elif named is None and path == work.latest:
                work.end_tasks()
            if path == work.latest:
                work.latest = ""
    for state in reversed(plan.states):
        values_before = before.files.get(state.path)
        if values_before == state.values:
            continue
        is_ours = state.path in touched_files
        was = work.latest
        if (
            plan.settings["agent"]
            and values_before
            and _agent_of(values_before) != _agent_of(state.values)
        ):
            work.is_handed_over = True
        if (named := work.workflow) is None:
            work.latest = state.path
        elif plan.workflow_id(named.id or "") == plan.workflow_id(state.id):
            work.phase, work.latest = "", state.path
        elif is_ours:
            work.workflow, work.phase, work.latest = None, "", state.path
            work.squad = None if state.squad else work.squad
        else:
            work.notes.append(
                f"{state.path} has changed ({_describe(state.values)}), and not by this session, "
                f"which stays with the workflow {named.id}."
            )
        _hear_task(plan, work, state, is_ours=is_ours, is_followed=state.path == was)
        if before.is_old and values_before and work.latest == state.path:
            work.notes.append(
                f"Since this session was last at work, {state.path} has changed: "
                f"{_describe(values_before)} then, {_describe(state.values)} now."
            )


def _hear_task(
    plan: Plan, work: SpokenWork, state: PlanState, *, is_ours: bool, is_followed: bool
) -> None:
    if (task := work.task) is None:
        return
    if not task.story or not state.story:
        same_story = True
    else:
        path = find_story_path(plan.stories, task.story)
        same_story = path == find_story_path(plan.stories, state.story) and (
            bool(path) or slug_of(task.story) == slug_of(state.story)
        )
    if not is_ours and not (same_story and (is_followed or work.latest == state.path)):
        if state.task and not same_story:
            work.notes.append(
                f"{state.path} has changed ({_describe(state.values)}), and not by this session, "
                f"which stays with the story {task.story}."
            )
        return
    goes_on = not state.task or slug_of(state.task) == slug_of(task.id or "")
    is_its_agent = bool(task.agent) and plan.find_agent(state.agent) == task.agent
    if not (goes_on and same_story and is_its_agent):
        work.end_tasks()


def _agent_of(values: Values) -> str:
    return values[2] if len(values) > 2 else ""


def _describe(values: Values) -> str:
    """Return the values of a state file in words."""
    workflow, phase, _, task, story = (*values, "", "", "", "", "")[:5]
    parts = (
        workflow,
        f"phase {phase}" if phase else "",
        f"task {task}" if task else "",
        f"story {story}" if story else "",
    )
    return ", ".join(filter(None, parts))


DEFAULT_EXECUTOR = "Agente"
_ENGLISH_EXECUTORS = {"Agent": "Agente", "Human": "Humano"}
MENTION_REMARK = (
    "@{agent} is mentioned and was not activated: a prompt that begins with @{agent} does that."
)
GIVEN_REMARK = (
    "@{agent} is not activated: outside of the prompt (by --agent, or in the client's own choice "
    "of agents) it is @{given} that was chosen."
)
# Given as agent, workflow, task, story or squad: there is none, whatever a session or a state says.
NONE = "none"


class Request(Record):
    """What a caller may say about the situation of a prompt; whatever is empty is found out, `NONE`
    is nothing.

    session: the state of a session, or None. recalled: label of a domain that came in within its
    lifetime -> why, as code and words of a verdict. files: paths the agent touched. turn:
    number of this prompt, from 1. hints: memories to use in place of those that are found for
    the prompt. detected: the workflow that the commands so far belong to, and its phase where that
    is certain, both "" for none; None for what the session says. resumes: the agent's window has
    no history, so that it is given where the work was left. reader: whose window it is, a client
    or ``client:sub-agent``, "" for nobody's. hosted: the client adds the prompt
    itself, so that it is counted by a profile that shapes the whole text, and not rendered.
    """

    prompt: str = ""
    agent: str = ""
    workflow: str = ""
    phase: str = ""
    task: str = ""
    story: str = ""
    squad: str = ""
    bracket: str = ""
    session: session_file.SessionState | None = None
    recalled: Recalled | None = None
    files: tuple[str, ...] = ()
    turn: int = 1
    hints: tuple[Hint, ...] = ()
    detected: tuple[str, str] | None = None
    resumes: bool = False
    hosted: bool = False
    reader: str = ""

    def with_values(self, **values: Any) -> Request:
        """Return the same request with other values for the given fields."""
        return Request(**{**vars(self), **values})


class Situation:
    """Who is at work on what, resolved from all sources.

    A ``*_source`` says where a part came from: "given", "prompt", "session", "state", "agent",
    "command", "commands" or "". unheard: the agent that the prompt calls and that it does not
    activate. task_agent: who has taken the task up, "" for nobody in particular.
    said: what was said last of the work, for who records it. remarks: sentences that the agent
    is told with this reply. phase: the current phase as people write it; phases: every name the
    workflow's current step goes by, as compared, best first. task_facts: what is known of the
    task, filled in by whoever can read files. notes: sentences worth showing. answers:
    (command, line) of what ``*synapse …`` commands of this prompt say. switched: overrides that
    they ask the session to keep. Both are filled in by whoever carries the commands out.
    activation: what the session knows of how its agent was brought up. hints: the memories that
    are in the block, best first; memories: what became of the others, filled in by whoever can
    look at them. carried: what the session keeps for its hand-off. resumes, hosted, reader: as in
    `Request`.
    """

    def __init__(self, prompt: Prompt, usage: Usage, bracket: Bracket) -> None:
        self.prompt = prompt
        self.usage = usage
        self.bracket = bracket
        self.agent = self.agent_source = self.unheard = ""
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
        self.reader = ""
        self.carried: Mapping[str, Any] = {}
        self.files: tuple[str, ...] = ()
        self.hints: tuple[Hint, ...] = ()
        self.memories: MemoryOutcome | None = None
        self.turn = 1
        self.devmode = False
        self.notes: list[str] = []
        self.answers: tuple[tuple[str, str], ...] = ()
        self.activation: session_file.ActiveAgent | None = None
        self.switched: dict[str, bool] = {}

    @property
    def client(self) -> str:
        """The client in whose window this is, "" for nobody's."""
        return self.reader.partition(":")[0]

    def awake_layers(self, plan: Plan) -> frozenset[str]:
        """Return the layers awake now: those of the bracket that the executor's type may see.

        A task stays in sight of a human or a clone in every bracket (ADR-001 E7).
        """
        allowed = plan.profile.executors.get(self.executor or DEFAULT_EXECUTOR)
        if allowed is None:
            return self.bracket.layers
        layers = self.bracket.layers.intersection(allowed)
        return layers | {"L4"} if self.executor in ("Humano", "Clone") else layers


def resolve_situation(plan: Plan, request: Request, usage: Usage) -> Situation:
    """Return the situation of ``request`` in the tree of ``plan``."""
    settings = plan.settings
    prompt = Prompt(
        request.prompt,
        agents=plan.agents,
        activations=settings["activate"],
        everything=settings["match_everything"],
    )
    situation = Situation(prompt, usage, plan.profile.bracket_at(usage.remaining))
    if request.bracket:
        if (named := plan.profile.find_bracket(request.bracket)) is None:
            situation.notes.append(f"the profile has no bracket {request.bracket!r}")
        else:
            situation.bracket = named
    if (session := request.session) is not None:
        situation.overrides = session.overrides
        situation.activation = session.agent
        situation.carried = session.recovery.notes
        if session.detected is not None:
            situation.detected = (session.detected.id or "", session.detected.phase or "")
    if request.detected is not None:
        situation.detected = request.detected
    override = parse_switch(situation.overrides.get("DEVMODE"))
    situation.devmode = plan.devmode if override is None else override
    situation.recalled = request.recalled or {}
    paths = prompt.paths
    if paths and plan.periodic:  # else no domain has patterns that they could match
        paths = tuple(relative_path(path, plan.root) for path in paths)
    situation.files = (*request.files, *paths)
    situation.turn, situation.hints = request.turn, request.hints
    situation.resumes = request.resumes
    situation.hosted = request.hosted
    situation.reader = request.reader
    work = situation.said = listen_to_states(plan, session, situation.files)
    _resolve_agent(plan, request, situation, work)
    is_given = situation.agent_source == "given"
    called = prompt.agent if is_given and prompt.agent else prompt.called
    situation.unheard = called if called != situation.agent else ""
    if (
        situation.unheard
        and session is not None
        and session.mention_explained in (None, situation.turn)
    ):
        remark = GIVEN_REMARK if prompt.agent else MENTION_REMARK
        situation.remarks.append(remark.format(agent=called, given=situation.agent))
    situation.remarks += work.notes
    _resolve_workflow(plan, request, situation, work)
    _resolve_task(plan, request, situation, work)
    _resolve_squad(plan, request, situation, work)
    situation.matches = match_keywords(
        plan.keywords, prompt.folded, substring=settings["matching"] == "substring"
    )
    return situation


def current_phase(domain: PlanDomain, situation: Situation) -> str:
    """Return the phase of the situation, as the rules of ``domain`` spell it; "" where none
    fits.
    """
    spelt = domain.phases
    return next((spelt[name] for name in situation.phases if name in spelt), "")


def _resolve_agent(plan: Plan, request: Request, situation: Situation, work: SpokenWork) -> None:
    if request.agent == NONE:
        return
    if situation.prompt.leaves and not request.agent:
        situation.agent_source = "prompt"
        return
    last = request.session.agent.id if request.session and not work.is_handed_over else ""
    for written, source in (
        (request.agent, "given"),
        (situation.prompt.agent, "prompt"),
        (last, "session"),
        (plan.settings["agent"], "state"),
    ):
        if written:
            agent = plan.find_agent(written)
            situation.agent, situation.agent_source = agent or written.removeprefix("@"), source
            if not agent:
                note = f"no domain or definition is known for agent @{situation.agent}"
                situation.notes.append(note)
            return


def _resolve_workflow(plan: Plan, request: Request, situation: Situation, work: SpokenWork) -> None:
    if request.workflow == NONE:
        work.state = None
        return
    detected = situation.detected
    for written, source in (
        (request.workflow, "given"),
        ((work.workflow.id or "") if work.workflow else "", "session"),
        (work.state.id if work.state else "", "state"),
        (detected[0], "commands"),
    ):
        if written:
            situation.workflow, situation.workflow_written = plan.workflow_id(written), written
            situation.workflow_source = source
            break
    else:
        return
    if work.state is None or plan.workflow_id(work.state.id) != situation.workflow:
        states = (
            state for state in plan.states if plan.workflow_id(state.id) == situation.workflow
        )
        work.state = next(states, None)
    phase = request.phase or (work.phase if source == "session" else "")
    phase = phase or (detected[1] if source == "commands" else "")
    names = (phase,) if phase else work.state.phases if work.state else ()
    slugs = [slug_of(name) for name in names]
    table = plan.phases.get(situation.workflow, {})
    aliases = [table[slug] for slug in slugs if slug in table]
    situation.phases = tuple(dict.fromkeys(filter(None, (*slugs, *aliases))))
    # As the rules of the workflow spell it, else as it is written.
    spelt: dict[str, str] = {}
    for position in plan.by_workflow.get(situation.workflow, ()):
        spelt.update(plan.domain(position).phases)
    written_phase = next((spelt[name] for name in situation.phases if name in spelt), "")
    situation.phase = written_phase or (names[0] if names else "")


def _resolve_task(plan: Plan, request: Request, situation: Situation, work: SpokenWork) -> None:
    if request.task == NONE:
        situation.story = "" if request.story == NONE else request.story
        return
    if situation.prompt.leaves:
        # The work of this agent ends with the prompt.
        leaving = (
            situation.prompt.agent or (request.session.agent.id if request.session else "") or ""
        )
        if work.task is not None and work.task.agent in (None, leaving):
            work.task = None
        work.waiting = {agent: task for agent, task in work.waiting.items() if agent != leaving}
    command_task = None
    if situation.prompt.commands and not request.task:
        command_task = task_of_commands(plan, situation, work)
    task, state = work.task_of(situation.agent), work.state
    if request.task:
        situation.task, situation.task_source = request.task, "given"
        situation.task_agent = situation.agent
    elif command_task is not None:
        situation.task, situation.story, remark = command_task
        situation.task_source, situation.task_agent = "command", situation.agent
        situation.remarks += [remark] if remark else []
    elif task is not None:
        situation.task, situation.task_source = task.id or "", "session"
        situation.story, situation.task_agent = task.story or "", task.agent or ""
        kind = (task.executor or "").capitalize()
        situation.executor = _ENGLISH_EXECUTORS.get(kind, kind)
    elif state is not None:
        situation.story = state.story
        agent = plan.find_agent(state.agent)
        # A state that says which agent is at work may name the task of another one.
        if state.task and not (plan.settings["agent"] and agent != situation.agent):
            situation.task, situation.task_source = state.task, "state"
            situation.task_agent = agent or state.agent
    situation.story = "" if request.story == NONE else request.story or situation.story


def add_task_facts(situation: Situation, facts: TaskFacts | None) -> None:
    """Give the situation what is known of its task; a task whose story has become done since it was
    taken up ends with that.
    """
    work = situation.said
    task = work.task_of(situation.agent) if work and situation.task_source == "session" else None
    is_done = facts is not None and facts.story_state == "done"
    if facts is not None and facts.story and situation.story == facts.story_path:
        situation.story = facts.story
    if work is None or task is None or task.story_was_done or not is_done:
        situation.task_facts = facts
        return
    if task is work.task:
        work.task = None
    else:
        agent = situation.agent
        work.waiting = {name: waits for name, waits in work.waiting.items() if name != agent}
    situation.task = situation.task_source = situation.task_agent = ""
    situation.story = situation.executor = ""
    situation.task_facts = None


def _resolve_squad(plan: Plan, request: Request, situation: Situation, work: SpokenWork) -> None:
    if request.squad == NONE:
        return
    for written, source in (
        (request.squad, "given"),
        (work.squad.name if work.squad else "", "session"),
        (work.state.squad if work.state else "", "state"),
        (plan.owners.get(situation.agent, ""), "agent"),
    ):
        if written:
            wanted = slug_of(written)
            squad = next(
                (s for s in plan.squads if wanted in (slug_of(s.folder), slug_of(s.name))), None
            )
            if squad is None:
                situation.notes.append(f"no squad is called {quotation(written)}")
                continue
            situation.squad, situation.squad_source = squad.folder, source
            return
