"""This module reports which clients that call the hook ask the guard as well, and so what the guard
does here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.guard.agent_action import OFF
from synapse_ls.integrations.client_definition import USER, Client, Surroundings
from synapse_ls.integrations.client_registrations import registered_events
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.queries.guard_report import MODE_EFFECTS, describe_guarding, describe_mode
from synapse_ls.storage.trusted_trees import is_trusted

YES, PARTLY, UNTRUSTED, NO, CANNOT = "yes", "partly", "untrusted", "no", "cannot"

_ASKING = (YES, PARTLY)
# How a client asks the guard -> what is said of one such client, and of several.
_CLAUSES = {
    PARTLY: ("asks it about some tools only", "ask it about some tools only"),
    UNTRUSTED: (
        "asks it once this tree is trusted (`synapse trust`)",
        "ask it once this tree is trusted (`synapse trust`)",
    ),
    NO: ("does not ask it", "do not ask it"),
    CANNOT: ("cannot ask it", "cannot ask it"),
}


@dataclass(frozen=True, kw_only=True)
class GuardClient:
    """A client in a report that calls the hook, and whether it `asks` the guard before a tool is
    used: "yes", "partly" (about some tools), "untrusted" (not before this tree is trusted), "no", or
    "cannot".
    """

    client: str
    asks: str


@dataclass(frozen=True, slots=True)
class RegisteredHooks:
    """RegisteredHooks are the settings files that register the hook, by the names that people know,
    and the clients that call it, for the report of the guard.
    """

    files: tuple[str, ...]
    clients: tuple[GuardClient, ...]


def registered_hooks(root: str) -> RegisteredHooks:
    """Returns what registers the hook for a tree, of the project and of the user, for reports."""
    around = Surroundings.of_process(root)
    files: list[str] = []
    events: dict[Path, Set[str]] = {}
    for file, name, found in registered_events(around):
        files.append(name)
        events[file] = found
    return RegisteredHooks(tuple(files), tuple(_guard_clients(around, events)) if files else ())


def _guard_clients(around: Surroundings, events: Mapping[Path, Set[str]]) -> Iterator[GuardClient]:
    """Yields the clients that read one of the files that register the hook for some ``events``."""
    trusts = is_trusted(str(around.root))
    for client in CLIENTS.values():
        heard, later = set[str](), set[str]()
        for place in client.places:
            found = events.get(client.path_of(place, around), frozenset())
            if found and not client.is_of_user(place, around):
                (heard if trusts or place.scope != USER else later).update(found)
        if heard or later:
            yield GuardClient(client=client.name, asks=_how_it_asks(client, heard, later))


def _how_it_asks(client: Client, heard: Set[str], later: Set[str]) -> str:
    """Returns how a client asks the guard; ``heard`` are the events that the hook answers here,
    ``later`` those that it answers once the tree is trusted.
    """
    wanted = frozenset(client.tool_events)
    if not wanted:
        return CANNOT
    if wanted <= heard:
        return YES
    if wanted <= heard | later:
        return UNTRUSTED
    return PARTLY if wanted & heard else NO


def describe_effect(mode: str, clients: Collection[GuardClient]) -> str:
    """Returns, for the report of the guard, what it does in a mode with the clients that call the
    hook, in a few words.
    """
    if mode == OFF or (clients and all(one.asks == YES for one in clients)):
        return describe_mode(mode)
    if not clients:
        return f"set to {mode}, but no client that asks it is registered"
    clauses = [
        f"{_join_names(names)} {many if len(names) > 1 else one}"
        for how, (one, many) in _CLAUSES.items()
        if (names := _titles(clients, (how,)))
    ]
    asking = _titles(clients, _ASKING)
    if not asking:
        return f"set to {mode}, but nobody is {describe_guarding(mode)}: {'; '.join(clauses)}"
    verb, effect = MODE_EFFECTS[mode]
    return "; ".join((f"{verb} in {_join_names(asking)}: {effect}", *clauses))


def _titles(clients: Collection[GuardClient], ways: Collection[str]) -> list[str]:
    return [CLIENTS[one.client].title for one in clients if one.asks in ways]


def _join_names(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
