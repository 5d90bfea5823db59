"""Which clients a project and its user work with, and what shows it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from synapse_ls.manage.clients.client import USER, Client, Surroundings
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.configuration import configured


def detected(around: Surroundings, *, for_user: bool = False) -> dict[str, str]:
    """The clients that are in use -> what shows it; ``for_user`` looks beyond the project only."""
    found = {}
    for client in CLIENTS.values():
        sign = next(_signs(client, around, for_user), "")
        if sign:
            found[client.name] = sign
    return found


def _signs(client: Client, around: Surroundings, for_user: bool) -> Iterator[str]:
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


def guard_mode(around: Surroundings) -> str:
    """What the guard of the project's tree is set to; that of a new tree where there is none."""
    return configured(around.root).config.guard.mode


def is_found(around: Surroundings, path: str | None = None) -> bool:
    """Whether the shared command line finds ``synapse``, on the search path or in ``.venv``."""
    return (around.root / ".venv/bin/synapse").exists() or bool(shutil.which("synapse", path=path))
