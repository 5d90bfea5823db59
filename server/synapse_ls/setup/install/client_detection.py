"""This module detects which agent clients a project and its user work with, and what shows it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from synapse_ls.integrations.client_definition import USER, Client, Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS


def detect_clients(around: Surroundings, *, for_user: bool = False) -> dict[str, str]:
    """Detects the clients that are in use -> what shows it; with ``for_user`` it looks beyond
    the project only.
    """
    found = {}
    for client in CLIENTS.values():
        sign = next(_client_signs(client, around, for_user), "")
        if sign:
            found[client.name] = sign
    return found


def _client_signs(client: Client, around: Surroundings, for_user: bool) -> Iterator[str]:
    if not for_user:
        for name in client.signs:
            if (around.root / name).exists():
                yield f"the project has {name}"
    for variable in client.variables:
        if os.environ.get(variable):
            yield f"this terminal is one of {client.title}'s"
    for program in client.programs:
        if shutil.which(program):
            yield f"`{program}` is installed"
    file = client.file(USER, around)
    if file is not None and file.exists():
        yield "it has settings of the user"
