"""Finishing a plan in a process of its own, so that no prompt waits for a large tree."""

from __future__ import annotations

import os
import sys

from synapse_ls.service import cache
from synapse_ls.sessions.files import Lock, SessionError

_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from synapse_ls.service.detached import main; main(sys.argv[2], sys.argv[3])"
)


def start(root: str, profile: str) -> None:
    """Start the process; it outlives this one and says nothing. A failure is no failure."""
    import subprocess

    packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CODE, packages, root, profile],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return


def main(root: str, profile: str) -> None:
    """Compile the whole plan and keep it, unless another process is at it."""
    from synapse_ls.service.plans import planned

    lock = cache.file_name(root, profile, "build")
    try:
        with Lock(os.path.join(cache.prepared(), lock), 0.0, keep=False):
            planned(root, profile)
    except (OSError, SessionError):
        return
