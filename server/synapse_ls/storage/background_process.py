"""This module starts a background process, so that no prompt waits for its work: a plan to
finish, a digest to make.
"""

from __future__ import annotations

import sys

from synapse_ls.workspace.light_os import os

_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from synapse_ls.text.lazy_import import load_module; "
    "load_module('synapse_ls.storage.pinned_trees').follow_writes(); "
    "load_module(sys.argv[2]).main(*sys.argv[3:])"
)


def start_process(module: str, *arguments: str) -> bool:
    """Starts a process that calls ``main`` of ``module``; returns whether it has begun.

    It outlives this one and writes nothing to standard output.
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
