"""Taking times so that they can be compared: interleaved in one run, as medians and ratios."""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from synapse_ls.workspace.tree_search_upward import holds_tree

BARE = ("-I", "-S", "-c", "pass")
BAR_START = 7.0
"""Milliseconds of a bare interpreter where a bar in milliseconds was set: elsewhere it is as many times longer."""
STARTS = 10  # of a bare interpreter among the calls that it is compared with


class Figure(NamedTuple):
    """What was measured: ``bar`` is the most that it may be, None where there is no bar."""

    name: str
    value: float
    unit: str
    bar: float | None = None

    @property
    def is_held(self) -> bool:
        """Tells whether the bar holds; where there is none, it does."""
        return self.bar is None or self.value <= self.bar

    def line(self) -> str:
        """The row of a table: what, figure, bar, held or not."""
        digits = 2 if self.value >= 1 or self.unit != "×" else 3
        told = f"{self.name:<68} {self.value:10.{digits}f} {self.unit:<2}"
        if self.bar is None:
            return told.rstrip()
        return f"{told}  bar {self.bar:>7g} {self.unit:<2} {'held' if self.is_held else 'NOT HELD'}"


def print_figures(figures: Iterable[Figure]) -> int:
    """Print each figure when it is known; 1 where a bar does not hold."""
    failed = False
    for figure in figures:
        print(figure.line(), flush=True)
        failed |= not figure.is_held
    return int(failed)


def ratio(name: str, times: Sequence[float], base: float, bar: float | None = None) -> Figure:
    """The median of times as a multiple of ``base``."""
    return Figure(f"{name}, p50", percentile(times, 50) / base, "×", bar)


def start_interpreter() -> float:
    """The milliseconds of a bare interpreter."""
    began = time.perf_counter()
    subprocess.run((interpreter(), *BARE), check=True)
    return (time.perf_counter() - began) * 1000


def scaled(name: str, time: float, base: float, bar: float | None = None) -> Figure:
    """``time`` as a multiple of ``base``, a bare interpreter's. ``bar``: in milliseconds, more of them on a machine where
    that takes longer than `BAR_START`.
    """
    return Figure(
        name, time / base, "×", None if bar is None else round(bar / min(base, BAR_START), 3)
    )


def corpus_tree() -> Path | None:
    """The tree of `aiox` in the folder ``SYNAPSE_LS_CORPUS``; None where there is none."""
    folder = os.environ.get("SYNAPSE_LS_CORPUS", "")
    return check_tree(Path(folder, "aiox")) if folder else None


def check_tree(folder: Path) -> Path:
    """``folder``, if a tree is there: figures of nothing would all be good."""
    if not holds_tree(str(folder.resolve())):
        raise SystemExit(f"{folder} has no rule tree.")
    return folder


def add_tree_option(parser: argparse.ArgumentParser) -> None:
    """The option ``--tree``: the tree of which figures are taken."""
    parser.add_argument(
        "--tree",
        type=lambda text: check_tree(Path(text)),
        metavar="TREE",
        help="a folder with a rule tree (default: that of aiox in SYNAPSE_LS_CORPUS)",
    )


def interpreter() -> str:
    """The interpreter of this environment, started directly and not through a version manager."""
    return sys.executable


def percentile(times: Sequence[float], percent: float) -> float:
    """The value below which ``percent`` of ``times`` lie, in their unit."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def children_processor() -> float:
    """The processor's seconds of all processes that this one has started and waited for: a clock for `processes`."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processes(
    commands: Mapping[str, Callable[[int], tuple[Sequence[str], bytes]]],
    *,
    rounds: int,
    environment: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Milliseconds of whole processes; each round starts every command once, in turn.

    A command is a function from the round to (arguments, standard input).
    """
    taken: dict[str, list[float]] = {name: [] for name in commands}
    env = {**os.environ, **(environment or {})}
    for number in range(rounds):
        for name, command in commands.items():
            arguments, data = command(number)
            started = clock()
            subprocess.run(arguments, input=data, capture_output=True, env=env, check=True)
            taken[name].append((clock() - started) * 1000)
    return taken


def calls(
    function: Callable[[], object],
    *,
    rounds: int,
    warm: int = 20,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Milliseconds of calls in this process."""
    for _ in range(warm):
        function()
    taken = []
    for _ in range(rounds):
        started = clock()
        function()
        taken.append((clock() - started) * 1000)
    return taken


def calls_beside(
    function: Callable[[], object], *, rounds: int, warm: int = 20
) -> tuple[list[float], float]:
    """Milliseconds of calls in this process, and the median of bare interpreters started among them."""
    taken: list[float] = []
    bare = []
    for _ in range(STARTS):
        bare.append(start_interpreter())
        taken += calls(function, rounds=rounds // STARTS, warm=warm)
    return taken, percentile(bare, 50)
