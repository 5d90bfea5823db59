"""Completion in ``squad.yaml``: fields, their words, and the components that exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from synapse_ls.formats.squad import SCHEMA, Field
from synapse_ls.ide.completion import names
from synapse_ls.ide.completion.item import Item, Offer, offer
from synapse_ls.ide.completion.place import Here
from synapse_ls.ide.completion.yaml_place import YamlPlace, yaml_place
from synapse_ls.ide.view import View
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import squad_of

_BY_PATH = {field.path: field for field in SCHEMA}
_OPEN = {"mapping": ":\n  ", "texts": ":\n  - ", "text": ": "}


def complete(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of a squad's manifest."""
    found = yaml_place(facts, place)
    if found is None:
        return None
    if found.role == "key":
        return offer(found.word, _fields(found))
    if found.role == "item":
        return offer(found.word, _items(view, facts, found))
    return offer(found.word, _words(_BY_PATH.get(found.path)))


def _fields(place: YamlPlace) -> Iterator[Item]:
    """The fields of the schema at a place, the required ones first."""
    fields = [field for field in SCHEMA if field.path[:-1] == place.path]
    for field in sorted(fields, key=lambda field: not field.required):
        name = field.path[-1]
        if name not in place.siblings:
            opened = "" if place.has_value else _OPEN[field.shape]
            indented = opened.replace("\n", "\n" + "  " * len(place.path))
            detail = "required" if field.required else field.shape
            yield Item(name, "key", name + indented, "", detail, ("squad", ".".join(field.path)))


def _words(field: Field | None) -> Iterator[Item]:
    for word in field.options if field else ():
        yield Item(word, "value", topic=("squad", ".".join(field.path) if field else ""))


def _items(view: View, facts: FileFacts, place: YamlPlace) -> Iterable[Item]:
    """The files of a component's folder, the squads that this one can need."""
    if place.path == ("dependencies", "squads"):
        own = squad_of(facts.path, view.tree.snapshot.config.paths).rpartition("/")[2]
        found = (squad for squad in names.squads(view.tree) if squad.label != own)
        return (item for item in found if item.label not in place.values)
    if len(place.path) == 2 and place.path[0] == "components":
        return _components(view, facts, place.path[1], place.values)
    return ()


def _components(view: View, facts: FileFacts, kind: str, taken: frozenset[str]) -> Iterator[Item]:
    folder = f"{facts.path.rpartition('/')[0]}/{kind}"
    for path in view.tree.snapshot.under(folder):
        name = path[len(folder) + 1 :]
        if name not in taken:
            yield Item(name, "file", detail=kind, topic=("file", path))
