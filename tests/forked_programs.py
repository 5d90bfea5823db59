"""Our programs in processes of their own that need not start: forks of one in which everything is imported.

Most of what a process of ours takes is Python's start and its imports. Where neither is what a test is
about, `run_program` gives the same for a fraction: a process with its own arguments, environment,
folder and streams; `forked_line` gives it to whoever starts a line of ours, a shell or the doctor. Where
a system has no fork, these start one.

How programs start is for other tests: `tests/test_house.py`, `tests/cli/test_processes.py`,
`tests/hooks/test_hook_process.py`, `tests/test_bytecode.py`.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import marshal
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from synapse_ls.hooks import hook_timeout
from tests.forked_client import LENGTH, STATUS
from tests.warm_program import warm_up

SERVER = Path(__file__).parent.parent / "server"
HOOK = SERVER / "synapse_ls" / "hook.py"
CLIENT = Path(__file__).parent / "forked_client.py"
COMMANDS = {
    "hook": (sys.executable, "-I", "-S", str(HOOK)),
    "synapse": (sys.executable, "-m", "synapse_ls"),
}
SERVERS = ("synapse_ls.lsp", "synapse_ls.mcp")
"""What hardly anybody starts here: imported when somebody does."""
SERVER_MODULES = {
    "mcp": ("synapse_ls.mcp.server", "anyio._backends._asyncio"),
    "serve": ("synapse_ls.lsp.stdio_server",),
}
BEGINNINGS = {
    (sys.executable, "-I", "-S", str(HOOK)): "hook",
    (sys.executable, "-I", "-m", "synapse_ls"): "synapse",
    (sys.executable, "-m", "synapse_ls"): "synapse",
}
"""How lines begin that start one of our programs."""
STREAM_FLAGS = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)


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


def forked_line(line: Sequence[str]) -> list[str]:
    """The line of a process that does what that of ``line`` does, in a fork where it is one of ours; any
    other stays as it is.
    """
    for beginning, name in BEGINNINGS.items():
        if tuple(line[: len(beginning)]) == beginning and hasattr(os, "pidfd_open"):
            socket_path = str(_forking().socket_path)
            client = [sys.executable, "-I", "-S", str(CLIENT), socket_path]
            return [*client, name, *line[len(beginning) :]]
    return list(line)


class _Forking:
    """The process that forks, as seen from the tests."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="forks-"))
        self.socket_path = self.folder / "socket"
        path = os.pathsep.join([str(SERVER), str(SERVER.parent)])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked_programs", str(self.socket_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=SERVER.parent,
            env={**os.environ, "PYTHONPATH": path},
        )
        atexit.register(self.stop)
        assert self.process.stdout is not None
        self.process.stdout.readline()  # it listens

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
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def _forking() -> _Forking:
    return _Forking()


def _serve() -> None:
    """Runs the jobs of standard input one after the other, and those of the socket beside them."""
    warm_up(without=SERVERS)
    # However busy the machine is; hooks that are late are for `tests/hooks/test_hook_timeout.py`.
    setattr(hook_timeout, "watch_seconds", lambda *_: 600.0)  # noqa: B010
    jobs, answers = sys.stdin.buffer, os.dup(1)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[1])
        listener.listen()
        os.write(answers, b"\n")
        while True:
            ready, _, _ = select.select([jobs, listener], [], [])
            if listener in ready:
                _attend(listener, answers)
            elif line := jobs.readline():
                child = os.fork()
                if not child:
                    _become(json.loads(line), answers, listener.fileno())
                _, status = os.waitpid(child, 0)
                os.write(answers, b"%d\n" % os.waitstatus_to_exitcode(status))
            else:
                return
            _forget_ended()


def _forget_ended() -> None:
    """Lets go of the processes that have attended to a client and have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(listener: socket.socket, *close: int) -> None:
    """Gives the next client its fork, in a process of its own that waits for either to end; a client
    that was ended before it had said what it wants gets none.
    """
    connection, _ = listener.accept()
    streams: list[int] = []
    try:
        length, streams, _, _ = socket.recv_fds(connection, LENGTH, 3)
        with connection.makefile("rb") as request:
            job = marshal.loads(request.read(int.from_bytes(length, "big")))
    except (OSError, EOFError, TypeError, ValueError):
        for descriptor in (*streams, connection.detach()):
            os.close(descriptor)
        return
    program, arguments, folder, environment = job
    for module in SERVER_MODULES.get(arguments[0], ()) if arguments else ():
        importlib.import_module(module)
    if not os.fork():
        child = os.fork()
        if not child:
            job = {
                "program": program,
                "arguments": arguments,
                "streams": streams,
                "folder": folder,
                "environment": environment,
                "killed_at": None,
            }
            _become(job, *close, listener.fileno(), connection.fileno())
        for descriptor in (*streams, *close, listener.fileno()):
            os.close(descriptor)
        _wait_for_either(child, connection)
        os._exit(0)
    connection.close()
    for stream in streams:
        os.close(stream)


def _wait_for_either(child: int, connection: socket.socket) -> None:
    """Tells the client how the fork has ended, or ends the fork where there is no client any more."""
    ended = os.pidfd_open(child)
    ready, _, _ = select.select([ended, connection.fileno()], [], [])
    if ended not in ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    with contextlib.suppress(OSError):
        connection.sendall(code.to_bytes(STATUS, "big", signed=True))


def _become(job: dict[str, Any], *close: int) -> NoReturn:
    """Makes this process the program of a job."""
    code = 70
    try:
        for descriptor in close:
            os.close(descriptor)
        for target, stream in enumerate(job["streams"]):
            opened = (
                stream if isinstance(stream, int) else os.open(stream, STREAM_FLAGS[target], 0o600)
            )
            os.dup2(opened, target)
            os.close(opened)
        _take_streams()
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


def _take_streams() -> None:
    """Has Python's streams be those that this process has now."""
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)


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
