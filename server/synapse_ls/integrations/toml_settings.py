"""This module turns the ``[[hooks]]`` tables of a client's TOML settings into the tree that hooks
are found in.

Such a table names its event itself, ``event = "..."``; in the tree it stands in the list of that event, as
in settings of JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synapse_ls.formats.toml_document import KeyPosition, TomlPath, key_positions, load_toml
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement, JsonNode
from synapse_ls.text.span import Span

TABLE = "hooks"


def build_hook_tree(text: str, settings: Mapping[str, Any]) -> JsoncDocument:
    """Returns the hooks of TOML settings, ``text`` with the content ``settings``, as an object that
    holds a list for each event.

    The span of a hook begins where the line of its header does and ends behind its last value.
    """
    places = key_positions(text)
    tables = settings.get(TABLE)
    found: dict[str, list[JsonElement]] = {}
    for number, hook in enumerate(tables if isinstance(tables, list) else ()):
        event = hook.get("event") if isinstance(hook, dict) else None
        if isinstance(event, str) and (TABLE, number) in places:
            node = _hook_node(text, places, number, hook)
            found.setdefault(event, []).append(JsonElement("", node.span.start, node, -1))
    whole = Span(0, len(text))
    lists = tuple(
        JsonElement(event, hooks[0].start, _list_node(hooks), -1) for event, hooks in found.items()
    )
    table = JsonNode(whole, {one.key: one.node.value for one in lists}, lists)
    root = JsonNode(whole, {TABLE: table.value}, (JsonElement(TABLE, 0, table, -1),))
    return JsoncDocument(text, root, (), ())


def find_table_start(text: str) -> int:
    """Returns where the key that holds the hooks stands first in TOML settings, the end of the text
    for nowhere.
    """
    place = key_positions(text).get((TABLE,))
    return len(text) if place is None else place.key.start


def _list_node(hooks: list[JsonElement]) -> JsonNode:
    span = Span(hooks[0].start, hooks[-1].end)
    return JsonNode(span, [hook.node.value for hook in hooks], tuple(hooks))


def _hook_node(
    text: str, places: Mapping[TomlPath, KeyPosition], number: int, hook: dict[str, Any]
) -> JsonNode:
    head = places[TABLE, number].value
    members = [
        JsonElement(key, place.key.start, JsonNode(place.value, value), -1)
        for key, value in hook.items()
        # A table inside has one place for both, and may stand anywhere below.
        if (place := places.get((TABLE, number, key))) is not None and place.key != place.value
    ]
    members.sort(key=lambda member: member.start)
    has_header = places[TABLE,].key == places[TABLE,].value
    start = text.rfind("\n", 0, head.start) + 1 if has_header else head.start
    end = max([head.end, *(member.end for member in members)])
    return JsonNode(Span(start, end), hook, tuple(members))


def load_settings(text: str) -> dict[str, Any]:
    """Returns what the settings of a client in TOML say; raises ValueError where they are no TOML,
    or are beyond the limits of `load_toml`.
    """
    data, problem = load_toml(text, "The file", "nothing is read")
    if problem is not None:
        raise ValueError(problem.message)
    return data
