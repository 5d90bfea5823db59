"""Taking times so that they can be compared: interleaved in one run, as medians and ratios."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

BARE = ("-I", "-S", "-c", "pass")


def interpreter() -> str:
    """The interpreter of this environment, started directly and not through a version manager."""
    return sys.executable


def percentile(times: Sequence[float], percent: float) -> float:
    """The value below which ``percent`` of ``times`` lie, in their unit."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def processes(
    commands: Mapping[str, Callable[[int], tuple[Sequence[str], bytes]]],
    *,
    rounds: int,
    environment: Mapping[str, str] | None = None,
) -> dict[str, list[float]]:
    """Milliseconds of whole processes; each round starts every command once, in turn.

    A command is a function from the round to (arguments, standard input).
    """
    taken: dict[str, list[float]] = {name: [] for name in commands}
    env = {**os.environ, **(environment or {})}
    for number in range(rounds):
        for name, command in commands.items():
            arguments, data = command(number)
            started = time.perf_counter()
            subprocess.run(arguments, input=data, capture_output=True, env=env, check=True)
            taken[name].append((time.perf_counter() - started) * 1000)
    return taken


def calls(function: Callable[[], object], *, rounds: int, warm: int = 20) -> list[float]:
    """Milliseconds of calls in this process."""
    for _ in range(warm):
        function()
    taken = []
    for _ in range(rounds):
        started = time.perf_counter()
        function()
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def row(name: str, times: Sequence[float], base: float | None = None, bar: str = "") -> str:
    """A line of a report: median, 99th percentile, ratio to ``base`` where there is one."""
    p50, p99 = percentile(times, 50), percentile(times, 99)
    ratio = f"  {p50 / base:5.2f} ×" if base else " " * 9
    return f"{name:<44} p50 {p50:9.3f} ms  p99 {p99:9.3f} ms{ratio}  {bar}".rstrip()
