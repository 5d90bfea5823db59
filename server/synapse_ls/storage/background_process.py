"""Start a background process, so that no prompt waits for its work: a plan to finish, a digest to
make.
"""

from __future__ import annotations

import os
import sys

from synapse_ls.storage import plan_cache

_STANDARD_ERROR = 2  # the last of the descriptors that every process has

_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from synapse_ls.text.lazy_import import load_module; "
    "load_module('synapse_ls.storage.trusted_trees').follow_writes(); "
    "load_module(sys.argv[2]).main(*sys.argv[3:])"
)


def start_process(module: str, *arguments: str) -> bool:
    """Start a process that calls ``main`` of ``module``; return whether it has begun.

    It outlives this one and writes nothing to standard output.
    """
    packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = [sys.executable, "-I", "-S", "-c", _CODE, packages, module, *arguments]
    if "subprocess" in sys.modules or plan_cache.holds_plans() or not _spawn(command):
        import subprocess

        try:
            subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return False
        return True
    return True


def _spawn(command: list[str]) -> bool:
    """Start a command without the library, which takes longer to load than a prompt to be answered;
    return whether that was possible here. Nobody asks how it ended, so it is for a process that
    ends at once itself.
    """
    try:
        for name in os.listdir("/dev/fd"):
            if int(name) > _STANDARD_ERROR:
                # Have no program that this process starts get one of its own descriptors.
                descriptor = int(name)
                try:
                    os.set_inheritable(descriptor, False)
                except OSError:
                    continue  # that of the list itself, which is closed by now
        os.posix_spawn(
            command[0],
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0)
                for number in range(_STANDARD_ERROR + 1)
            ],
            setsid=True,
        )
    except (OSError, ValueError, AttributeError, NotImplementedError):  # not on every system
        return False
    return True
