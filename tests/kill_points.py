"""Commands that are killed inside a write: a child process stops before or after the n-th time that
something takes its final name, says so, and waits for its end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SERVER = Path(__file__).parents[1] / "server"
PATIENCE = 120.0  # seconds after which what is waited for does not come

_CHILD = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
mark, left, after = sys.argv[2], int(sys.argv[3]), sys.argv[4] == "after"
def stopping(real):
    def call(*arguments, **named):
        global left
        left -= 1
        if left < 0 and not after:
            stop()
        done = real(*arguments, **named)
        if left < 0:
            stop()
        return done
    return call
def stop():
    open(mark, "w").close()
    while True:
        signal.pause()
for name in ("replace", "rename", "unlink"):
    setattr(os, name, stopping(getattr(os, name)))
sys.argv = ["synapse", *sys.argv[5:]]
from synapse_ls.__main__ import main
status = main()
sys.stdout.flush()
os._exit(status)
"""


def run_and_kill(
    arguments: list[str],
    number: int,
    *,
    cwd: Path,
    mark: Path,
    environment: dict[str, str],
    after: bool = False,
    data: bytes = b"",
) -> bool:
    """Runs ``synapse`` with ``arguments`` and kills it inside its write of that ``number``, counted
    from 0; returns False where it ended before, having done all.
    """
    mark.unlink(missing_ok=True)
    place = "after" if after else "before"
    words = [sys.executable, "-c", _CHILD, str(SERVER), str(mark), str(number), place, *arguments]
    with subprocess.Popen(
        words,
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as child:
        assert child.stdin is not None
        child.stdin.write(data)
        child.stdin.close()
        wait_until(lambda: mark.exists() or child.poll() is not None)
        if child.poll() is not None:
            return False
        child.kill()
        child.wait()
    return True


def wait_until(is_so: Callable[[], bool]) -> None:
    """Waits for a condition; raises AssertionError where it does not come true."""
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until, "it does not come true"
        time.sleep(0.002)


def contents(folder: Path) -> dict[str, bytes]:
    """The files below ``folder``, but for locks and what a killed writer had not given a name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".lock", ".tmp")
    }
