"""Settings of a client's own that keep hooks from running."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synapse_ls.manage.clients.client import Surroundings, Trouble, shown
from synapse_ls.text.json import JsonError
from synapse_ls.text.jsonc import Document, Node, parse
from synapse_ls.text.lines import LineIndex

if TYPE_CHECKING:
    from synapse_ls.manage.clients.client import Client


def off(
    client: Client, file: Path, around: Surroundings, path: tuple[str, ...], *, when: bool
) -> Iterator[Trouble]:
    """A trouble where the setting ``path`` of a file has the value ``when``."""
    document = _document(file)
    node = _node(document, path)
    if document is None or node is None or node.value is not when:
        return
    name = shown(file, around)
    line = LineIndex(document.text).line_of(node.span.start) + 1
    said = f"{name}:{line} switches hooks off ({'.'.join(path)} is {str(when).lower()})"
    yield Trouble("hooks-off", "error", client.name, said, "Take that setting out.", name, line)


def named(
    client: Client, file: Path, around: Surroundings, path: tuple[str, ...], name: str
) -> Iterator[Trouble]:
    """A trouble where the list ``path`` of a file has our name in it."""
    document = _document(file)
    node = _node(document, path)
    for element in node.elements if node is not None else ():
        if document is not None and element.node.value == name:
            shown_name = shown(file, around)
            line = LineIndex(document.text).line_of(element.start) + 1
            said = f'{shown_name}:{line} switches the hook "{name}" off ({".".join(path)})'
            remedy = f'Take "{name}" out of that list.'
            yield Trouble("hooks-off", "error", client.name, said, remedy, shown_name, line)


def value(file: Path, path: tuple[str, ...]) -> Any:
    """What a settings file says at ``path``; None where it does not, or cannot be read."""
    node = _node(_document(file), path)
    return None if node is None else node.value


def _document(file: Path) -> Document | None:
    try:
        return parse(file.read_text("utf-8-sig"))
    except (OSError, ValueError, JsonError):
        return None


def _node(document: Document | None, path: tuple[str, ...]) -> Node | None:
    node = None if document is None else document.root
    for key in path:
        member = node.get(key) if node is not None and isinstance(node.value, dict) else None
        node = member.node if member is not None else None
    return node
