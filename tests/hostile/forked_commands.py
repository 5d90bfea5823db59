"""This program runs commands of Synapse LS one after the other, each in a fork of its own.

It reads jobs for one place as a line of JSON from standard input, writes a line with what became of them
to standard output, and reads on. A fork costs a hundredth of a new interpreter, and what one command
leaves behind reaches no other.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import selectors
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from typing import Any

from tests.warm_program import warm_up

Job = dict[str, Any]
End = tuple[int | None, int, float]
CRASHED = 70
END_SECONDS = (
    60.0  # in which a server ends that nobody speaks to any more, however busy the machine
)
MAX_OUTPUT = 8_000_000  # bytes of one command that are kept


def run_command(job: Job, seconds: float) -> Job:
    """Runs one command, ended after ``seconds``. ``answers``: how many a server has to give, 0 for
    what is no server.
    """
    begun = time.monotonic()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as err:
        if job["answers"]:
            return _converse(job, seconds, err)
        given.write(job["stdin"].encode("utf-8", "surrogatepass"))
        given.seek(0)
        with tempfile.TemporaryFile() as out:
            child = _start(job, given.fileno(), out.fileno(), err.fileno())
            end = _wait_for(child, begun + seconds)
            return _outcome(job, end, begun, _content(out), _content(err))


def _converse(job: Job, seconds: float, err: Any) -> Job:
    """Sends a server all that it is asked, and waits for as many answers."""
    begun = time.monotonic()
    read_end, to_child = os.pipe()
    from_child, write_end = os.pipe()
    child = _start(job, read_end, write_end, err.fileno(), to_child, from_child)
    os.close(read_end)
    os.close(write_end)
    os.set_blocking(to_child, False)
    unsent = job["stdin"].encode("utf-8", "surrogatepass")
    said = unread = b""
    split = split_frames if "Content-Length" in job["stdin"] else split_lines
    answered: set[object] = set()
    with selectors.DefaultSelector() as selector:
        selector.register(from_child, selectors.EVENT_READ)
        selector.register(to_child, selectors.EVENT_WRITE)
        is_open = True
        while is_open and len(answered) < job["answers"] and time.monotonic() < begun + seconds:
            for key, _ in selector.select(0.2):
                if key.fd == to_child:
                    try:
                        unsent = unsent[os.write(to_child, unsent) :]
                    except BrokenPipeError:
                        unsent = b""
                    if not unsent:
                        selector.unregister(to_child)
                elif part := os.read(from_child, 1 << 20):
                    said += part
                    messages, unread = split(unread + part)
                    answered |= {
                        message["id"]
                        for message in messages
                        if "id" in message and "method" not in message
                    }
                else:
                    is_open = False
    os.close(to_child)
    answered_in = time.monotonic() - begun
    end = _wait_for(child, time.monotonic() + END_SECONDS)
    os.close(from_child)
    made = _outcome(job, end, begun, said, _content(err))
    made["seconds"] = round(answered_in, 2)
    made["unanswered"] = job["answers"] - len(answered)
    return made


def split_lines(said: bytes) -> tuple[list[Job], bytes]:
    """The messages of MCP so far, and the beginning of the next."""
    *lines, rest = said.split(b"\n")
    return [json.loads(line) for line in lines], rest


def split_frames(said: bytes) -> tuple[list[Job], bytes]:
    """The messages of LSP so far, and the beginning of the next."""
    messages: list[Job] = []
    while True:
        head, is_whole, rest = said.partition(b"\r\n\r\n")
        length = int(head.split(b"Content-Length:")[1].split(b"\r\n")[0]) if is_whole else 0
        if not is_whole or len(rest) < length:
            return messages, said
        messages.append(json.loads(rest[:length]))
        said = rest[length:]


def _outcome(job: Job, end: End, begun: float, out: bytes, err: bytes) -> Job:
    code, memory, worked = end
    return {
        "name": job["name"],
        "code": code,
        "answers": job["answers"],
        "memory": memory,
        "worked": round(worked, 2),
        "seconds": round(time.monotonic() - begun, 2),
        "out": out.decode("utf-8", "replace"),
        "err": err.decode("utf-8", "replace"),
    }


def _start(job: Job, given: int, out: int, err: int, *close: int) -> int:
    """Starts a command; returns the id of its process."""
    child = os.fork()
    if child:
        return child
    code = CRASHED
    try:
        for there, here in ((given, 0), (out, 1), (err, 2)):
            os.dup2(there, here)
        for unused in close:
            os.close(unused)
        os.setpgid(0, 0)
        os.chdir(job["folder"])
        os.environ.clear()
        os.environ.update(job["environment"])
        tempfile.tempdir = None  # it has been asked for where this one has another
        sys.argv = ["synapse", *job["arguments"]]
        from synapse_ls.__main__ import main

        code = main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else CRASHED
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _wait_for(child: int, deadline: float) -> End:
    """Waits for a process; returns its exit code, None where it had to be ended, the most bytes of
    memory that it had, and the seconds that it and what it waited for have worked.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    while time.monotonic() < deadline:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            worked = usage.ru_utime + usage.ru_stime
            return os.waitstatus_to_exitcode(status), usage.ru_maxrss * unit, worked
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    _, _, usage = os.wait4(child, 0)
    return None, usage.ru_maxrss * unit, usage.ru_utime + usage.ru_stime


def _content(file: Any) -> bytes:
    file.seek(0)
    data: bytes = file.read(MAX_OUTPUT)
    return data


def wait_for_descendants(seconds: float) -> bool:
    """Waits for what commands have left running; returns whether all of it has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.01)
        except ChildProcessError:
            return True
    return False


def adopt_orphans() -> None:
    """Makes what commands leave running a child of this process, where the system can (Linux)."""
    adopt: Callable[..., int] | None = getattr(ctypes.CDLL(None), "prctl", None)
    if adopt is not None:
        adopt(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def main() -> None:
    """Runs the jobs of each line of standard input."""
    adopt_orphans()
    importlib.import_module("anyio._backends._asyncio")  # a server would import it as it starts
    warm_up()
    for line in sys.stdin:
        asked = json.loads(line)
        place = {"folder": asked["folder"], "environment": asked["environment"]}
        done = [run_command({**job, **place}, asked["seconds"]) for job in asked["jobs"]]
        ended = wait_for_descendants(asked["seconds"])
        print(json.dumps({"done": done, "ended": ended}), flush=True)


if __name__ == "__main__":
    main()
