"""Completion in the YAML files of Chati.dev: fields and words of their tables, and names of the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from synapse_ls.formats.chati import config, domain, session, task
from synapse_ls.formats.chati.schema import Field
from synapse_ls.ide.completion.item import Item, Offer, offer
from synapse_ls.ide.completion.place import Here
from synapse_ls.ide.completion.yaml_place import YamlPlace, yaml_place
from synapse_ls.ide.view import View
from synapse_ls.workspace.chati_tree import ChatiTree
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind

Fields = tuple[Field, ...]

_TASKS = (Field("tasks", "list", fields=task.DEFINITION), *task.DEFINITION)
_WORKFLOW = (
    Field("workflow", "mapping", fields=(Field("id"), Field("name"), Field("type"))),
    Field(
        "phases",
        "list",
        fields=(
            Field("phase"),
            Field("name"),
            Field("category", words=("PLANNING", "BUILD", "DEPLOY")),
            Field("sequence", "list", fields=(Field("agent"), Field("action"), Field("notes"))),
        ),
    ),
)
_FIELDS: Mapping[FileKind, Fields] = {
    FileKind.CHATI_SESSION: session.FIELDS,
    FileKind.CHATI_CONFIG: config.FIELDS,
    FileKind.CHATI_DOMAIN: domain.FIELDS,
    FileKind.CHATI_WORKFLOW: _WORKFLOW,
    FileKind.CHATI_TASKS: _TASKS,
}


def complete(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of one of these files."""
    found = yaml_place(facts, place)
    if found is None:
        return None
    fields = _at(_FIELDS[facts.kind], found.path)
    if found.role == "key" or (found.role == "item" and fields):
        return offer(found.word, [*_keys(found, fields), *_named_keys(view, facts, found)])
    return offer(found.word, _values(view, facts, found))


def _at(fields: Fields, path: tuple[str, ...]) -> Fields:
    """The fields of the mapping at ``path``; below a mapping by names those of each of its values."""
    if not path:
        return fields
    field = next((field for field in fields if field.name == path[0]), None)
    if field is None:
        return ()
    return _at(field.every, path[2:]) if field.every and path[1:] else _at(field.fields, path[1:])


def _keys(place: YamlPlace, fields: Fields) -> Iterator[Item]:
    for field in fields:
        if field.name not in place.siblings:
            detail = "required" if field.required else ""
            insert = field.name if place.has_value else f"{field.name}: "
            yield Item(field.name, "key", insert, "", detail)


def _named_keys(view: View, facts: FileFacts, place: YamlPlace) -> Iterator[Item]:
    """Below ``agents`` of a session the keys are agents."""
    if facts.kind is FileKind.CHATI_SESSION and place.path == ("agents",):
        for name in ChatiTree(view.tree).agents:
            if name not in place.siblings:
                yield Item(name, "agent", name if place.has_value else f"{name}: ")


def _values(view: View, facts: FileFacts, place: YamlPlace) -> Iterator[Item]:
    if not place.path:
        return
    *parents, name = place.path
    field = next(
        (field for field in _at(_FIELDS[facts.kind], tuple(parents)) if field.name == name), None
    )
    if field is not None and field.holds == "flag":
        yield from (Item(word, "value") for word in ("true", "false"))
    if field is not None:
        yield from (Item(word, "value") for word in field.words if word not in place.values)
    supplier = _NAMES.get((facts.kind, name))
    if supplier:
        yield from (
            item for item in supplier(ChatiTree(view.tree)) if item.label not in place.values
        )


def _agents(tree: ChatiTree) -> Iterable[Item]:
    return (Item(name, "agent") for name in tree.agents)


def _handoffs(tree: ChatiTree) -> Iterable[Item]:
    return (Item(path, "file", detail=agent) for agent, path in tree.handoffs.items())


def _workflows(tree: ChatiTree) -> Iterable[Item]:
    return (Item(name, "workflow") for name in tree.workflows)


_NAMES: Mapping[tuple[FileKind, str], Callable[[ChatiTree], Iterable[Item]]] = {
    (FileKind.CHATI_SESSION, "current_agent"): _agents,
    (FileKind.CHATI_SESSION, "completed_agents"): _agents,
    (FileKind.CHATI_SESSION, "last_handoff"): _handoffs,
    (FileKind.CHATI_SESSION, "workflow"): _workflows,
    (FileKind.CHATI_WORKFLOW, "agent"): _agents,
    (FileKind.CHATI_DOMAIN, "steps"): _agents,
}
