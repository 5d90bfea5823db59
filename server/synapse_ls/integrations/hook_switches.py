"""This module finds settings of a client's own that switch hooks off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synapse_ls.integrations.client_definition import Surroundings, Trouble, shown_path
from synapse_ls.text.fast_json import JsonError
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonNode, parse_jsonc
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.regular_files import read_whole

if TYPE_CHECKING:
    from synapse_ls.integrations.client_definition import Client


def find_off_switch(
    client: Client, file: Path, around: Surroundings, path: tuple[str, ...], *, when: bool
) -> Iterator[Trouble]:
    """Yields a trouble where a client's own setting at ``path`` has the value ``when``, which
    switches hooks off.
    """
    document = _read_document(file)
    node = _node_at(document, path)
    if document is None or node is None or node.value is not when:
        return
    name = shown_path(file, around)
    line = LineIndex(document.text).line_of(node.span.start) + 1
    said = f"{name}:{line} switches hooks off ({'.'.join(path)} is {str(when).lower()})"
    yield Trouble("hooks-off", "error", client.name, said, "Take that setting out.", name, line)


def find_disabled_name(
    client: Client, file: Path, around: Surroundings, path: tuple[str, ...], name: str
) -> Iterator[Trouble]:
    """Yields a trouble where a client's list at ``path`` has our name in it, which switches our
    hook off.
    """
    document = _read_document(file)
    node = _node_at(document, path)
    for element in node.elements if node is not None else ():
        if document is not None and element.node.value == name:
            shown_name = shown_path(file, around)
            line = LineIndex(document.text).line_of(element.start) + 1
            said = f'{shown_name}:{line} switches the hook "{name}" off ({".".join(path)})'
            remedy = f'Take "{name}" out of that list.'
            yield Trouble("hooks-off", "error", client.name, said, remedy, shown_name, line)


def setting_value(file: Path, path: tuple[str, ...]) -> Any:
    """Returns what a settings file says at ``path``, where hooks may be switched off; None where it
    does not, or cannot be read.
    """
    node = _node_at(_read_document(file), path)
    return None if node is None else node.value


def _read_document(file: Path) -> JsoncDocument | None:
    try:
        return parse_jsonc(read_whole(file).decode("utf-8-sig"))
    except (OSError, ValueError, JsonError):
        return None


def _node_at(document: JsoncDocument | None, path: tuple[str, ...]) -> JsonNode | None:
    node = None if document is None else document.root
    for key in path:
        member = node.get(key) if node is not None and isinstance(node.value, dict) else None
        node = member.node if member is not None else None
    return node
