"""What tests with programs that are killed have in common."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 120.0  # seconds after which what is waited for does not come


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
