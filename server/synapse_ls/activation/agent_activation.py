"""Activate an agent: load its facts, compose its greeting and record it in the session.

Behind ``synapse activate``, the editor's command, the MCP tool and the start of a session; never on
the path of a prompt.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from synapse_ls.activation import (
    active_story,
    agent_definition,
    agent_handoff,
    framework_settings,
    loader_runner,
    project_status,
)
from synapse_ls.activation.activation_files import TreeFiles
from synapse_ls.activation.greeting import (
    AGENTE,
    ENGLISH_EXECUTORS,
    EXECUTORS,
    ActivationFacts,
    Greeting,
    SessionHistory,
    build_greeting,
    choose_occasion,
    read_history,
)
from synapse_ls.activation.workflow_position import WorkflowPosition, position_from_session
from synapse_ls.activation.workflow_position import find_workflow_position as find_whereabouts
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import Request, Situation, resolve_situation
from synapse_ls.formats.session_file import SessionState
from synapse_ls.integrations.model_windows import measure_window_usage
from synapse_ls.storage import session_changes, task_cache, trusted_trees
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.naming_conventions import file_stem, near_misses, suggest_names
from synapse_ls.workspace.repository_discovery import find_repository

TREE_PATIENCE = 1.0  # seconds that the tree may take where it has changed since it was last read
LEAST_BUDGET = 0.15  # seconds that loaders get however late it is
# Variable that wins over ``[activation] timeout_ms``, for machines that are slow or busy.
TIMEOUT_VARIABLE = "SYNAPSE_ACTIVATION_TIMEOUT_MS"

# Share of the time that a loader may take; what only adds to the greeting gives way first.
_LOADER_SHARES = {
    "definition": (loader_runner.CRITICAL, 1.0),
    "permission": (loader_runner.HIGH, 0.9),
    "project": (loader_runner.HIGH, 0.9),
    "preferences": (loader_runner.BEST_EFFORT, 0.8),
    "story": (loader_runner.BEST_EFFORT, 0.8),
    "workflow": (loader_runner.BEST_EFFORT, 0.8),
    "handoff": (loader_runner.BEST_EFFORT, 0.8),
    "memory": (loader_runner.BEST_EFFORT, 0.5),
}
LOADER_NAMES = tuple(_LOADER_SHARES)


@dataclass(frozen=True, slots=True)
class ActivationRequest:
    """What the activation of an agent is to be like; "" is found out. ``session``: its id, "" for
    none.

    ``greeting``: a preference for this once. ``elapsed``: seconds of the time for all of it that
    have gone by already.
    """

    session: str = ""
    executor: str = ""
    occasion: str = ""
    greeting: str = ""
    elapsed: float = 0.0


@dataclass(frozen=True, slots=True)
class Activation:
    """An agent that was activated, with its greeting. ``milliseconds``: how long the loaders were
    waited for; ``allowed``: how long they would have been.
    """

    facts: ActivationFacts
    greeting: Greeting
    outcomes: Mapping[str, loader_runner.LoaderOutcome]
    quality: str
    session: str
    occasion_reason: str
    milliseconds: float
    allowed: float
    notes: tuple[str, ...]

    @property
    def agent(self) -> str:
        """The agent's id."""
        return self.facts.agent.id


def activate_agent(
    root: str,
    agent: str,
    request: ActivationRequest | None = None,
    *,
    now: float,
    deadline: float | None = None,
) -> Activation:
    """Activate ``agent`` in the tree at ``root``; change nothing: `record_activation` does.

    now: seconds since 1970. deadline: seconds for all loaders, else as configured. Raises UserError
    where there is no such agent, StorageError where the session cannot be read.
    """
    request = request or ActivationRequest()
    plan, tree = _load_plan(root)
    files = TreeFiles.of_plan(plan)
    id = _identify_agent(plan, files, agent)
    session = SessionStore(sessions_folder(root)).load(request.session) if request.session else None
    activation = activate_in_session(
        plan, files, id, session, request, tree, now=now, deadline=deadline
    )
    if note := trusted_trees.change_note(root):
        activation = replace(activation, notes=(*activation.notes, note))
    return activation


