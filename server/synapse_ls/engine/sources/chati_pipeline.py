"""The pipeline as a block tells it: the agents of the phase in order, each with how far it has come."""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.engine import xml
from synapse_ls.formats.chati.agent import AgentFile
from synapse_ls.formats.chati.domain import DomainFile
from synapse_ls.formats.chati.session import AgentState, SessionView
from synapse_ls.formats.chati.workflow import WorkflowFile
from synapse_ls.text.span import Span
from synapse_ls.workspace.chati_tree import ChatiTree

IN_A_LINE = 4
BREAK = "\n    -> "

PROJECTS = ("greenfield", "brownfield")
"""Kinds of projects; an agent for one kind of them goes by the rest of its name."""

ACRONYMS = ("wu", "ux", "qa")

MODES = {
    "greenfield-wu": "planning",
    "brownfield-wu": "planning",
    "brief": "planning",
    "detail": "planning",
    "architect": "planning",
    "ux": "planning",
    "phases": "planning",
    "tasks": "planning",
    "qa-planning": "planning",
    "dev": "build",
    "qa-implementation": "build",
    "devops": "deploy",
}
"""Agent → mode, in the order of the pipeline, where no workflow and no agent's file says otherwise."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """``told`` is the text of a block, "" without a session; ``span`` is what of the session it is from.

    workflow: its id, "" where none is known. phase: of the current agent's step. progress: how
    far the project has come, in lines.
    """

    told: str
    span: Span
    workflow: str
    phase: str
    progress: tuple[str, ...]


def pipeline(chati: ChatiTree, view: SessionView) -> Pipeline:
    """The pipeline of a session."""
    name = _workflow(chati, view)
    definition = chati.document(chati.workflows.get(name, ("", ""))[0], WorkflowFile)
    agents = _agents(chati, view, name, definition)
    states = {agent.name: agent for agent in view.agents}
    items = [_item(_called(chati, agent), states.get(agent)) for agent in agents]
    lines = [items[at : at + IN_A_LINE] for at in range(0, len(items), IN_A_LINE)]
    key = view.root.key_node("agents") if view.root else None
    return Pipeline(
        BREAK.join(" -> ".join(line) for line in lines),
        key.span if key else Span(0, 0),
        name,
        _phase(definition, view.agent.value),
        _progress(chati, view, agents),
    )


def _workflow(chati: ChatiTree, view: SessionView) -> str:
    """The workflow that the session names, else the whole one for its kind of project."""
    if view.workflow.value:
        return view.workflow.value
    name = f"{view.project_type}-fullstack" if view.project_type in PROJECTS else ""
    return name if name in chati.workflows else ""


def _agents(
    chati: ChatiTree, view: SessionView, name: str, definition: WorkflowFile | None
) -> list[str]:
    """The agents of the phase that the project is in; all of them where no phase fits."""
    if view.root is None:
        return []
    if definition is not None and definition.agents(view.mode):
        return list(definition.agents(view.mode))
    domain = chati.document(chati.workflows.get(name, ("", ""))[1], DomainFile)
    if definition is not None and definition.steps:
        everybody = list(definition.agents())
    elif domain is not None and domain.steps:
        everybody = list(dict.fromkeys(step.value for step in domain.steps))
    else:
        everybody = _in_order([agent.name for agent in view.agents], view.project_type)
    phase = [agent for agent in everybody if _mode(chati, agent) == view.mode]
    return phase or everybody


def _in_order(names: list[str], project_type: str) -> list[str]:
    """Agents of a session in the order of the pipeline, without those for other kinds of projects."""
    order = list(MODES)
    known = [name for name in order if name in names]
    found = [*known, *(name for name in names if name not in MODES)]
    others = tuple(f"{kind}-" for kind in PROJECTS if kind != project_type)
    return [name for name in found if not (project_type in PROJECTS and name.startswith(others))]


def _mode(chati: ChatiTree, agent: str) -> str:
    document = chati.document(chati.agents.get(agent, ("", ""))[0], AgentFile)
    category = document.category if document else ""
    return category if category in ("planning", "build", "deploy") else MODES.get(agent, "")


def _called(chati: ChatiTree, agent: str) -> str:
    """What an agent is called in the pipeline: as its file's title has it, else after its id."""
    document = chati.document(chati.agents.get(agent, ("", ""))[0], AgentFile)
    name = document.name if document else ""
    if not name:
        words = agent.split("-")
        name = "-".join(w.upper() if w in ACRONYMS else w[:1].upper() + w[1:] for w in words)
    for kind in PROJECTS:
        if name.lower().startswith((f"{kind} ", f"{kind}-")):
            name = name[len(kind) + 1 :]
    return name


def _item(name: str, state: AgentState | None) -> str:
    """``WU(100%)``, ``Brief(in_progress, 45%)``, ``Detail(pending)``."""
    name = xml.text(name)
    status = state.status if state else "pending"
    score = f"{state.score}%" if state and state.score not in ("", "0") else ""
    if status == "completed":
        return f"{name}({score or status})"
    return f"{name}({xml.text(status)}{', ' if score else ''}{score})"


def _phase(definition: WorkflowFile | None, agent: str) -> str:
    steps = definition.steps if definition else ()
    return next((step.phase for step in steps if step.agent.value == agent), "")


def _progress(chati: ChatiTree, view: SessionView, agents: list[str]) -> tuple[str, ...]:
    """Who has completed and who is still to come, for the next session."""
    states = {agent.name: agent.status for agent in view.agents}
    done = [_called(chati, name) for name in agents if states.get(name) == "completed"]
    still = [
        _called(chati, name)
        for name in agents
        if states.get(name, "pending") not in ("completed", "skipped")
    ]
    lines = (("Completed", done), ("Still to come", still))
    return tuple(f"{what}: {', '.join(names)}" for what, names in lines if names)
