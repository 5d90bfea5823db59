"""Our entries in the text of a client's settings: put in, taken out, and nothing else touched.

Taking out is the inverse of putting in. What the text cannot tell is whether an empty list or
object was there before; the text of the time before the installation says that, where it is known.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.manage.clients import splice
from synapse_ls.manage.clients.client import Client, Place
from synapse_ls.manage.clients.commands import is_server, is_status_line
from synapse_ls.manage.clients.settings import Hook, document, hooks, place_of
from synapse_ls.manage.plan import ManageError
from synapse_ls.text.json import JsonError
from synapse_ls.text.jsonc import Document, Element, Node, parse

EMPTY = "{}\n"
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a switch", type(None): "null"}

STATUS_LINE = ("statusLine",)
SERVER = "synapse"
"""The name of our MCP server in a client's settings."""

Path = tuple[str, ...]


def installed(client: Client, place: Place, text: str, name: str, before: str | None) -> str:
    """``text`` with an entry for every event of ``client``, older ones of ours replaced.

    before: what ``removed`` wants. Raises ManageError where the client could not read the text, or
    where something else stands in the place of the hooks.
    """
    if not text.strip():
        text = EMPTY
    if is_current(client, place, document(client, text, name)):
        return text
    text = _without_hooks(client, place, text, name, _old(before)) or EMPTY
    for path, value in _constants(client, place).items():
        text = _set(client, text, name, path, value)
    for event in client.events:
        text = _append(client, text, name, (*client.table, event), client.entry(event, place.scope))
    return text


def fresh(client: Client, place: Place | None) -> str:
    """The settings that would be written where there are none."""
    assert place is not None
    return installed(client, place, "", place.path, "")


def is_current(client: Client, place: Place, found: Document) -> bool:
    """Whether every event has the entry that would be written now, once, and none is left over."""
    ours = [hook for hook in hooks(client, found) if hook.ours]
    wanted = {event: client.entry(event, place.scope) for event in client.events}
    values = {hook.event: hook.path[0][1].node.value for hook in ours}
    return (
        len(ours) == len(wanted)
        and values == wanted
        and all(_value(found, path) == value for path, value in _constants(client, place).items())
    )


def removed(client: Client, place: Place, text: str, name: str, before: str | None) -> str:
    """``text`` without any entry of ours; "" where nothing but what we brought was in it.

    before: the text before the first installation, "" where there was no file, None where that is
    not known.
    """
    old = _old(before)
    text = _without_status_line(client, text, name, old)
    text = _without_server(client, text, name, old)
    return _without_hooks(client, place, text, name, old)


def with_status_line(client: Client, place: Place, text: str, name: str) -> str:
    """``text`` with our status line; one of the user's own stays as it is."""
    assert client.status_line is not None
    found = document(client, text, name)
    there = _node(found, STATUS_LINE)
    wanted = client.status_line(place.scope)
    if there is None:
        return _put(found, name, STATUS_LINE, wanted)
    if there.value == wanted:
        return text
    return splice.replaced(found, there, wanted) if _is_status_line(there) else text


def other_status_line(found: Document) -> Node | None:
    """The status line of somebody else in a client's settings."""
    there = _node(found, STATUS_LINE)
    return None if there is None or _is_status_line(there) else there


def with_server(client: Client, place: Place, text: str, name: str) -> str:
    """``text`` with our MCP server; ManageError where another one has its name, which stays."""
    assert client.servers is not None
    found = document(client, text if text.strip() else EMPTY, name)
    path = (*client.servers.table, SERVER)
    there, wanted = _node(found, path), client.servers.entry(place.scope)
    if there is None:
        return _put(found, name, path, wanted)
    if there.value == wanted:
        return text
    if not is_server(there.value):
        raise ManageError(
            f'{name}{place_of(text, there.span.start)} has another server "{SERVER}", which stays.',
            "Give it another name.",
        )
    return splice.replaced(found, there, wanted)


def server_node(client: Client, found: Document) -> Node | None:
    """Our MCP server in a client's settings."""
    node = None if client.servers is None else _node(found, (*client.servers.table, SERVER))
    return node if node is not None and is_server(node.value) else None


def _without_server(client: Client, text: str, name: str, old: Document | None) -> str:
    if client.servers is None or not text.strip():
        return text
    found = document(client, text, name)
    if server_node(client, found) is None:
        return text
    table = client.servers.table
    left = _pruned(_dropped(found, table, _member(found, (*table, SERVER)), old), table, old)
    bare = parse(left)
    return left if bare.root.elements or bare.comments or old is not None else ""


def _without_status_line(client: Client, text: str, name: str, old: Document | None) -> str:
    if client.status_line is None or not text.strip():
        return text
    found = document(client, text, name)
    there = _node(found, STATUS_LINE)
    if there is None or not _is_status_line(there):
        return text
    left = _dropped(found, (), _member(found, STATUS_LINE), old)
    bare = parse(left)
    return left if bare.root.elements or bare.comments or old is not None else ""


def _is_status_line(node: Node) -> bool:
    command = node.value.get("command") if isinstance(node.value, dict) else None
    return isinstance(command, str) and is_status_line(command)


