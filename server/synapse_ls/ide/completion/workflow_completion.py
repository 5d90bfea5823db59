"""This module completes workflow states and workflow definitions: fields, statuses, phases, and
names of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.formats.workflow_state import (
    CONTEXTS,
    REQUIRED,
    STATUSES,
    STEP_STATUSES,
    WorkflowState,
)
from synapse_ls.ide.completion import known_names
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer, unique_offer
from synapse_ls.ide.completion.line_context import LineContext
from synapse_ls.ide.completion.yaml_context import YamlContext, yaml_context
from synapse_ls.ide.tree_view import View
from synapse_ls.workspace.file_facts import FileFacts

_STATE_FIELDS = (*REQUIRED, "current_phase", "squad_name")
_STEP_FIELDS = ("step_index", "phase", "agent", "action", "task", "status", "step_id")
_STATE_FIELDS_BY_PATH: Mapping[tuple[str, ...], tuple[str, ...]] = {
    (): _STATE_FIELDS,
    ("steps",): _STEP_FIELDS,
}
_DEFINITION_FIELDS_BY_PATH: Mapping[tuple[str, ...], tuple[str, ...]] = {
    (): ("workflow",),
    ("workflow",): ("id", "name", "type", "description", "sequence"),
    ("workflow", "sequence"): ("id", "step", "phase", "agent", "action", "task", "name"),
}


def complete(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions at a place of a workflow's state."""
    state = facts.document
    workflow = state.workflow_id if isinstance(state, WorkflowState) else ""
    return _complete_fields(view, facts, place, _STATE_FIELDS_BY_PATH, workflow)


def complete_definition(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions at a place of a workflow's definition."""
    definition = facts.document
    named = definition.id if isinstance(definition, WorkflowDefinition) else None
    return _complete_fields(
        view, facts, place, _DEFINITION_FIELDS_BY_PATH, named.value if named else ""
    )


def _complete_fields(
    view: View,
    facts: FileFacts,
    place: LineContext,
    fields: Mapping[tuple[str, ...], tuple[str, ...]],
    workflow: str,
) -> CompletionOffer | None:
    found = yaml_context(facts, place)
    if found is None:
        return None
    in_step = found.path[-1:] in (("steps",), ("sequence",))
    if found.role == "key" or (found.role == "item" and in_step):
        return unique_offer(found.word, _field_items(found, fields.get(found.path, ())))
    if found.role != "value":
        return None
    return unique_offer(found.word, _value_items(view, found, facts.text, workflow))


def _field_items(place: YamlContext, fields: Iterable[str]) -> Iterator[CompletionItem]:
    for name in fields:
        if name not in place.siblings:
            detail = "required" if name in REQUIRED and not place.path else ""
            yield CompletionItem(name, "key", name if place.has_value else f"{name}: ", "", detail)


def _value_items(
    view: View, place: YamlContext, text: str, workflow: str
) -> Iterable[CompletionItem]:
    *parents, name = place.path
    if name == "status":
        return _word_items(STEP_STATUSES if parents else STATUSES)
    if name == "target_context":
        return _word_items(CONTEXTS)
    if name in ("phase", "current_phase"):
        return known_names.state_phase_items(view.tree, workflow, place.word.cut(text))
    supplier = _SUPPLIERS.get(name)
    return supplier(view) if supplier else ()


def _word_items(words: Iterable[str]) -> Iterator[CompletionItem]:
    return (CompletionItem(word, "value") for word in words)


_SUPPLIERS: Mapping[str, Callable[[View], Iterable[CompletionItem]]] = {
    "workflow_id": lambda view: known_names.workflow_items(view.tree),
    "agent": lambda view: known_names.agent_items(view.tree),
    "squad_name": lambda view: known_names.squad_items(view.tree),
    "task": lambda view: known_names.task_items(view.tree),
}
