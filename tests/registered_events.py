"""The events that agent clients send: those that `synapse install` registers, and no other."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from synapse_ls.integrations.client_settings import Surroundings
from synapse_ls.integrations.hook_event import KINDS_BY_NAME, Event, fold_name
from synapse_ls.integrations.hook_registrations import find_registrations
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install.hook_installation import plan_installation

MARK = "unregistered_events"
"""The mark of a test about events that no installation registers."""


class Gate:
    """Lets the events of the test that runs pass. is_open: all of them, since it has the mark."""

    is_open = False


@cache
def registered_events(name: str) -> frozenset[str]:
    """The events in the settings that an installation for a client writes, with the guard's, as
    `_fold` spells them: VS Code reads the file of Copilot CLI, and has its own names for them.
    """
    client = CLIENTS[name]
    with TemporaryDirectory() as folder:
        around = Surroundings(Path(folder, "project"), Path(folder, "home"))
        for change in plan_installation(around, [client], client.scopes[0], guard=True):
            change.file.parent.mkdir(parents=True, exist_ok=True)
            change.file.write_bytes(change.after or b"")
        found = frozenset(_fold(hook.event) for hook in find_registrations(around, client))
    assert found, name
    return found


def _fold(event: str) -> str:
    return fold_name(event).replace("submitted", "submit")


@cache
def registered_kinds() -> frozenset[str]:
    """The kinds of all events that any client is asked for."""
    return frozenset(KINDS_BY_NAME[event] for name in CLIENTS for event in registered_events(name))


def check_is_registered(client: str, event: Event) -> None:
    """Fail the test that fires an event for which no installation asks its client."""
    if client in CLIENTS:
        is_registered = _fold(event.name) in registered_events(client)
    else:  # a client of the tests, or one that nobody has a definition of
        is_registered = event.kind in registered_kinds()
    if not (is_registered or Gate.is_open):
        pytest.fail(f"{event.name} is fired, which `synapse install` does not register: {client}")