def _without_hooks(client: Client, place: Place, text: str, name: str, old: Document | None) -> str:
    touched = False
    while text.strip():
        found = document(client, text, name)
        hook = next((hook for hook in hooks(client, found) if hook.ours), None)
        if hook is None:
            break
        touched = True
        text = without_hook(client, found, hook, old)
    if not touched:
        return text
    for path in _constants(client, place):
        if _is_left_over(client, place, parse(text), path, old):
            found = parse(text)
            text = _dropped(found, path[:-1], _member(found, path), old)
            text = _pruned(text, path[:-1], old)
    rest = parse(text)
    bare = not rest.root.elements and not rest.comments
    return "" if bare and old is None else text


def without_hook(client: Client, found: Document, hook: Hook, old: Document | None = None) -> str:
    """The text without one hook: its group goes with it, and what was there for it alone."""
    container, element = hook.path[-1]
    if len(hook.path) > 1:
        if len(container.elements) > 1:
            return splice.removed(found, container, element)
        _, element = hook.path[0]
    path = (*client.table, hook.event)
    return _pruned(_dropped(found, path, element, old), path, old)


def _dropped(found: Document, path: Path, element: Element, old: Document | None) -> str:
    """The text without ``element`` of the container at ``path``; an empty one is as it was before."""
    container = _node(found, path)
    assert container is not None
    was = _node(old, path)
    if len(container.elements) == 1 and old is not None and was is not None and not was.elements:
        inner = splice.inner_text(old, was)
        if not splice.has_comments(found, container) or splice.has_comments(old, was):
            return splice.emptied(found, container, inner)
    return splice.removed(found, container, element)


def _pruned(text: str, path: Path, old: Document | None) -> str:
    """The text without the container at ``path`` and those around it, as far as they are empty,
    were not there before and hold no person's comment."""
    while path:
        found = parse(text)
        node = _node(found, path)
        assert node is not None
        if node.elements or splice.has_comments(found, node) or _node(old, path) is not None:
            break
        text = _dropped(found, path[:-1], _member(found, path), old)
        path = path[:-1]
    return text


def _is_left_over(
    client: Client, place: Place, found: Document, path: Path, old: Document | None
) -> bool:
    """Whether a constant is of no use to anybody, now that our hooks are gone."""
    if _node(found, path) is None or _node(old, path) is not None:
        return False
    ours = {path[-1] for path in _constants(client, place)}
    container = _node(found, path[:-1])
    assert container is not None
    if {element.key for element in container.elements} <= ours:
        return True
    return old is not None and _others(client, found) == _others(client, old)


def _others(client: Client, found: Document) -> dict[str, Any]:
    """What stands in the table of hooks beside our constants."""
    table = _value(found, client.table) or {}
    return {key: value for key, value in table.items() if key not in client.constants}


def _constants(client: Client, place: Place) -> dict[Path, Any]:
    inner = {(*client.table, key): value for key, value in client.constants.items()}
    return {(key,): value for key, value in place.constants.items()} | inner


def _set(client: Client, text: str, name: str, path: Path, value: Any) -> str:
    """The text with the member at ``path``, which stays where it says the same already."""
    found = document(client, text, name)
    there = _node(found, path)
    if there is None:
        return _put(found, name, path, value)
    if there.value == value:
        return text
    raise ManageError(
        f"{name}{place_of(text, there.span.start)} has {'.'.join(path)} = "
        f"{text[there.span.start : there.span.end]}, which is not what the hook is written for.",
        "Look at the file; nothing was written.",
    )


def _append(client: Client, text: str, name: str, path: Path, value: Any) -> str:
    """The text with ``value`` at the end of the list at ``path``."""
    found = document(client, text, name)
    if _node(found, path) is None:
        return _put(found, name, path, [value])
    return splice.added(found, _container(found, name, path, list), None, value)


def _put(found: Document, name: str, path: Path, value: Any) -> str:
    """The text with a new member at ``path``, and the objects around it that are missing."""
    depth = 0
    while _node(found, path[: depth + 1]) is not None:
        depth += 1
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return splice.added(found, _container(found, name, path[:depth], dict), path[depth], value)


def _container(found: Document, name: str, path: Path, kind: type) -> Node:
    node = _node(found, path)
    assert node is not None
    if not isinstance(node.value, kind):
        what = f'"{".".join(path)}"' if path else "the document"
        raise ManageError(
            f"{name}{place_of(found.text, node.span.start)}: {what} is "
            f"{_KINDS.get(type(node.value), 'a number')}, not {_KINDS[kind]}.",
            "Mend the file; nothing was written.",
        )
    return node


def _node(found: Document | None, path: Path) -> Node | None:
    node = None if found is None else found.root
    for key in path:
        member = node.get(key) if node is not None and isinstance(node.value, dict) else None
        node = None if member is None else member.node
    return node


def _member(found: Document, path: Path) -> Element:
    parent = _node(found, path[:-1])
    member = None if parent is None else parent.get(path[-1])
    assert member is not None
    return member


def _value(found: Document, path: Path) -> Any:
    node = _node(found, path)
    return None if node is None else node.value


def _old(before: str | None) -> Document | None:
    """The settings before the installation; None where there were none or nobody knows."""
    try:
        return parse(before) if before and before.strip() else None
    except JsonError:
        return None