def activate_in_session(
    plan: Plan,
    files: TreeFiles,
    agent: str,
    session: SessionState | None,
    activation_request: ActivationRequest,
    tree: loader_runner.LoaderOutcome,
    *,
    now: float,
    deadline: float | None = None,
) -> Activation:
    """Activate an agent by its id, in a session that is at hand; None for a new one.

    tree: what became of reading the tree, see `tree_outcome`.
    """
    request = Request(agent=agent, session=session)
    situation = resolve_situation(plan, request, measure_window_usage(plan, session))
    history = read_history(session, agent, now)
    if deadline is None:
        allowed = plan.settings.get("activation", {}).get("timeout_ms", 350) / 1000
        spare = (_environment_timeout() or allowed) - activation_request.elapsed
        deadline = max(LEAST_BUDGET, spare)
    began = time.monotonic()
    loaders = _build_loaders(plan, files, agent, situation, history, now, deadline)
    outcomes = {
        loader_runner.TREE_LOADER: tree,
        **loader_runner.run_loaders(loaders, deadline, place=plan.root),
    }
    spent = (time.monotonic() - began + tree.seconds) * 1000
    files.save_memo()
    facts, why = _collect_facts(agent, situation, history, outcomes, activation_request)
    notes = [note for outcome in outcomes.values() for note in outcome.notes]
    notes += [note for note in situation.notes if note not in notes]
    quality = loader_runner.PARTIAL
    if outcomes["definition"].state != loader_runner.LOADED:
        quality = loader_runner.FALLBACK
    elif all(outcome.state == loader_runner.LOADED for outcome in outcomes.values()):
        quality = loader_runner.FULL
    return Activation(
        facts,
        build_greeting(facts),
        outcomes,
        quality,
        activation_request.session,
        why,
        spent,
        deadline * 1000,
        tuple(notes),
    )


def record_activation(root: str, activation: Activation, *, now: float) -> tuple[str, ...]:
    """Record an agent's activation in its session: who is active now, how well that went and what
    took how long.

    Returns sentences about session files that stood in the way. Raises StorageError where the
    session cannot be written.
    """
    transaction = SessionStore(sessions_folder(root)).update(
        activation.session,
        lambda session: note_activation(session, activation, now),
        cwd=root,
        now=now,
    )
    return transaction.notes


def note_activation(session: SessionState, activation: Activation, now: float) -> None:
    """Note an agent's activation in a session that is at hand."""
    session_changes.activate_agent(session, activation.agent, quality=activation.quality, now=now)
    session.agent.loaders = loader_runner.loader_metrics(activation.outcomes)
    session.agent.milliseconds = round(activation.milliseconds, 1)


def list_agents(root: str) -> tuple[list[agent_definition.Agent], list[str]]:
    """Return every agent that can be activated: those with a definition, and the ids of those that
    only rules know.
    """
    plan, _ = _load_plan(root)
    files = TreeFiles.of_plan(plan)
    # The tree takes a file for an agent, and not for a text about the folder.
    everyone = [
        agent
        for agent in agent_definition.iter_agents(files)
        if any(name.lower() in plan.agents for name in (agent.id, file_stem(agent.path)))
    ]
    ids = {agent.id for agent in everyone}
    # The client's own agent that stands for one (@aiox-dev for @dev) is not another one.
    agents = [
        agent
        for agent in everyone
        if (means := plan.agents.get(agent.id.lower(), agent.id)) == agent.id or means not in ids
    ]
    files.save_memo()
    defined = {agent.id for agent in agents}
    known_ids = {plan.agents.get(agent.lower(), agent) for agent in defined}
    return agents, sorted(set(plan.agents.values()) - defined - known_ids)


def _load_plan(root: str) -> tuple[Plan, loader_runner.LoaderOutcome]:
    began = time.monotonic()
    current_plan = load_plan(root, patience=max(TREE_PATIENCE, _environment_timeout()))
    if current_plan.incomplete:
        current_plan.finish_later()  # so that the next one has all of it
    return current_plan.plan, loader_runner.tree_outcome(current_plan, time.monotonic() - began)


def _environment_timeout() -> float:
    """Return the seconds for all of it that the environment allows, 0 where it does not say."""
    milliseconds = os.environ.get(TIMEOUT_VARIABLE, "")
    return int(milliseconds) / 1000 if milliseconds.isascii() and milliseconds.isdigit() else 0.0


def identify_agent(root: str, agent: str) -> str:
    """Return the id of the agent that is to be activated; raise UserError where the tree at
    ``root`` has none.
    """
    plan, _ = _load_plan(root)
    return _identify_agent(plan, TreeFiles.of_plan(plan), agent)


