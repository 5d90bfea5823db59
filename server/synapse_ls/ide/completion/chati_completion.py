"""This module completes the YAML files of Chati.dev: fields and words of their schemas, and names
of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from synapse_ls.formats.chati import config_file, domain_file, session_file, task_file
from synapse_ls.formats.chati.field_schema import SchemaField
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer, unique_offer
from synapse_ls.ide.completion.line_context import LineContext
from synapse_ls.ide.completion.yaml_context import YamlContext, yaml_context
from synapse_ls.ide.tree_view import View
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.systems.chati_tree import ChatiTree

Fields = tuple[SchemaField, ...]

_TASKS = (
    SchemaField("tasks", "list", fields=task_file.DEFINITION_FIELDS),
    *task_file.DEFINITION_FIELDS,
)
_WORKFLOW = (
    SchemaField(
        "workflow", "mapping", fields=(SchemaField("id"), SchemaField("name"), SchemaField("type"))
    ),
    SchemaField(
        "phases",
        "list",
        fields=(
            SchemaField("phase"),
            SchemaField("name"),
            SchemaField("category", words=("PLANNING", "BUILD", "DEPLOY")),
            SchemaField(
                "sequence",
                "list",
                fields=(SchemaField("agent"), SchemaField("action"), SchemaField("notes")),
            ),
        ),
    ),
)
_FIELDS_BY_KIND: Mapping[FileKind, Fields] = {
    FileKind.CHATI_SESSION: session_file.FIELDS,
    FileKind.CHATI_CONFIG: config_file.FIELDS,
    FileKind.CHATI_DOMAIN: domain_file.FIELDS,
    FileKind.CHATI_WORKFLOW: _WORKFLOW,
    FileKind.CHATI_TASKS: _TASKS,
}


def complete(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions at a place of a Chati.dev file."""
    found = yaml_context(facts, place)
    if found is None:
        return None
    fields = _fields_at(_FIELDS_BY_KIND[facts.kind], found.path)
    if found.role == "key" or (found.role == "item" and fields):
        return unique_offer(
            found.word, [*_field_items(found, fields), *_agent_key_items(view, facts, found)]
        )
    return unique_offer(found.word, _value_items(view, facts, found))


def _fields_at(fields: Fields, path: tuple[str, ...]) -> Fields:
    """Returns the fields of the mapping at ``path``; below a mapping by names those of each of its
    values.
    """
    if not path:
        return fields
    field = next((field for field in fields if field.name == path[0]), None)
    if field is None:
        return ()
    return (
        _fields_at(field.value_fields, path[2:])
        if field.value_fields and path[1:]
        else _fields_at(field.fields, path[1:])
    )


def _field_items(place: YamlContext, fields: Fields) -> Iterator[CompletionItem]:
    for field in fields:
        if field.name not in place.siblings:
            detail = "required" if field.required else ""
            insert = field.name if place.has_value else f"{field.name}: "
            yield CompletionItem(field.name, "key", insert, "", detail)


def _agent_key_items(view: View, facts: FileFacts, place: YamlContext) -> Iterator[CompletionItem]:
    """Yields the agents, which are the keys below ``agents`` of a session."""
    if facts.kind is FileKind.CHATI_SESSION and place.path == ("agents",):
        for name in ChatiTree(view.tree).agents:
            if name not in place.siblings:
                yield CompletionItem(name, "agent", name if place.has_value else f"{name}: ")


def _value_items(view: View, facts: FileFacts, place: YamlContext) -> Iterator[CompletionItem]:
    if not place.path:
        return
    *parents, name = place.path
    field = next(
        (
            field
            for field in _fields_at(_FIELDS_BY_KIND[facts.kind], tuple(parents))
            if field.name == name
        ),
        None,
    )
    if field is not None and field.types == "flag":
        yield from (CompletionItem(word, "value") for word in ("true", "false"))
    if field is not None:
        yield from (
            CompletionItem(word, "value") for word in field.words if word not in place.list_values
        )
    supplier = _SUPPLIERS.get((facts.kind, name))
    if supplier:
        yield from (
            item for item in supplier(ChatiTree(view.tree)) if item.label not in place.list_values
        )


def _agent_items(tree: ChatiTree) -> Iterable[CompletionItem]:
    return (CompletionItem(name, "agent") for name in tree.agents)


def _handoff_items(tree: ChatiTree) -> Iterable[CompletionItem]:
    return (CompletionItem(path, "file", detail=agent) for agent, path in tree.handoffs.items())


def _workflow_items(tree: ChatiTree) -> Iterable[CompletionItem]:
    return (CompletionItem(name, "workflow") for name in tree.workflows)


_SUPPLIERS: Mapping[tuple[FileKind, str], Callable[[ChatiTree], Iterable[CompletionItem]]] = {
    (FileKind.CHATI_SESSION, "current_agent"): _agent_items,
    (FileKind.CHATI_SESSION, "completed_agents"): _agent_items,
    (FileKind.CHATI_SESSION, "last_handoff"): _handoff_items,
    (FileKind.CHATI_SESSION, "workflow"): _workflow_items,
    (FileKind.CHATI_WORKFLOW, "agent"): _agent_items,
    (FileKind.CHATI_DOMAIN, "steps"): _agent_items,
}
