"""Completion in the state of a workflow, and in a workflow's definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from synapse_ls.formats.workflow import WorkflowDefinition
from synapse_ls.formats.workflow_state import (
    CONTEXTS,
    REQUIRED,
    STATUSES,
    STEP_STATUSES,
    WorkflowState,
)
from synapse_ls.ide.completion import names
from synapse_ls.ide.completion.item import Item, Offer, offer
from synapse_ls.ide.completion.place import Here
from synapse_ls.ide.completion.yaml_place import YamlPlace, yaml_place
from synapse_ls.ide.view import View
from synapse_ls.workspace.facts import FileFacts

_STATE_FIELDS = (*REQUIRED, "current_phase", "squad_name")
_STEP_FIELDS = ("step_index", "phase", "agent", "action", "task", "status", "step_id")
_FIELDS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    (): _STATE_FIELDS,
    ("steps",): _STEP_FIELDS,
}
_DEFINITION_FIELDS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    (): ("workflow",),
    ("workflow",): ("id", "name", "type", "description", "sequence"),
    ("workflow", "sequence"): ("id", "step", "phase", "agent", "action", "task", "name"),
}


def complete(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of a workflow's state."""
    state = facts.document
    workflow = state.workflow_id if isinstance(state, WorkflowState) else ""
    return _complete(view, facts, place, _FIELDS, workflow)


def complete_definition(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of a workflow's definition."""
    definition = facts.document
    named = definition.id if isinstance(definition, WorkflowDefinition) else None
    return _complete(view, facts, place, _DEFINITION_FIELDS, named.value if named else "")


def _complete(
    view: View,
    facts: FileFacts,
    place: Here,
    fields: Mapping[tuple[str, ...], tuple[str, ...]],
    workflow: str,
) -> Offer | None:
    found = yaml_place(facts, place)
    if found is None:
        return None
    in_step = found.path[-1:] in (("steps",), ("sequence",))
    if found.role == "key" or (found.role == "item" and in_step):
        return offer(found.word, _keys(found, fields.get(found.path, ())))
    if found.role != "value":
        return None
    return offer(found.word, _values(view, found, facts.text, workflow))


def _keys(place: YamlPlace, fields: Iterable[str]) -> Iterator[Item]:
    for name in fields:
        if name not in place.siblings:
            detail = "required" if name in REQUIRED and not place.path else ""
            yield Item(name, "key", name if place.has_value else f"{name}: ", "", detail)


def _values(view: View, place: YamlPlace, text: str, workflow: str) -> Iterable[Item]:
    *parents, name = place.path
    if name == "status":
        return _words(STEP_STATUSES if parents else STATUSES)
    if name == "target_context":
        return _words(CONTEXTS)
    if name in ("phase", "current_phase"):
        return names.state_phases(view.tree, workflow, place.word.cut(text))
    supplier = _NAMES.get(name)
    return supplier(view) if supplier else ()


def _words(words: Iterable[str]) -> Iterator[Item]:
    return (Item(word, "value") for word in words)


_NAMES: Mapping[str, Callable[[View], Iterable[Item]]] = {
    "workflow_id": lambda view: names.workflows(view.tree),
    "agent": lambda view: names.agents(view.tree),
    "squad_name": lambda view: names.squads(view.tree),
    "task": lambda view: names.tasks(view.tree),
}
