"""Render the pipeline of a Chati.dev session: the phase's agents in order, with their progress."""

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.engine import text_escaping
from synapse_ls.formats.chati import domain_file, work_files
from synapse_ls.formats.chati.agent_definition import AgentDocument
from synapse_ls.formats.chati.session_file import AgentState, SessionView
from synapse_ls.text.span import Span
from synapse_ls.workspace.chati_tree import ChatiTree

AGENTS_PER_LINE = 4
BREAK = "\n    -> "

# Kinds of projects; an agent for one kind of them goes by the rest of its name.
PROJECTS = ("greenfield", "brownfield")

ACRONYMS = ("wu", "ux", "qa")

# Agent → mode, in the order of the pipeline, where no workflow and no agent's file says otherwise.
MODES = {
    "greenfield-wu": "planning", "brownfield-wu": "planning", "brief": "planning",
    "detail": "planning", "architect": "planning", "ux": "planning", "phases": "planning",
    "tasks": "planning", "qa-planning": "planning", "dev": "build", "qa-implementation": "build",
    "devops": "deploy",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The progress of a Chati.dev session through its agents.

    ``text`` is the text of a block, "" without a session; ``span`` is what of the session it is
    from. workflow: its id, "" where none is known. phase: of the current agent's step.
    progress: how far the project has come, in lines. steps: a line for each agent, those of other
    phases too, with how far it has come, for whoever goes on in another session.
    """

    text: str
    span: Span
    workflow: str
    phase: str
    progress: tuple[str, ...]
    steps: tuple[str, ...]


def build_pipeline(chati: ChatiTree, view: SessionView) -> Pipeline:
    """Return the pipeline of a Chati.dev session."""
    # The workflow that the session names, else the whole one for its kind of project.
    if not (name := view.workflow.value) and view.project_type in PROJECTS:
        name = f"{view.project_type}-fullstack"
        name = name if name in chati.workflows else ""
    definition = chati.document(chati.workflows.get(name, ("", ""))[0], work_files.WorkflowDocument)
    agents = _phase_agents(chati, view, name, definition)
    states = {agent.name: agent for agent in view.agents}
    items: list[str] = []
    done: list[str] = []
    still: list[str] = []
    for agent in agents:
        display_name = _display_name(chati, agent)
        status, score = _status_and_score(states.get(agent))
        # Who has a score and has completed is told by the score alone: `WU(100%)`.
        is_scored = status == "completed" and score
        about = score if is_scored else ", ".join(filter(None, (status, score)))
        items.append(text_escaping.escape_text(f"{display_name}({about})"))
        if status == "completed":
            done.append(display_name)
        elif status != "skipped":
            still.append(display_name)
    progress = (("Completed", done), ("Still to come", still))
    steps = definition.steps if definition else ()
    lines = [items[at : at + AGENTS_PER_LINE] for at in range(0, len(items), AGENTS_PER_LINE)]
    key = view.root.key_node("agents") if view.root else None
    return Pipeline(
        BREAK.join(" -> ".join(line) for line in lines),
        key.span if key else Span(0, 0),
        name,
        next((step.phase for step in steps if step.agent.value == view.agent.value), ""),
        tuple(f"{what}: {', '.join(names)}" for what, names in progress if names),
        tuple(_step_lines(view, agents)),
    )


def _phase_agents(
    chati: ChatiTree, view: SessionView, name: str, definition: work_files.WorkflowDocument | None
) -> list[str]:
    """Return the agents of the phase that the project is in; all of them where no phase fits."""
    if view.root is None:
        return []
    if definition is not None and definition.agents_in_order(view.mode):
        return list(definition.agents_in_order(view.mode))
    domain = chati.document(chati.workflows.get(name, ("", ""))[1], domain_file.DomainDocument)
    if definition is not None and definition.steps:
        everybody = list(definition.agents_in_order())
    elif domain is not None and domain.steps:
        everybody = list(dict.fromkeys(step.value for step in domain.steps))
    else:
        everybody = _sort_agents([agent.name for agent in view.agents], view.project_type)
    phase = []
    for agent in everybody:
        document = chati.document(chati.agents.get(agent, ("", ""))[0], AgentDocument)
        category = document.category if document else ""
        is_mode = category in ("planning", "build", "deploy")
        if (category if is_mode else MODES.get(agent, "")) == view.mode:
            phase.append(agent)
    return phase or everybody


def _sort_agents(names: list[str], project_type: str) -> list[str]:
    """Return agents of a session in the order of the pipeline, without those for other kinds of
    projects.
    """
    in_order = [name for name in MODES if name in names]
    sorted_names = [*in_order, *(name for name in names if name not in MODES)]
    other_kinds = tuple(f"{kind}-" for kind in PROJECTS if kind != project_type)
    return [
        name
        for name in sorted_names
        if not (project_type in PROJECTS and name.startswith(other_kinds))
    ]


def _display_name(chati: ChatiTree, agent: str) -> str:
    """Return what an agent is called in the pipeline: as its file's title has it, else after its
    id.
    """
    document = chati.document(chati.agents.get(agent, ("", ""))[0], AgentDocument)
    name = document.name if document else ""
    if not name:
        words = agent.split("-")
        name = "-".join(w.upper() if w in ACRONYMS else w[:1].upper() + w[1:] for w in words)
    for kind in PROJECTS:
        if name.lower().startswith((f"{kind} ", f"{kind}-")):
            name = name[len(kind) + 1 :]
    return name


def _status_and_score(state: AgentState | None) -> tuple[str, str]:
    """Return the status of an agent, and its score in percent, "" for none."""
    if state is None:
        return "pending", ""
    return state.status, f"{state.score}%" if state.score not in ("", "0") else ""


def _step_lines(view: SessionView, phase: list[str]) -> Iterator[str]:
    """Yield how far each agent has come, in the order of the pipeline; the current one is
    marked.
    """
    states = {agent.name: agent for agent in view.agents}
    other_names = [name for name in _sort_agents([*states], view.project_type) if name not in phase]
    order = list(MODES)
    begin = min((order.index(name) for name in phase if name in MODES), default=0)
    before = [name for name in other_names if name in order[:begin]]
    after = [name for name in other_names if name not in before]
    for name in (*before, *phase, *after):
        here = " ← here" if name == view.agent.value else ""
        yield f"{name} ({', '.join(filter(None, _status_and_score(states.get(name))))}){here}"
