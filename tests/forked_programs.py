"""Our programs in processes of their own that need not start: forks of one in which everything is imported.

Most of what a process of ours takes is Python's start and its imports. Where neither is what a test is
about, `run_program` gives the same for a fraction: a process with its own arguments, environment,
folder and streams. Where a system has no fork, it starts one.

How programs start is for other tests: `tests/integrations/test_imports.py`, `tests/cli/test_processes.py`,
`tests/hooks/test_hook_process.py`, `tests/test_bytecode.py`.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from io import BufferedReader, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

SERVER = Path(__file__).parent.parent / "server"
HOOK = SERVER / "synapse_ls" / "hook.py"
COMMANDS = {
    "hook": (sys.executable, "-I", "-S", str(HOOK)),
    "synapse": (sys.executable, "-m", "synapse_ls"),
}
UNUSED = ("synapse_ls.lsp", "synapse_ls.mcp")  # servers, which nobody starts here


class KillPoint(NamedTuple):
    """Before or after the time of this ``number``, from 0, that a file takes or loses its name."""

    number: int
    after: bool = False


def run_program(
    name: str,
    *arguments: str,
    stdin: bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = 60,
    killed_at: KillPoint | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """What a process says that runs ``hook`` (as agent clients call it) or ``synapse``; it is killed
    at a point only where a system has forks.
    """
    environment = dict(os.environ if env is None else env)
    folder = str(cwd or Path.cwd())
    if not hasattr(os, "fork"):
        assert killed_at is None
        return subprocess.run(
            [*COMMANDS[name], *arguments],
            input=stdin,
            capture_output=True,
            cwd=folder,
            env=environment,
            timeout=seconds,
        )
    with tempfile.TemporaryDirectory() as streams:
        given, out, err = (Path(streams, stream) for stream in ("in", "out", "err"))
        given.write_bytes(stdin)
        job = {
            "program": name,
            "arguments": arguments,
            "streams": [str(given), str(out), str(err)],
            "folder": folder,
            "environment": environment,
            "killed_at": killed_at,
        }
        code = _forking().run(job, seconds)
        return subprocess.CompletedProcess(
            [*COMMANDS[name], *arguments], code, out.read_bytes(), err.read_bytes()
        )


class _Forking:
    """The process that forks, as seen from the tests."""

    def __init__(self) -> None:
        path = os.pathsep.join([str(SERVER), str(SERVER.parent)])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked_programs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=SERVER.parent,
            env={**os.environ, "PYTHONPATH": path},
        )
        atexit.register(self.stop)

    def run(self, job: dict[str, Any], seconds: float) -> int:
        given, said = self.process.stdin, self.process.stdout
        assert given is not None and said is not None
        given.write(json.dumps(job).encode() + b"\n")
        given.flush()
        if not select.select([said], [], [], seconds)[0]:
            self.stop()
            _forking.cache_clear()
            raise subprocess.TimeoutExpired([job["program"], *job["arguments"]], seconds)
        return int(said.readline())

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


@cache
def _forking() -> _Forking:
    return _Forking()


def _serve() -> None:
    """Runs the jobs of standard input, one after the other."""
    _import_everything()
    jobs, answers = sys.stdin.buffer, os.dup(1)
    while line := jobs.readline():
        job = json.loads(line)
        child = os.fork()
        if not child:
            _become(job, answers)
        _, status = os.waitpid(child, 0)
        os.write(answers, b"%d\n" % os.waitstatus_to_exitcode(status))


def _import_everything() -> None:
    import gc
    import importlib
    import pkgutil

    import synapse_ls

    for module in pkgutil.walk_packages(synapse_ls.__path__, "synapse_ls."):
        if not module.name.startswith(UNUSED) and not module.name.endswith(
            (".hook", ".statusline", ".__main__")
        ):
            importlib.import_module(module.name)
    importlib.import_module("synapse_ls.__main__")
    gc.freeze()  # what is never freed is not looked at in each fork


def _become(job: dict[str, Any], *close: int) -> NoReturn:
    """Makes this process the program of a job."""
    code = 70
    try:
        for descriptor in close:
            os.close(descriptor)
        given, out, err = job["streams"]
        for target, path, flags in (
            (0, given, os.O_RDONLY),
            (1, out, os.O_WRONLY | os.O_CREAT),
            (2, err, os.O_WRONLY | os.O_CREAT),
        ):
            opened = os.open(path, flags, 0o600)
            os.dup2(opened, target)
            os.close(opened)
        sys.stdin = TextIOWrapper(BufferedReader(FileIO(0, closefd=False)), encoding="utf-8")
        os.chdir(job["folder"])
        os.environ.clear()
        os.environ.update(job["environment"])
        if job["killed_at"]:
            _die_at(KillPoint(*job["killed_at"]))
        if job["program"] == "hook":
            from synapse_ls.__main__ import CONVERSATION
            from synapse_ls.hooks.hook_command import main as answer

            code = answer(job["arguments"], CONVERSATION)
        else:
            from synapse_ls.__main__ import main

            sys.argv = [str(SERVER / "synapse_ls" / "__main__.py"), *job["arguments"]]
            code = main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _die_at(point: KillPoint) -> None:
    """Has this process be killed there, as if from outside: it can do nothing any more."""
    left = point.number

    def dying(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0 and not point.after:
                os.kill(os.getpid(), signal.SIGKILL)
            done = real(*arguments, **named)
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return call

    for name in ("replace", "rename", "unlink"):
        setattr(os, name, dying(getattr(os, name)))


if __name__ == "__main__":
    _serve()
