"""This module spawns a session: it starts a new one in the agent client that goes on with a
continuation file, where a person has allowed that.

``[recovery] spawn = "run"`` allows it, and counts only in a tree that this person trusts. A
session that was started like that starts no other: its environment says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping

from synapse_ls.hooks.session_continuation import SessionStanding
from synapse_ls.integrations.session_commands import (
    session_start_of,
    start_command,
    start_instruction,
)
from synapse_ls.storage import hook_log, trusted_trees
from synapse_ls.storage.program_search import safe_search_path
from synapse_ls.storage.user_error import UserError
from synapse_ls.workspace.tree_folders import CONTINUATION

SPAWN_ALLOWED = "run"
SPAWNED_VARIABLE = "SYNAPSE_LS_SPAWNED"
"""Set in the environment of a session that was begun by another one."""


def spawn_refusal(root: str, setting: str, environment: Mapping[str, str]) -> str:
    """Returns why no new session may be spawned from here, "" where one may."""
    if setting != SPAWN_ALLOWED:
        return '[recovery] spawn is not "run" in .synapse/config.toml.'
    if not trusted_trees.is_trusted(root):
        return f"{root} is not trusted; `synapse trust` says that it is."
    if environment.get(SPAWNED_VARIABLE):
        return "This session was begun by another one already."
    return ""


def spawn_session(
    root: str, standing: SessionStanding, client: str, file: str = CONTINUATION
) -> bool:
    """Spawns a session in the background that goes on with ``file``, once for each session; returns
    whether one was started.
    """
    setting = str(standing.plan.settings.get("spawn", ""))
    if spawn_refusal(root, setting, os.environ) or standing.session.recovery.spawned:
        return False
    words = find_program(root, client, file, headless=True)
    if not words:
        return False
    try:
        subprocess.Popen(
            words,
            cwd=root,
            env={**os.environ, SPAWNED_VARIABLE: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        hook_log.log_error(error)
        return False
    hook_log.log_line(f"{root}: began {session_start_of(client).title} to go on with {file}")
    return True


def run_session(root: str, client: str, file: str = CONTINUATION) -> int:
    """Runs the client of a spawned session in this terminal until the person leaves it; returns its
    exit code.

    Raises UserError where the client has no command, or it is not installed.
    """
    words = find_program(root, client, file)
    if not words:
        row = session_start_of(client)
        what = f"{row.program[0]} is not installed" if row.program else "it has no command for that"
        raise UserError(
            f"{row.title} cannot be started from here: {what}.", start_instruction(row, file)
        )
    environment = {**os.environ, SPAWNED_VARIABLE: "1"}
    return subprocess.run(words, cwd=root, env=environment, check=False).returncode


def find_program(root: str, client: str, file: str, *, headless: bool = False) -> list[str]:
    """Returns the command that spawns a client's session, with the program's full path; [] where
    there is none. One of the project around ``root`` does not count.
    """
    words = start_command(session_start_of(client), file, headless=headless)
    program = shutil.which(words[0], path=safe_search_path(root)) if words else None
    # On Windows the working folder is looked into first, and what is found there is relative.
    return [program, *words[1:]] if program and os.path.isabs(program) else []
