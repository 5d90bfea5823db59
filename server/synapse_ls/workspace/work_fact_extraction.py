"""This module extracts facts from files about work, what workflows, workflow states, tasks, stories
and agents define and mention.

It has one function for each kind of file, and `find_identity`, the id that an agent,
workflow or story calls itself by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from synapse_ls.formats.name_normalization import normalize_agent_id
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.index_keys import Definition, Reference, make_key
from synapse_ls.workspace.naming_conventions import file_stem

if TYPE_CHECKING:
    from synapse_ls.formats.agent_definition import AgentDefinition
    from synapse_ls.formats.story_file import StoryDocument
    from synapse_ls.formats.task_file import TaskDocument
    from synapse_ls.formats.workflow_chains import WorkflowChain
    from synapse_ls.formats.workflow_definition import (
        StepDefinition,
        WorkflowDefinition,
        WorkflowPattern,
    )
    from synapse_ls.formats.workflow_state import WorkflowState, WorkflowStep
    from synapse_ls.formats.yaml_tree import YamlNode

    Facts = Iterator[Definition | Reference]

WHOLE = Span(0, 0)
"""The place of what a file as a whole defines or mentions."""


def find_identity(path: str, kind: FileKind, document: Any) -> tuple[str, Span]:
    """Returns the id that an agent, workflow or story gives itself, as a fact of its file, and its
    span; else the file's stem.
    """
    if document is not None and kind is FileKind.AGENT and document.id:
        return document.id, document.span
    if document is not None and kind is FileKind.WORKFLOW and document.id and document.id.value:
        return document.id.value, document.id.span
    if document is not None and kind is FileKind.STORY and document.id:
        return document.id, WHOLE
    return file_stem(path), WHOLE


def _workflow_state_facts(path: str, state: WorkflowState) -> Facts:
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
    yield Definition(make_key("state", path), WHOLE, said)
    if state.shape != "instance":
        return
    for family, field, name in (
        ("workflow", "workflow_id", state.workflow_id),
        ("squad", "squad_name", state.squad_name),
    ):
        if name:
            yield Reference(make_key(family, name), _field_span(state.root, field, WHOLE))
    yield from _step_facts(state.steps, state.root.get("steps") if state.root else None)


def _workflow_facts(path: str, workflow: WorkflowDefinition) -> Facts:
    name, _ = find_identity(path, FileKind.WORKFLOW, workflow)
    said = tuple((step.id, step.step, step.name, step.phase, step.agent) for step in workflow.steps)
    yield Definition(make_key("steps", name), WHOLE, said)
    yield from _step_facts(workflow.steps, workflow.root.get("sequence") if workflow.root else None)


def _step_facts(
    steps: Sequence[WorkflowStep | StepDefinition], steps_node: YamlNode | None
) -> Facts:
    """Yields the agents and tasks of steps, at their fields where ``steps_node`` holds just these
    steps.
    """
    nodes = steps_node.items if steps_node and len(steps_node.items) == len(steps) else ()
    for step in steps:
        node = nodes[step.index].target_node if nodes else None
        if step.agent:
            yield Reference(make_key("agent", step.agent), _field_span(node, "agent", step.span))
        if step.task:
            yield Reference(
                make_key("task", file_stem(step.task)), _field_span(node, "task", step.span)
            )


def _pattern_facts(_: str, patterns: tuple[WorkflowPattern, ...]) -> Facts:
    for pattern in patterns:
        yield Definition(make_key("workflow", pattern.id.value), pattern.id.span)
        for agent in pattern.agents:
            yield Reference(make_key("agent", agent.value), agent.span)


def _chain_facts(_: str, chains: tuple[WorkflowChain, ...]) -> Facts:
    for chain in chains:
        yield Definition(make_key("workflow", chain.id.value), chain.id.span)
        for step in chain.steps:
            for one in (step, *step.alternatives):
                if one.agent:
                    yield Reference(
                        make_key("agent", one.agent), _field_span(one.node, "agent", one.span)
                    )
                if one.task:
                    yield Reference(
                        make_key("task", file_stem(one.task)),
                        _field_span(one.node, "task", one.span),
                    )


def _task_facts(_: str, task: TaskDocument) -> Facts:
    if task.story:
        yield Reference(make_key("story", task.story), task.story_span or WHOLE)
    owner = task.responsible
    if owner and owner.value.startswith("@") and normalize_agent_id(owner.value):
        yield Reference(make_key("agent", normalize_agent_id(owner.value)), owner.span)


def _story_facts(_: str, story: StoryDocument) -> Facts:
    for agent in story.agent_mentions:
        yield Reference(make_key("agent", agent.value), agent.span)


def _agent_facts(path: str, agent: AgentDefinition) -> Facts:
    owner, _ = find_identity(path, FileKind.AGENT, agent)
    for command in agent.commands:
        yield Definition(make_key("agent-command", command.name), command.span, owner)
    for task in agent.tasks:
        yield Reference(make_key("task", file_stem(task.value)), task.span)


def _field_span(node: YamlNode | None, name: str, default: Span) -> Span:
    """Returns the span of a field of a YAML node, ``default`` where the node has no such text."""
    text = node.text(name) if node else None
    return text.span if text else default


WORK_EXTRACTORS: Mapping[FileKind, Callable[[str, Any], Facts]] = {
    FileKind.AGENT: _agent_facts,
    FileKind.WORKFLOW_STATE: _workflow_state_facts,
    FileKind.WORKFLOW: _workflow_facts,
    FileKind.PATTERNS: _pattern_facts,
    FileKind.CHAINS: _chain_facts,
    FileKind.TASK: _task_facts,
    FileKind.STORY: _story_facts,
}
