"""Report the status of a tree: the state that the next prompt would meet, workflow, deliveries."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from synapse_ls.activation import activation_files, greeting, loader_runner, workflow_position
from synapse_ls.engine import rule_account, text_escaping, workflow_route
from synapse_ls.formats.session_file import SessionState
from synapse_ls.integrations import settings_registry
from synapse_ls.integrations.client_settings import TIMEOUT, Client, Surroundings
from synapse_ls.integrations.hook_registrations import (
    MissingProgram,
    Registration,
    find_registrations,
    missing_program,
)
from synapse_ls.integrations.vscode import transcript
from synapse_ls.queries import answer_lines, session_lookup
from synapse_ls.queries.context_question import Answer
from synapse_ls.queries.guard_report import GuardClient, RegisteredHooks, describe_effect
from synapse_ls.queries.report_model import INLINE, LINE, ROOT_URI, report_of
from synapse_ls.queries.situation_report import (
    SituationReport,
    UsageReport,
    situation_report,
    usage_report,
)
from synapse_ls.storage import injection_log, session_archive
from synapse_ls.workspace.rule_systems import unserved_systems


@dataclass(frozen=True, kw_only=True)
class WorkflowStep:
    """A step of a workflow in the report of the navigation; `number` counts those that belong to
    somebody, null for any other.
    """

    number: int | None
    name: str
    agent: str | None
    phase: str | None
    action: str | None
    task: str | None
    status: str | None
    optional: bool


@dataclass(frozen=True, kw_only=True)
class NextCommand:
    """A star-command that may follow, in the report of the navigation, without its star, and the
    agent that has it.
    """

    command: str
    agent: str | None
    arguments: str | None
    description: str | None


@dataclass(frozen=True, kw_only=True)
class NavigationReport:
    """The report for navigation, finding one's way in a workflow: where the work is, what comes
    next and who does it.

    `source`: "state", "session", "given", "commands", "chain", "story" or "handoff". `where`
    and `then` are sentences without a full stop; `turn` is the agent whose turn it is.
    `begun` is the command that is at work, `why` how a place in a chain is known, `state`
    what commands show.
    """

    workflow: str
    source: str
    where: str
    then: str | None
    turn: str | None
    status: str | None
    step: WorkflowStep | None
    begun: str | None
    why: str | None
    done: int | None
    total: int | None
    finished: bool
    following: list[WorkflowStep]
    failing: WorkflowStep | None
    waiting: list[WorkflowStep]
    state: str | None
    commands: list[NextCommand]
    file: str | None
    line: int | None = field(metadata=LINE)
    notes: list[str]


def find_position(answer: Answer) -> workflow_position.WorkflowPosition | None:
    """Find, for the report of the navigation, the position in the workflow: where the work is, what
    is next and who does it; None where nothing is under way.
    """
    situation, plan = answer.assembly.situation, answer.plan
    history = greeting.read_history(answer.session, situation.agent, time.time())
    is_busy = situation.workflow or history.used or situation.story or situation.agent
    files = activation_files.TreeFiles.of_plan(plan)
    try:
        position = (
            workflow_position.resting_position(files, plan, situation)
            if not is_busy
            else workflow_position.find_workflow_position(
                files, plan, situation, used=history.used, running=history.running
            )
        )
    except loader_runner.UnavailableError as error:
        rough = workflow_position.position_from_session(situation)
        return replace(rough, notes=(str(error),)) if rough else None
    files.save_memo()
    return position


def position_report(found: workflow_position.WorkflowPosition) -> NavigationReport:
    """Return the report of the navigation from a position in a workflow."""
    position, detected = found.position, found.detected
    failure_step = position.failure_step if position else None
    return report_of(
        NavigationReport,
        found,
        where=found.location,
        then=found.following_text or None,
        turn=found.agent_on_turn or None,
        status=(position.route.status or None) if position else None,
        step=_workflow_step(position.step) if position and position.step else None,
        begun=found.begun_command or None,
        done=position.done_count if position else None,
        total=position.total if position else None,
        finished=position.is_finished if position else False,
        following=[*map(_workflow_step, position.next_steps)] if position else [],
        failing=_workflow_step(failure_step) if failure_step else None,
        waiting=[*map(_workflow_step, position.missing_steps)] if position else [],
        state=(detected.state or None) if detected else None,
        commands=[report_of(NextCommand, step) for step in found.next],
        file=found.path or None,
        line=found.line or None,
    )


def _workflow_step(step: workflow_route.RouteStep) -> WorkflowStep:
    return report_of(
        WorkflowStep,
        step,
        number=step.number or None,
        name=text_escaping.neutralise_text(step.label),
        phase=text_escaping.neutralise_text(step.phase) or None,
        action=text_escaping.neutralise_text(step.action) or None,
    )


NO_PROGRAM, NOT_REGISTERED, NOT_CALLED = "no-program", "not-registered", "not-called"

_EDITOR = "vscode"
_RECENT_SECONDS = 3600.0  # a client that called the hook since then finds its program


@dataclass(frozen=True, kw_only=True)
class DeliveryProblem:
    """Why the hook's deliveries bring no rules to agents, and what to do. `code`: "no-program" for
    a hook that cannot be started; for a prompt in the editor's chat on which no hook was called,
    "not-registered" or "not-called" where nothing says why. `client`: the agent client.
    """

    code: str
    client: str
    sentence: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class DeliveryReport:
    """What the hook has handed over in its deliveries. `last`: when it last gave an agent anything,
    null for never; `client`: to which client.
    """

    last: str | None
    client: str | None
    problem: DeliveryProblem | None


def delivery_report(root: str, chats: str = "", *, home: str = "") -> DeliveryReport:
    """Return the report of a delivery: what the hook of the tree ``root`` has handed over.

    chats: the folder in which an editor keeps the chats of this workspace, "" where that is not
    known. home: the home folder, the user's unless given.
    """
    around = Surroundings(Path(root), Path(home or Path.home()))
    by_client: dict[str, float] = {}  # client -> when it last called the hook with a prompt
    last_time, last_client = 0.0, ""
    for record in injection_log.read_replies(root):
        by_client.setdefault(record["client"], record["time"])
        if record["tokens"]:
            last_time, last_client = record["time"], record["client"]
            break
    return DeliveryReport(
        last=session_lookup.format_time(last_time) if last_time else None,
        client=last_client or None,
        problem=_unheard_prompt(around, chats, by_client)
        or _missing_program(around, chats, by_client),
    )


def delivery_notes(delivery: DeliveryReport) -> list[str]:
    """Return what is wrong with the delivery as a note: none or one."""
    problem = delivery.problem
    return [f"{problem.sentence}. {problem.remedy}"] if problem else []


def _unheard_prompt(
    around: Surroundings, chats: str, calls: Mapping[str, float]
) -> DeliveryProblem | None:
    prompt = transcript.last_chat_prompt(chats) if chats else None
    if prompt is None or prompt[0] <= max(calls.values(), default=0.0):
        return None
    prompted_at, is_answered = prompt
    if not is_answered and time.time() - prompted_at < TIMEOUT:
        return None  # the hook may be at work on it
    client = settings_registry.CLIENTS[_EDITOR]
    sentence = (
        f"the last prompt in {client.title} called no hook, so its agent did not get the rules"
    )
    if not (registered := _prompt_registrations(around, client)):
        code, remedy = NOT_REGISTERED, f"Run `synapse install --client {client.name}`."
    elif why := _common_obstacle(registered, around):
        code, sentence, remedy = NO_PROGRAM, f"{sentence}: {why.reason}", why.remedy
    else:
        code = NOT_CALLED
        remedy = (
            "See that `chat.useHooks` is on and the workspace is trusted, run `synapse trust` for "
            "a hook of yours alone, then ask `synapse doctor`."
        )
    return DeliveryProblem(code=code, client=client.name, sentence=sentence, remedy=remedy)


def _missing_program(
    around: Surroundings, chats: str, calls: Mapping[str, float]
) -> DeliveryProblem | None:
    """Return that no hook can be started: none of the editor's own agent where that has one, else
    none at all. A project may well register it with clients that nobody uses here.
    """
    registered = {
        name: lines
        for name, client in settings_registry.CLIENTS.items()
        if (lines := _prompt_registrations(around, client))
    }
    if chats and _EDITOR in registered:
        registered = {_EDITOR: registered[_EDITOR]}
    since = time.time() - _RECENT_SECONDS
    if any(calls.get(name, 0.0) >= since for name in registered):
        return None
    obstacles = {name: _common_obstacle(lines, around) for name, lines in registered.items()}
    stuck = [(name, why) for name, why in obstacles.items() if why is not None]
    if not stuck or len(stuck) < len(obstacles):
        return None
    name, why = stuck[0]
    sentence = f"the hook in {registered[name][0].name} cannot be started: {why.reason}"
    return DeliveryProblem(code=NO_PROGRAM, client=name, sentence=sentence, remedy=why.remedy)


def _prompt_registrations(around: Surroundings, client: Client) -> list[Registration]:
    return [r for r in find_registrations(around, client) if r.event == client.prompt]


def _common_obstacle(registered: list[Registration], around: Surroundings) -> MissingProgram | None:
    """Return why none of the lines finds its program, None where one does."""
    obstacles = [missing_program(registration, around) for registration in registered]
    return obstacles[0] if obstacles and all(obstacles) else None


@dataclass(frozen=True, kw_only=True)
class CurrentSession:
    """The session that is followed, in a status report."""

    id: str | None
    title: str | None
    prompts: int | None
    last_activity: str | None


@dataclass(frozen=True, kw_only=True)
class BlockShare:
    """How many domains or rules a status report counts, and how many of them have a rule in the
    block.
    """

    total: int
    in_block: int


@dataclass(frozen=True, kw_only=True)
class StatusReport:
    """The status of a tree: the state that the next prompt would meet. `cuts`: how many entries do
    not fit. `hooks`: the settings in which an agent's hook is registered. `other_hooks`: other
    engines whose hooks are called, with their settings. `delivery`: what it has
    handed over. `guard`: the mode of the guard, "off", "warn" or "enforce"; `guard_clients`: the
    clients that call the hook, and whether they ask it; `guard_effect`: what it does with these.
    `policy`: the policies that hold over the tree's own settings.
    """

    root: str = field(metadata=ROOT_URI)
    profile: str
    bracket: str
    usage: UsageReport
    tokens: int
    budget: int
    unbounded: bool
    cuts: int
    over_budget: bool
    situation: SituationReport = field(metadata=INLINE)
    navigation: NavigationReport | None
    session: CurrentSession | None
    domains: BlockShare
    rules: BlockShare
    hooks: list[str]
    other_hooks: list[str]
    delivery: DeliveryReport
    guard: str
    guard_clients: list[GuardClient]
    guard_effect: str
    policy: str | None
    notes: list[str]


def status_report(answer: Answer, hooks: RegisteredHooks, delivery: DeliveryReport) -> StatusReport:
    """Return the status of a tree, what the next prompt would be answered with; ``hooks`` are those
    of ours that are registered, ``delivery`` what they have handed over.
    """
    assembly = answer.assembly
    mode = answer.plan.settings["guard"]
    counts = rule_account.count_in_block(answer.plan, assembly)
    position = find_position(answer)
    return StatusReport(
        root=answer.plan.root,
        profile=answer.plan.profile.name,
        bracket=assembly.situation.bracket.name,
        usage=usage_report(assembly.situation.usage),
        tokens=assembly.tokens,
        budget=assembly.budget,
        unbounded=assembly.is_unbounded,
        cuts=len(assembly.cut_entries),
        over_budget=assembly.is_over_budget,
        situation=situation_report(assembly.situation),
        navigation=position_report(position) if position else None,
        session=_current_session(answer.session) if answer.session else None,
        domains=BlockShare(total=counts.domains, in_block=counts.held_domains),
        rules=BlockShare(total=counts.rules, in_block=counts.held_rules),
        hooks=list(hooks.files),
        other_hooks=list(hooks.others),
        delivery=delivery,
        guard=mode,
        guard_clients=list(hooks.clients),
        guard_effect=describe_effect(mode, hooks.clients),
        policy=answer.plan.settings["policy"] or None,
        notes=list(status_notes(answer)),
    )


def status_notes(answer: Answer) -> Iterator[str]:
    """Yield the notes of a status report, and a sentence for each other system that has rules in
    the same folder.
    """
    yield from answer_lines.answer_notes(answer)
    plan = answer.plan
    for _, other in unserved_systems(plan.root, plan.profile_table.get("source", "")):
        yield f"{other.place} has rules of {other.title}, which are not served beside these"


def _current_session(session: SessionState) -> CurrentSession:
    at = session_archive.parse_moment(session.last_activity)
    return CurrentSession(
        id=session.id,
        title=session.title,
        prompts=session.prompt_count,
        last_activity=None if at is None else session_lookup.format_time(at),
    )
