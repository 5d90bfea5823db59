"""Beginning a new session in the client, where a person has said that this may be done.

``[recovery] spawn = "run"`` says so, and counts only in a tree that this person trusts. A session that was
begun like that begins no other: it says so in its environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping

from synapse_ls.recovery.clients import command, level2, said
from synapse_ls.recovery.state import Standing
from synapse_ls.service import keeping, log, trust
from synapse_ls.service.errors import ServiceError
from synapse_ls.workspace.folders import CONTINUATION

RUN = "run"
SPAWNED = "SYNAPSE_LS_SPAWNED"
"""Set in the environment of a session that was begun by another one."""


def may_run(root: str, setting: str, environment: Mapping[str, str]) -> str:
    """Why no session may be begun from here, "" where one may."""
    if setting != RUN:
        return '[recovery] spawn is not "run" in .synapse/config.toml.'
    if not trust.is_trusted(root):
        return f"{root} is not trusted; `synapse trust` says that it is."
    if environment.get(SPAWNED):
        return "This session was begun by another one already."
    return ""


def begin(root: str, where: Standing, client: str, file: str = CONTINUATION) -> bool:
    """Begin a session that goes on with ``file``, once for each; whether one was begun."""
    setting = str(where.plan.settings.get("spawn", ""))
    if may_run(root, setting, os.environ) or keeping.peek(where.session).get(keeping.SPAWNED):
        return False
    words = program_of(client, file, alone=True)
    if not words:
        return False
    try:
        subprocess.Popen(
            words,
            cwd=root,
            env={**os.environ, SPAWNED: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        log.note(error)
        return False
    log.line(f"{root}: began {level2(client).title} to go on with {file}")
    return True


def attend(root: str, client: str, file: str = CONTINUATION) -> int:
    """Run the client in this terminal until the person leaves it; its exit code.

    Raises ServiceError where the client has no command, or it is not installed.
    """
    words = program_of(client, file)
    if not words:
        row = level2(client)
        what = f"{row.program[0]} is not installed" if row.program else "it has no command for that"
        raise ServiceError(f"{row.title} cannot be started from here: {what}.", said(row, file))
    environment = {**os.environ, SPAWNED: "1"}
    return subprocess.run(words, cwd=root, env=environment, check=False).returncode


def program_of(client: str, file: str, *, alone: bool = False) -> list[str]:
    """The command of a client with the program's full path; [] where there is none."""
    words = command(level2(client), file, alone=alone)
    program = shutil.which(words[0]) if words else None
    return [program, *words[1:]] if program else []
