"""The facts of an activation: everything that a greeting is made of.

Decide the occasion of a greeting (the session type): somebody begins, goes on, or
is in the middle of a workflow (ADR-001 C6, C8).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from synapse_ls.activation.active_story import Story
from synapse_ls.activation.agent_definition import Agent, AgentMemories
from synapse_ls.activation.agent_handoff import AgentHandoff
from synapse_ls.activation.framework_settings import Permission, Preferences
from synapse_ls.activation.project_status import ProjectStatus
from synapse_ls.activation.workflow_position import WorkflowPosition
from synapse_ls.engine.task_facts import TaskFacts
from synapse_ls.formats.session_file import SessionState
from synapse_ls.storage.session_archive import parse_moment

NEW, EXISTING, WORKFLOW = "new", "existing", "workflow"
OCCASIONS = (NEW, EXISTING, WORKFLOW)
IDLE_SECONDS = 3600.0
"""Seconds without a prompt after which somebody begins anew."""


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """What a session knows of its past, by which the occasion of a greeting is told.

    ``used``: star-commands, the last one last; ``running``: those of its last prompt. ``previous``:
    the agent that was active before this one, "" for none.
    """

    prompts: int = 0
    used: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    previous: str = ""
    active: str = ""
    is_idle: bool = False


def read_history(session: SessionState | None, agent: str, now: float) -> SessionHistory:
    """Read, for the occasion of a greeting, the past of ``session``, None for one that begins;
    ``now`` in seconds since 1970.
    """
    if session is None:
        return SessionHistory()
    last = parse_moment(session.last_activity)
    before = [name for name in session.history.agents if name != agent]
    return SessionHistory(
        prompts=session.prompt_count,
        used=session.history.star_commands,
        running=session.find_window(session.latest_window_key()).commands,
        previous=before[-1] if before else "",
        active=session.agent.id or "",
        is_idle=last is not None and now - last > IDLE_SECONDS,
    )


def choose_occasion(history: SessionHistory, *, in_workflow: bool) -> tuple[str, str]:
    """Return the occasion of a greeting and why, as a sentence part."""
    if not history.prompts and not history.used:
        return NEW, "the session has no prompt yet"
    if history.is_idle:
        return NEW, "the last prompt of the session was more than an hour ago"
    if in_workflow:
        return WORKFLOW, "a workflow is under way"
    return EXISTING, "the session goes on, and no workflow is under way"


AGENTE, WORKER, HUMANO, CLONE = "Agente", "Worker", "Humano", "Clone"
EXECUTORS = (AGENTE, WORKER, HUMANO, CLONE)


@dataclass(frozen=True, slots=True)
class ActivationFacts:
    """The facts of an activation, what is known when an agent greets. ``task``: what it is to do,
    None for nothing.

    ``handoff``: what another agent has left for it.
    ``missing``: a sentence part for each thing that could not be found out; ``late``: names of what
    was not found out in time.
    """

    agent: Agent
    occasion: str = NEW
    executor: str = AGENTE
    permission: Permission = field(default_factory=Permission)
    preferences: Preferences = field(default_factory=Preferences)
    project: ProjectStatus | None = None
    story: Story | None = None
    workflow_position: WorkflowPosition | None = None
    handoff: AgentHandoff | None = None
    task: TaskFacts | None = None
    memories: AgentMemories = field(default_factory=AgentMemories)
    history: SessionHistory = field(default_factory=SessionHistory)
    missing: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