def _identify_agent(plan: Plan, files: TreeFiles, written: str) -> str:
    """Return the id of the agent that is meant; raise UserError with those there are, near misses
    first.
    """
    name = written.strip().removeprefix("@")
    if agent_id := plan.find_agent(name):
        return agent_id
    id, file = agent_definition.find_agent(files, name)
    if id:  # the rules may know it by its own id or by the name of its file
        return plan.agents.get(id.lower()) or plan.agents.get(file.lower()) or id
    everyone = sorted(set(plan.agents.values()))
    near = near_misses(name, everyone)
    listed = ", ".join(sorted(everyone, key=lambda id: id not in near)) or "none"
    suggestion = suggest_names(name, everyone)
    raise UserError(f'There is no agent "{name}".', f"{suggestion} The tree has {listed}.".lstrip())


def _build_loaders(
    plan: Plan,
    files: TreeFiles,
    agent: str,
    situation: Situation,
    history: SessionHistory,
    now: float,
    budget: float,
) -> list[loader_runner.Loader]:
    configured = plan.settings.get("activation", {})

    def load_work(slot: loader_runner.LoaderSlot) -> None:
        facts = None
        if situation.task or situation.story:
            facts = task_cache.load_task_facts(plan, situation.task, situation.story)
            slot.put((facts, None))
        inner = loader_runner.LoaderSlot(slot.deadline)
        story = (facts.story if facts else "") or situation.story
        path = facts.story_path if facts else ""

        def find_branch() -> str:
            repository = find_repository(plan.root)
            return project_status.read_head(repository).branch if repository else ""

        try:
            active_story.load_story(files, plan.stories, story, path, find_branch, inner)
        finally:
            slot.notes += inner.notes
            slot.put((facts, inner.value))

    def load_workflow(slot: loader_runner.LoaderSlot) -> None:
        slot.put(position_from_session(situation))
        used, running = history.used, history.running
        slot.put(find_whereabouts(files, plan, situation, used=used, running=running))

    loaders: dict[str, Callable[[loader_runner.LoaderSlot], None]] = {
        "definition": lambda slot: agent_definition.load_definition(files, agent, slot),
        "permission": lambda slot: framework_settings.load_permission(files, slot),
        "project": lambda slot: project_status.load_project(plan.root, slot),
        "preferences": lambda slot: framework_settings.load_preferences(
            files, configured.get("greeting", ""), configured.get("user_profile", ""), slot
        ),
        "story": load_work,
        "workflow": load_workflow,
        "handoff": lambda slot: slot.put(agent_handoff.latest_handoff(files, agent, slot.notes)),
        "memory": lambda slot: agent_definition.load_memories(
            plan.root, agent, now, slot, chati=plan.profile.source == "chati"
        ),
    }
    return [
        loader_runner.Loader(name, tier, budget * share, loaders[name])
        for name, (tier, share) in _LOADER_SHARES.items()
    ]


def _collect_facts(
    agent: str,
    situation: Situation,
    history: SessionHistory,
    outcomes: Mapping[str, loader_runner.LoaderOutcome],
    request: ActivationRequest,
) -> tuple[ActivationFacts, str]:
    """Return what was found, with what stands in for what was not; and why it is this occasion."""

    values = {name: outcome.value for name, outcome in outcomes.items()}
    task, story = values["story"] or (None, None)
    position: WorkflowPosition | None = values["workflow"]
    is_under_way = position is not None and position.is_under_way
    occasion, why = choose_occasion(history, in_workflow=is_under_way)
    if request.occasion:
        occasion, why = request.occasion, "it is given"
    preferences = values["preferences"] or framework_settings.Preferences()
    if request.greeting:
        preferences = framework_settings.Preferences(request.greeting, preferences.profile)
    loaders = [outcome for name, outcome in outcomes.items() if name != loader_runner.TREE_LOADER]
    late = tuple(outcome.name for outcome in loaders if outcome.state == loader_runner.LATE)
    reasons = ((outcome.name, outcome.why) for outcome in outcomes.values())
    executor = request.executor or situation.executor or (task.executor if task else "")
    facts = ActivationFacts(
        agent=values["definition"] or agent_definition.Agent(agent),
        occasion=occasion,
        executor=executor if executor in EXECUTORS else ENGLISH_EXECUTORS.get(executor, AGENTE),
        permission=values["permission"] or framework_settings.Permission(),
        preferences=preferences,
        project=values["project"],
        story=story,
        workflow_position=position,
        handoff=values["handoff"],
        task=task,
        memories=values["memory"] or agent_definition.AgentMemories(),
        history=history,
        missing=tuple(f"{name}: {why}" for name, why in reasons if why and name not in late),
        late=late,
    )
    return facts, why
