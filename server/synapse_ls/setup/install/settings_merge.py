"""Add our hooks, status line and servers to a client's settings text, and remove them.

The rest of the text is unchanged, and removing is the inverse of adding, but for lists and objects
that were empty before. A file that nobody has edited since comes back from its backup.
"""

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import Any

from synapse_ls.integrations.client_settings import (
    HOOK_SERVER_NAME,
    SERVER_NAME,
    TOML,
    Client,
    SettingsPlace,
    Surroundings,
    shown_path,
)
from synapse_ls.integrations.hook_commands import is_server_entry, is_status_line_command
from synapse_ls.integrations.settings_syntax import (
    PLACEHOLDER,
    SettingsHook,
    check_plugin,
    find_hooks,
    holds_settings,
    line_and_column,
    node_at,
    parse_settings,
    readable_settings,
)
from synapse_ls.setup.install import settings_text
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement, JsonNode, parse_jsonc
from synapse_ls.text.user_error import UserError

EMPTY_SETTINGS = "{}\n"
_TYPE_NAMES = {dict: "an object", list: "a list", str: "a text", bool: "a switch"}

STATUS_LINE_PATH = ("statusLine",)

KeyPath = tuple[str, ...]


def add_hooks(client: Client, place: SettingsPlace, text: str, name: str) -> str:
    """Return the text of a client's settings with a hook of ours for every event, older ones
    replaced. Raises UserError where the client could not read the text, or where something else
    stands in the place of the hooks.
    """
    if place.plugin:
        # The plugin with an entry for every event.
        check_plugin(text, name)
        wanted = _new_plugin(client, place)
        return text if _unix_lines(text) == wanted else wanted
    in_toml = client.syntax == TOML
    if not in_toml and not text.strip():
        text = EMPTY_SETTINGS
    if has_current_hooks(client, place, parse_settings(client, text, name)):
        return text
    if in_toml:
        text = _remove_ours(client, text, name)
        for event in client.events:
            table = settings_text.format_table(client.hook_entry(event, place.scope))
            text = settings_text.append_table(text, table, name)
        return text
    text = _remove_hooks(client, place, text, name) or EMPTY_SETTINGS
    for path, value in _client_constants(client, place).items():
        settings = parse_settings(client, text, name)
        if (node := node_at(settings, path)) is None:
            text = _add_member(settings, name, path, value)
        elif node.value != value:
            raise UserError(
                f"{name}{line_and_column(text, node.span.start)} has {'.'.join(path)} = "
                f"{text[node.span.start : node.span.end]}, which is not what the hook is written "
                "for.",
                f"Write {json.dumps(value)} there, or take it out; nothing was written.",
            )
    for event in client.events:
        for entry in client.hook_entries(event, place.scope):
            text = _append_element(client, text, name, (*client.table, event), entry)
    return text


def remove_hooks(
    client: Client, text: str, name: str, is_wanted: Callable[[SettingsHook], bool]
) -> tuple[str, tuple[str, ...]]:
    """Return the text of a client's settings without some hooks, the last one first; "" where
    nothing else was there; and the command lines that they had.
    """
    removed: list[str] = []
    while text.strip():
        settings = parse_settings(client, text, name)
        found = find_hooks(client, settings, with_replaced=True)
        if not (hooks := [hook for hook in found if is_wanted(hook)]):
            return text, tuple(removed)
        last = max(hooks, key=lambda hook: hook.offset)
        removed.insert(0, last.command)
        if client.syntax == TOML:
            text = settings_text.remove_table(text, last.path[0][1], name)
        else:
            text = _remove_hook(client, settings, last)
    return "" if removed else text, tuple(removed)


def _remove_ours(client: Client, text: str, name: str) -> str:
    return remove_hooks(client, text, name, attrgetter("is_ours"))[0]


def _new_plugin(client: Client, place: SettingsPlace) -> str:
    settings = add_hooks(client, replace(place, plugin=""), "", place.path).strip()
    return place.plugin.replace(PLACEHOLDER, PLACEHOLDER.replace("{}", settings), 1)


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def has_current_hooks(client: Client, place: SettingsPlace, document: JsoncDocument) -> bool:
    """Return whether in a client's settings every event has the hook that would be written now,
    once, and none is left over.
    """
    if place.plugin:
        return _unix_lines(document.text) == _new_plugin(client, place)
    ours = [hook for hook in find_hooks(client, document) if hook.is_ours]
    if sum(hook.is_ours for hook in find_hooks(client, document, with_replaced=True)) > len(ours):
        return False
    wanted = [
        (event, entry)
        for event in sorted(client.events)
        for entry in client.hook_entries(event, place.scope)
    ]
    values = [(hook.event, hook.path[0][1].node.value) for hook in ours]
    return sorted(values, key=itemgetter(0)) == wanted and all(
        (node := node_at(document, path)) is not None and node.value == value
        for path, value in _client_constants(client, place).items()
    )


