"""Work in a process of its own, so that no prompt waits for it: a plan to finish, a digest to make."""

from __future__ import annotations

import os
import sys

from synapse_ls.service import cache
from synapse_ls.sessions.files import Lock, SessionError

_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from synapse_ls.text.lazy import load; load(sys.argv[2]).main(*sys.argv[3:])"
)


def start(root: str, profile: str) -> None:
    """Have the whole plan compiled. A failure is no failure."""
    run(__name__, root, profile)


def run(module: str, *arguments: str) -> bool:
    """Start a process that calls ``main`` of ``module``; whether it has begun.

    It outlives this one and says nothing.
    """
    import subprocess

    packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CODE, packages, module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    return True


def main(root: str, profile: str) -> None:
    """Compile the whole plan and keep it, unless another process is at it."""
    from synapse_ls.service.plans import planned

    lock = cache.file_name(root, profile, "build")
    try:
        with Lock(os.path.join(cache.prepared(), lock), 0.0, keep=False):
            planned(root, profile)
    except (OSError, SessionError):
        return
