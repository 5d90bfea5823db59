"""Everything that a greeting is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from synapse_ls.activation.occasion import NEW, History
from synapse_ls.activation.sources.definition import Agent
from synapse_ls.activation.sources.handoff import HandedOver
from synapse_ls.activation.sources.memories import Memories
from synapse_ls.activation.sources.permission import Permission
from synapse_ls.activation.sources.preferences import Preferences
from synapse_ls.activation.sources.project import Project
from synapse_ls.activation.sources.stories import Story
from synapse_ls.activation.whereabouts import Whereabouts

if TYPE_CHECKING:
    from synapse_ls.engine.task import TaskFacts

AGENTE, WORKER, HUMANO, CLONE = "Agente", "Worker", "Humano", "Clone"
EXECUTORS = (AGENTE, WORKER, HUMANO, CLONE)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known when an agent greets. ``task``: what it is to do, None for nothing.

    ``handoff``: what another agent has left for it.
    ``missing``: a sentence part for each thing that could not be found out.
    """

    agent: Agent
    occasion: str = NEW
    executor: str = AGENTE
    permission: Permission = field(default_factory=Permission)
    preferences: Preferences = field(default_factory=Preferences)
    project: Project | None = None
    story: Story | None = None
    whereabouts: Whereabouts | None = None
    handoff: HandedOver | None = None
    task: TaskFacts | None = None
    memories: Memories = field(default_factory=Memories)
    history: History = field(default_factory=History)
    missing: tuple[str, ...] = ()
