"""This module starts a program for the doctor, waits for it no longer than its client would, and ends
it with all that it has started.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class ProgramResult(NamedTuple):
    """A ProgramResult is the exit code of a program that was started, -1 where there is none; its
    output; and its complaints, or why it could not be started or was ended.
    """

    code: int
    out: bytes
    err: bytes


def run_program(
    arguments: Sequence[str],
    data: bytes,
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
) -> ProgramResult:
    """Runs a program that is started with ``data`` as its input, for so many seconds at most."""
    try:
        with subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(data, timeout=seconds)
            except subprocess.TimeoutExpired:
                end_program(process)
                return ProgramResult(-1, b"", f"no answer within {seconds:g} s".encode())
            return ProgramResult(process.returncode, out, err)
    except (OSError, ValueError) as error:
        return ProgramResult(-1, b"", str(error).encode())


def end_program(process: subprocess.Popen[bytes]) -> None:
    """Ends a program that leads a session and what it has started, which holds its pipes open."""
    if os.name == "nt":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
