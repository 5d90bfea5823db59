"""What workflows, tasks, stories and agents define and mention, one function for each kind of file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from synapse_ls.formats.names import agent_id
from synapse_ls.text.span import Span
from synapse_ls.workspace.keys import Definition, Reference, key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import stem

if TYPE_CHECKING:
    from synapse_ls.formats.agent import AgentDefinition
    from synapse_ls.formats.story import StoryDocument
    from synapse_ls.formats.task import TaskDocument
    from synapse_ls.formats.workflow import StepDefinition, WorkflowDefinition, WorkflowPattern
    from synapse_ls.formats.workflow_chains import Chain
    from synapse_ls.formats.workflow_state import WorkflowState, WorkflowStep
    from synapse_ls.formats.yaml_tree import Node

    Facts = Iterator[Definition | Reference]

WHOLE = Span(0, 0)
"""The place of what a file as a whole defines or mentions."""


def identity(path: str, kind: FileKind, document: Any) -> tuple[str, Span]:
    """What an agent, a workflow or a story calls itself, and where; else the file's stem."""
    if document is not None and kind is FileKind.AGENT and document.id:
        return document.id, document.span
    if document is not None and kind is FileKind.WORKFLOW and document.id and document.id.value:
        return document.id.value, document.id.span
    if document is not None and kind is FileKind.STORY and document.id:
        return document.id, WHOLE
    return stem(path), WHOLE


def _workflow_state(path: str, state: WorkflowState) -> Facts:
    step = state.current_step
    said = (
        state.shape,
        state.workflow_id,
        state.status,
        state.current_phase,
        state.squad_name,
        state.updated_at,
        (step.index, step.phase, step.step_id, step.agent, step.task) if step else None,
    )
    yield Definition(key("state", path), WHOLE, said)
    if state.shape != "instance":
        return
    for family, field, name in (
        ("workflow", "workflow_id", state.workflow_id),
        ("squad", "squad_name", state.squad_name),
    ):
        if name:
            yield Reference(key(family, name), _field(state.root, field, WHOLE))
    yield from _steps(state.steps, state.root.get("steps") if state.root else None)


def _workflow(path: str, workflow: WorkflowDefinition) -> Facts:
    name, _ = identity(path, FileKind.WORKFLOW, workflow)
    said = tuple((step.id, step.step, step.name, step.phase, step.agent) for step in workflow.steps)
    yield Definition(key("steps", name), WHOLE, said)
    yield from _steps(workflow.steps, workflow.root.get("sequence") if workflow.root else None)


def _steps(steps: Sequence[WorkflowStep | StepDefinition], list_: Node | None) -> Facts:
    """Agents and tasks of steps, at their fields where ``list_`` holds just these steps."""
    nodes = list_.items if list_ and len(list_.items) == len(steps) else ()
    for step in steps:
        node = nodes[step.index].followed if nodes else None
        if step.agent:
            yield Reference(key("agent", step.agent), _field(node, "agent", step.span))
        if step.task:
            yield Reference(key("task", stem(step.task)), _field(node, "task", step.span))


def _patterns(_: str, patterns: tuple[WorkflowPattern, ...]) -> Facts:
    for pattern in patterns:
        yield Definition(key("workflow", pattern.id.value), pattern.id.span)
        for agent in pattern.agents:
            yield Reference(key("agent", agent.value), agent.span)


def _chains(_: str, chains: tuple[Chain, ...]) -> Facts:
    for chain in chains:
        yield Definition(key("workflow", chain.id.value), chain.id.span)
        for step in chain.steps:
            for one in (step, *step.alternatives):
                if one.agent:
                    yield Reference(key("agent", one.agent), _field(one.node, "agent", one.span))
                if one.task:
                    yield Reference(key("task", stem(one.task)), _field(one.node, "task", one.span))


def _task(_: str, task: TaskDocument) -> Facts:
    if task.story:
        yield Reference(key("story", task.story), task.story_span or WHOLE)
    owner = task.responsible
    if owner and owner.value.startswith("@") and agent_id(owner.value):
        yield Reference(key("agent", agent_id(owner.value)), owner.span)


def _story(_: str, story: StoryDocument) -> Facts:
    for agent in story.named:
        yield Reference(key("agent", agent.value), agent.span)


def _agent(path: str, agent: AgentDefinition) -> Facts:
    owner, _ = identity(path, FileKind.AGENT, agent)
    for command in agent.commands:
        yield Definition(key("agent-command", command.name), command.span, owner)
    for task in agent.tasks:
        yield Reference(key("task", stem(task.value)), task.span)


def _field(node: Node | None, name: str, otherwise: Span) -> Span:
    text = node.text(name) if node else None
    return text.span if text else otherwise


WORK: Mapping[FileKind, Callable[[str, Any], Facts]] = {
    FileKind.AGENT: _agent,
    FileKind.WORKFLOW_STATE: _workflow_state,
    FileKind.WORKFLOW: _workflow,
    FileKind.PATTERNS: _patterns,
    FileKind.CHAINS: _chains,
    FileKind.TASK: _task,
    FileKind.STORY: _story,
}
