"""This module finds out whether the program that a registered hook calls can be started at all."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.integrations.client_definition import PROJECT, Surroundings, shown_path
from synapse_ls.integrations.client_registrations import CURRENT, Registration, existing_settings
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.integrations.settings_files import find_hooks, parse_settings, read_settings
from synapse_ls.storage.program_search import find_program
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.light_os import os

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
    """Returns why a registered line of ours finds no program to call, "" where it does."""
    is_shared = registration.scope == PROJECT and registration.state == CURRENT
    if is_shared and not finds_shared_program(around):
        return f"`{SHARED_PROGRAM}` was not found on the search path, outside of the project"
    missing = next(missing_programs(registration.command, str(around.root)), "")
    return f"there is no {missing}" if missing else ""


def hook_troubles(root: str, *, home: str = "") -> tuple[str, ...]:
    """Returns why a client could not call the hook, a sentence each: settings that it could not
    read, and commands whose interpreter or script is not there.
    """
    around = Surroundings(Path(root), Path(home or Path.home()))
    told: dict[str, None] = {}
    for file, client in existing_settings(around).items():
        name = shown_path(file, around)
        try:
            found = read_settings(file, name)
            settings = (
                parse_settings(client, found.text, name) if found and found.text.strip() else None
            )
        except EditError as error:
            told[error.sentence.removesuffix(".").replace(", so nothing was written", "")] = None
            continue
        for hook in find_hooks(client, settings) if settings else ():
            called = "" if hook.calls_tool or not hook.is_ours else hook.command
            for word in missing_programs(called, root):
                told[f"the hook in {name} calls {word}, which does not exist"] = None
    return tuple(told)


def missing_programs(command: str, root: str) -> Iterator[str]:
    """Yields the interpreter and the script of a hook's command line, where they do not exist.

    A shared line does without its program.
    """
    if "||" in command or "Get-Command" in command or command.startswith("try {"):
        return
    try:
        words = shlex.split(command.replace("$CLAUDE_PROJECT_DIR", root), posix=os.name != "nt")
    except ValueError:
        return
    for place, quoted_word in enumerate(word for word in words if word != "&"):
        word = quoted_word.strip('"')
        if "$" in word or (place and not word.replace("\\", "/").endswith("synapse_ls/hook.py")):
            continue
        if not (shutil.which(word) if place == 0 else Path(root, word).exists()):
            yield word
