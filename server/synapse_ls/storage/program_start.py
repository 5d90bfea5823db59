"""Start programs: what agent clients run, from the bundle, and background processes.

Also make installed libraries importable in a process that started without them.
"""

from __future__ import annotations

import os
import sys

from synapse_ls.text import lazy_import
from synapse_ls.workspace import user_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from synapse_ls.storage.bytecode_bundle import Bundle


def enable_site_packages() -> None:
    """Make installed libraries importable where the hook was started without them (``-S``)."""
    if sys.flags.no_site:
        import site

        if site.ENABLE_USER_SITE is None:  # `main` has not run; to import the module does nothing
            site.main()


_MOST_JUDGED = 64
_judged: set[tuple[object, ...]] = set()  # projects, and folders that may be the user's there


def forget_foreign_folders(*projects: str, named: Sequence[str] = ()) -> None:
    """Do what `user_folders.forget_foreign_folders` does, and log it. A process that answers many
    events judges the same folders of the same projects once.
    """
    key = (*projects, None, *named, *map(os.environ.get, user_folders.VARIABLES))
    if key in _judged:
        return
    if foreign := user_folders.forget_foreign_folders(*projects, named=named):
        from synapse_ls.storage import hook_log

        hook_log.log_line(f"{', '.join(foreign)} counts for nothing: {user_folders.NOT_OF_USER}")
        return
    if len(_judged) == _MOST_JUDGED:
        _judged.clear()
    _judged.add(key)


def run_bundled(bundle: Bundle, name: str, arguments: list[str], *more: str) -> int:
    """Call ``main`` of the module ``name`` with ``arguments`` and ``more``, and return the exit
    code.

    A process that had to import modules from their sources puts them into the bundle when it is
    done.
    """
    forget_foreign_folders(os.curdir)
    status: int = lazy_import.load_module(name).main(arguments, *more)
    _save_imported(bundle)
    return status


def _save_imported(bundle: Bundle) -> None:
    if bundle.is_complete or sys.dont_write_bytecode:
        return
    try:
        from synapse_ls.storage.bundle_writer import save_imported

        save_imported(bundle)
    except Exception:
        return  # the reply stands; damaged bytecode of what writes the file must not add to it


def run_and_exit(bundle: Bundle, name: str, arguments: list[str], *more: str) -> NoReturn:
    """Do what `run_bundled` does, alone in its process, and end the process at once. It frees
    nothing, which would take a fifth of its time.

    The first process of an installation compiles all that it loaded for the bundle. Nobody waits
    for that: a child does it where the system can fork.
    """
    lazy_import.use_loader(bundle.load)
    forget_foreign_folders(os.curdir)
    status: int = lazy_import.load_module(name).main(arguments, *more)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as it is where the caller has closed it
            stream.flush()
    if not (bundle.is_complete or sys.dont_write_bytecode) and _continue_in_child():
        _save_imported(bundle)
    os._exit(status)


def _continue_in_child() -> bool:
    """Return whether this process is to do what nobody waits for: a child without the streams of
    its parent, or, where there is none, the process itself.
    """
    if sys.platform == "win32":
        return True
    try:
        if os.fork():
            return False
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(_STANDARD_ERROR + 1):
            os.dup2(nothing, number)
    except OSError:
        return True
    return True


_STANDARD_ERROR = 2  # the last of the descriptors that every process has

_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from synapse_ls.text.lazy_import import load_module; "
    "load_module('synapse_ls.storage.trusted_trees').follow_writes(); "
    "load_module(sys.argv[2]).main(*sys.argv[3:])"
)


def python_command(code: str, *arguments: str) -> list[str]:
    """Return the command that runs ``code`` with ``arguments`` behind the folder of this package,
    which it puts on its path.
    """
    packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return [sys.executable, "-I", "-S", "-c", code, packages, *arguments]


def start_process(module: str, *arguments: str) -> bool:
    """Start a process that calls ``main`` of ``module``; return whether it has begun.

    It outlives this one and writes nothing to standard output.
    """
    command = python_command(_CODE, module, *arguments)
    if "subprocess" in sys.modules or not _spawn(command):
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


def _spawn(command: list[str]) -> bool:
    """Start a command without the library, which takes longer to load than a prompt to be answered;
    return whether that was possible here. Nobody asks how it ended, so it is for a process that
    ends at once itself.
    """
    try:
        for name in os.listdir("/dev/fd"):
            if int(name) > _STANDARD_ERROR:
                # Have no program that this process starts get one of its own descriptors.
                try:
                    os.set_inheritable(int(name), False)
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
