"""This module defines the facts of an activation: everything that a greeting is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from synapse_ls.activation.greeting_occasion import NEW, SessionHistory
from synapse_ls.activation.sources.active_story import Story
from synapse_ls.activation.sources.agent_definition import Agent
from synapse_ls.activation.sources.agent_handoff import AgentHandoff
from synapse_ls.activation.sources.agent_memories import AgentMemories
from synapse_ls.activation.sources.greeting_preferences import Preferences
from synapse_ls.activation.sources.permission_mode import Permission
from synapse_ls.activation.sources.project_status import ProjectStatus
from synapse_ls.activation.workflow_position import WorkflowPosition

if TYPE_CHECKING:
    from synapse_ls.engine.task_facts import TaskFacts

AGENTE, WORKER, HUMANO, CLONE = "Agente", "Worker", "Humano", "Clone"
EXECUTORS = (AGENTE, WORKER, HUMANO, CLONE)


@dataclass(frozen=True, slots=True)
class ActivationFacts:
    """ActivationFacts are the facts of an activation, what is known when an agent greets. ``task``:
    what it is to do, None for nothing.

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
