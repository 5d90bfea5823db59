"""This module yields the semantic tokens of squads, workflows, agents, tasks, stories and the
configuration: what they define and mention, and the words that they choose from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.config_settings import BY_PATH
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.formats.task_file import TaskDocument
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.formats.yaml_tree import YamlNode
from synapse_ls.ide.tokens.token_legend import Token
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind

_TYPE_OF_FAMILY = {
    "agent": "class",
    "workflow": "interface",
    "task": "function",
    "command": "function",
    "squad": "namespace",
    "domain": "namespace",
    "story": "struct",
}
_DEFINITION = frozenset({"definition"})


def file_tokens(_: View, facts: FileFacts) -> Iterator[Token]:
    """Yields the semantic tokens of a file's words, in no order."""
    for definition in facts.definitions:
        kind = _TYPE_OF_FAMILY.get(definition.key[0])
        if kind and definition.span.length:
            yield Token(definition.span, kind, _DEFINITION)
    for reference in facts.references:
        kind = _TYPE_OF_FAMILY.get(reference.key[0])
        if kind and reference.span.length:
            yield Token(reference.span, kind)
    special = _BY_KIND.get(facts.kind)
    if special is not None:
        yield from special(facts)


def _field_tokens(node: YamlNode | None, kinds: Mapping[str, str]) -> Iterator[Token]:
    """Yields the values of some fields of a mapping."""
    for name, kind in kinds.items():
        text = node.text(name) if node else None
        if text and text.span.length:
            yield Token(text.span, kind)


def _squad_tokens(facts: FileFacts) -> Iterator[Token]:
    squad = facts.document
    if not isinstance(squad, SquadDocument):
        return
    if squad.extends:
        yield Token(squad.extends.span, "enumMember")
    if squad.version:
        yield Token(squad.version.span, "number")
    for items in squad.components.values():
        yield from (Token(item.span, "string") for item in items)


_STATE_FIELDS = {
    "status": "enumMember",
    "target_context": "enumMember",
    "current_phase": "event",
    "current_step_index": "number",
}
_STEP_FIELDS = {"status": "enumMember", "phase": "event"}


def _state_tokens(facts: FileFacts) -> Iterator[Token]:
    state = facts.document
    if not isinstance(state, WorkflowState) or state.root is None:
        return
    yield from _field_tokens(state.root, _STATE_FIELDS)
    steps = state.root.get("steps")
    for step in steps.items if steps else ():
        yield from _field_tokens(step.target_node, _STEP_FIELDS)


def _workflow_tokens(facts: FileFacts) -> Iterator[Token]:
    workflow = facts.document
    if not isinstance(workflow, WorkflowDefinition) or workflow.root is None:
        return
    steps = workflow.root.get("sequence")
    for step in steps.items if steps else ():
        yield from _field_tokens(step.target_node, {"phase": "event", "id": "event"})


def _agent_tokens(facts: FileFacts) -> Iterator[Token]:
    agent = facts.document
    if isinstance(agent, AgentDefinition):
        yield from (Token(one.span, "function", _DEFINITION) for one in agent.commands)


def _task_tokens(facts: FileFacts) -> Iterator[Token]:
    task = facts.document
    if not isinstance(task, TaskDocument):
        return
    for text, kind in (
        (task.task, "function"),
        (task.responsible, "class"),
        (task.executor_type, "enumMember"),
    ):
        if text:
            yield Token(text.span, kind)


def _story_tokens(facts: FileFacts) -> Iterator[Token]:
    story = facts.document
    if isinstance(story, StoryDocument) and story.status_span:
        yield Token(story.status_span, "enumMember")


def _config_tokens(facts: FileFacts) -> Iterator[Token]:
    """Yields settings that are known, and the words that stand for a choice."""
    for path, place in key_positions(facts.text).items():
        names = [part for part in path if isinstance(part, str)]
        option = BY_PATH.get(".".join(names))
        if option is None:
            continue
        if len(names) == len(path):
            yield Token(place.key, "property")
        value: str = place.value.cut(facts.text)
        if option.choices and value.strip("\"'") in option.choices:
            inner = Span(place.value.start + 1, place.value.end - 1)
            yield Token(inner, "enumMember")
        elif option.kind == "paths" and isinstance(path[-1], int):
            yield Token(place.value, "string")


_BY_KIND: Mapping[FileKind, Callable[[Any], Iterator[Token]]] = {
    FileKind.SQUAD: _squad_tokens,
    FileKind.WORKFLOW_STATE: _state_tokens,
    FileKind.WORKFLOW: _workflow_tokens,
    FileKind.AGENT: _agent_tokens,
    FileKind.TASK: _task_tokens,
    FileKind.STORY: _story_tokens,
    FileKind.CONFIG: _config_tokens,
}