def remove_entries(client: Client, place: SettingsPlace, text: str, name: str) -> str:
    """Return the text of a client's settings without any entry of ours; "" where nothing else is in
    it.
    """
    if place.plugin:  # all of it is ours, but not a plugin of the same name
        return "" if holds_settings(text) else text
    if client.syntax == TOML:
        return _remove_ours(client, text, name)
    for named in (SERVER_NAME, HOOK_SERVER_NAME):
        text = remove_server(client, text, name, named=named)
    if client.servers is not None and client.servers.syntax == TOML:
        return text
    if client.status_line is not None and text.strip():
        settings = parse_settings(client, text, name)
        node = node_at(settings, STATUS_LINE_PATH)
        if node is not None and _is_own_status_line(node):
            member = _member_at(settings, STATUS_LINE_PATH)
            text = _or_nothing(settings_text.remove_element(settings, settings.root, member))
    return _remove_hooks(client, place, text, name)


def remove_engines(client: Client, text: str, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of a client's settings without the hooks of other engines at the events that
    ours answers, too, and the command lines that they had.
    """
    return remove_hooks(
        client, text, name, lambda hook: bool(hook.engine) and hook.event in client.events
    )


def restore_engines(
    client: Client, text: str, name: str, before: str, replaced: Collection[str]
) -> str:
    """Return the text of a client's settings with the hooks of ``before`` back that ours stood for,
    at the end of their events.

    For a file that was edited since; where it was not, its bytes are known.
    """
    if not replaced:
        return text
    in_toml = client.syntax == TOML
    old = parse_settings(client, before if in_toml or before.strip() else EMPTY_SETTINGS, name)
    for hook in find_hooks(client, old):
        if hook.command not in replaced:
            continue
        text = text if in_toml or text.strip() else EMPTY_SETTINGS
        hooks = find_hooks(client, parse_settings(client, text, name))
        if any(hook.event == other.event and hook.commands == other.commands for other in hooks):
            continue
        element = hook.path[0][1]
        if in_toml:
            text = settings_text.append_table(text, before[element.start : element.end], name)
            continue
        entry = element.node.value
        if len(hook.path) > 1:  # a group may hold hooks of others as well
            entry = {**entry, "hooks": [hook.path[1][1].node.value]}
        text = _append_element(client, text, name, (*client.table, hook.event), entry)
    return text


def add_status_line(client: Client, place: SettingsPlace, text: str, name: str) -> str:
    """Return the text of a client's settings with our status line; one of the user's own stays as
    it is.
    """
    assert client.status_line is not None
    settings = parse_settings(client, text, name)
    node = node_at(settings, STATUS_LINE_PATH)
    wanted = client.status_line(place.scope)
    if node is None:
        return _add_member(settings, name, STATUS_LINE_PATH, wanted)
    if node.value == wanted or not _is_own_status_line(node):
        return text
    return settings_text.replace_value(settings, node, wanted)


def foreign_status_line(client: Client, scope: str, around: Surroundings) -> str:
    """Return where the settings have a status line of somebody else, which an installation leaves
    alone; "" where they have none.
    """
    if (place := client.place(scope)) is None or client.status_line is None:
        return ""
    file = client.path_of(place, around)
    document = readable_settings(client, file, around)
    node = node_at(document, STATUS_LINE_PATH)
    if document is None or node is None or _is_own_status_line(node):
        return ""
    return f"{shown_path(file, around)}{line_and_column(document.text, node.span.start)}"


def add_server(client: Client, place: SettingsPlace, text: str, name: str) -> str:
    """Return the text of a client's settings with our server; raise UserError where another one has
    its name, which stays.
    """
    assert client.servers is not None
    path, wanted = (*client.servers.table, client.servers.name), client.servers.entry(place.scope)
    if client.servers.syntax == TOML:
        return settings_text.set_table(text, path, wanted, name)
    settings = parse_settings(client, text if text.strip() else EMPTY_SETTINGS, name)
    if (node := node_at(settings, path)) is None:
        return _add_member(settings, name, path, wanted)
    if node.value == wanted:
        return text
    if not is_server_entry(node.value):
        raise UserError(
            f"{name}{line_and_column(text, node.span.start)} has another server "
            f'"{client.servers.name}", which stays.',
            "Take it out, or give it another name.",
        )
    return settings_text.replace_value(settings, node, wanted)


def find_server(
    client: Client, text: str, name: str, *, by_name: bool = False
) -> tuple[Any, int] | None:
    """Return the entry of our server in a client's settings and where it stands; None for none.
    by_name: whether whatever has its name is meant, also what starts none of ours. Raises UserError
    where the client could not read them.
    """
    if client.servers is None or not text.strip():
        return None
    path = (*client.servers.table, client.servers.name)
    if client.servers.syntax == TOML:
        table = settings_text.find_table(text, path, name)
        return table if table is not None and (by_name or is_server_entry(table[0])) else None
    node = node_at(parse_settings(client, text, name), path)
    ours = node is not None and (by_name or is_server_entry(node.value))
    return (node.value, node.span.start) if node is not None and ours else None


def remove_server(client: Client, text: str, name: str, *, named: str) -> str:
    """Return the text of a client's settings without our server of the name ``named``; "" where
    nothing else is in it.
    """
    if client.servers is None or not text.strip():
        return text
    client = replace(client, servers=replace(client.servers, name=named))
    assert client.servers is not None
    if find_server(client, text, name) is None:
        return text
    table = client.servers.table
    if client.servers.syntax == TOML:
        rest = settings_text.remove_named_table(text, (*table, named), name)
        return rest if rest.strip() else ""
    return _or_nothing(_remove_member(parse_settings(client, text, name), (*table, named)))


def _or_nothing(text: str) -> str:
    """Return the text of settings; "" where nothing is in it."""
    rest = parse_jsonc(text)
    return text if rest.root.elements or rest.comments else ""


def _is_own_status_line(node: JsonNode) -> bool:
    command = node.value.get("command") if isinstance(node.value, dict) else None
    return isinstance(command, str) and is_status_line_command(command)


def _remove_hooks(client: Client, place: SettingsPlace, text: str, name: str) -> str:
    if (rest := _remove_ours(client, text, name)) == text:
        return text
    text = rest
    constants = _client_constants(client, place)
    for path in constants:
        settings = parse_jsonc(text)
        container = node_at(settings, path[:-1])
        keys = {element.key for element in container.elements} if container else set()
        if path[-1] in keys and keys <= {constant[-1] for constant in constants}:
            text = _remove_member(settings, path)
    return _or_nothing(text)


def _remove_hook(client: Client, document: JsoncDocument, hook: SettingsHook) -> str:
    """Return the text of a client's settings without one hook: its group goes with it, and what was
    there for it alone.
    """
    container, element = hook.path[-1]
    if len(hook.path) > 1:
        if len(container.elements) > 1:
            return settings_text.remove_element(document, container, element)
        container, element = hook.path[0]
    path = (*client.table, hook.event)
    if container is not node_at(document, path):  # the event stands there again
        return settings_text.remove_element(document, container, element)
    return _prune_containers(settings_text.remove_element(document, container, element), path)


def _remove_member(document: JsoncDocument, path: KeyPath) -> str:
    """Return the text without the member at ``path``, and the containers that are empty then."""
    container = node_at(document, path[:-1])
    assert container is not None
    rest = settings_text.remove_element(document, container, _member_at(document, path))
    return _prune_containers(rest, path[:-1])


def _prune_containers(text: str, path: KeyPath) -> str:
    """Return the text without the container at ``path`` and those around it, as far as they are
    empty and hold no person's comment.
    """
    document = parse_jsonc(text)
    node = node_at(document, path)
    assert node is not None
    if not path or node.elements or settings_text.comments_in(document, node.span):
        return text
    return _remove_member(document, path)


def _client_constants(client: Client, place: SettingsPlace) -> dict[KeyPath, Any]:
    inner = {(*client.table, key): value for key, value in client.constants.items()}
    return {(key,): value for key, value in place.document_constants.items()} | inner


def _append_element(client: Client, text: str, name: str, path: KeyPath, value: Any) -> str:
    """Return the text with ``value`` at the end of the list at ``path``."""
    if node_at(settings := parse_settings(client, text, name), path) is None:
        return _add_member(settings, name, path, [value])
    container = _checked_container(settings, name, path, list)
    return settings_text.add_element(settings, container, None, value)


def _add_member(document: JsoncDocument, name: str, path: KeyPath, value: Any) -> str:
    """Return the text with a new member at ``path``, and the objects around it that are missing."""
    depth = 0
    while node_at(document, path[: depth + 1]) is not None:
        depth += 1
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    container = _checked_container(document, name, path[:depth], dict)
    return settings_text.add_element(document, container, path[depth], value)


def _checked_container(document: JsoncDocument, name: str, path: KeyPath, kind: type) -> JsonNode:
    node = node_at(document, path)
    assert node is not None
    if not isinstance(node.value, kind):
        what = f'"{".".join(path)}"' if path else "the document"
        default = "null" if node.value is None else "a number"
        raise UserError(
            f"{name}{line_and_column(document.text, node.span.start)}: {what} is "
            f"{_TYPE_NAMES.get(type(node.value), default)}, not {_TYPE_NAMES[kind]}.",
            "Mend the file; nothing was written.",
        )
    return node


def _member_at(document: JsoncDocument, path: KeyPath) -> JsonElement:
    parent = node_at(document, path[:-1])
    member = None if parent is None else parent.get(path[-1])
    assert member is not None
    return member
