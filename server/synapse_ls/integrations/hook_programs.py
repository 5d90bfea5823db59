"""This module finds out whether what a registered hook calls can be started at all."""

from __future__ import annotations

import os

from synapse_ls.integrations.client_definition import PROJECT, Surroundings
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.integrations.registered_lines import CURRENT
from synapse_ls.integrations.settings_files import Registration, missing_programs
from synapse_ls.storage.program_search import find_program

INSTALL_REMEDY = (
    f"Install {SHARED_PROGRAM} outside of the project, where the search path finds it, as with "
    "`pipx install FOLDER` (the folder of the checkout)."
)


def finds_shared_program(around: Surroundings) -> bool:
    """Tells whether the shared command line finds its program on the search path, outside of the
    project.
    """
    return bool(find_program(SHARED_PROGRAM, str(around.root)))


def shared_program(around: Surroundings) -> tuple[str, bool]:
    """Returns the program that the shared command line finds now, "" for none; and whether only the
    virtual environment that is active here has it.
    """
    root = str(around.root)
    found = find_program(SHARED_PROGRAM, root)
    environment = os.environ.get("VIRTUAL_ENV", "")
    alone = bool(found and environment) and not find_program(
        SHARED_PROGRAM, root, outside=environment
    )
    return found, alone


def missing_program(registration: Registration, around: Surroundings) -> str:
    """Returns why a line of ours finds nobody to call, "" where it does."""
    is_shared = registration.scope == PROJECT and registration.state == CURRENT
    if is_shared and not finds_shared_program(around):
        return f"`{SHARED_PROGRAM}` was not found on the search path, outside of the project"
    missing = next(missing_programs(registration.command, str(around.root)), "")
    return f"there is no {missing}" if missing else ""
