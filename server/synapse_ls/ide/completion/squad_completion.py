"""This module completes ``squad.yaml``: fields, their words, and the components that exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from synapse_ls.formats.squad_manifest import SCHEMA, SquadField
from synapse_ls.ide.completion import known_names
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer, unique_offer
from synapse_ls.ide.completion.line_context import LineContext
from synapse_ls.ide.completion.yaml_context import YamlContext, yaml_context
from synapse_ls.ide.tree_view import View
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import squad_folder_of

_BY_PATH = {field.path: field for field in SCHEMA}
_FIELD_ENDINGS = {"mapping": ":\n  ", "texts": ":\n  - ", "text": ": "}


def complete(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions at a place of a squad's manifest: what can be written there."""
    found = yaml_context(facts, place)
    if found is None:
        return None
    if found.role == "key":
        return unique_offer(found.word, _field_items(found))
    if found.role == "item":
        return unique_offer(found.word, _list_items(view, facts, found))
    return unique_offer(found.word, _word_items(_BY_PATH.get(found.path)))


def _field_items(place: YamlContext) -> Iterator[CompletionItem]:
    """Yields the fields of the schema at a place, the required ones first."""
    fields = [field for field in SCHEMA if field.path[:-1] == place.path]
    for field in sorted(fields, key=lambda field: not field.required):
        name = field.path[-1]
        if name not in place.siblings:
            opened = "" if place.has_value else _FIELD_ENDINGS[field.shape]
            indented = opened.replace("\n", "\n" + "  " * len(place.path))
            detail = "required" if field.required else field.shape
            yield CompletionItem(
                name, "key", name + indented, "", detail, ("squad", ".".join(field.path))
            )


def _word_items(field: SquadField | None) -> Iterator[CompletionItem]:
    for word in field.options if field else ():
        yield CompletionItem(word, "value", topic=("squad", ".".join(field.path) if field else ""))


def _list_items(view: View, facts: FileFacts, place: YamlContext) -> Iterable[CompletionItem]:
    """Returns the files of a component's folder, or the squads that this one can need."""
    if place.path == ("dependencies", "squads"):
        own = squad_folder_of(facts.path, view.tree.snapshot.config.paths).rpartition("/")[2]
        found = (squad for squad in known_names.squad_items(view.tree) if squad.label != own)
        return (item for item in found if item.label not in place.list_values)
    if len(place.path) == 2 and place.path[0] == "components":
        return _component_items(view, facts, place.path[1], place.list_values)
    return ()


def _component_items(
    view: View, facts: FileFacts, kind: str, taken: frozenset[str]
) -> Iterator[CompletionItem]:
    folder = f"{facts.path.rpartition('/')[0]}/{kind}"
    for path in view.tree.snapshot.paths_under(folder):
        name = path[len(folder) + 1 :]
        if name not in taken:
            yield CompletionItem(name, "file", detail=kind, topic=("file", path))
