"""All benchmarks as one table: row, figure, bar, held or not.

    python -m tests.bench [--only NAME …] [--runs N]

Each part is a process of its own, one after the other, so that none finds the memory of another; after its rows
stands how long it took. The last line has the rows that are not held. ``--runs`` makes the table as often, and then says
of each row with a bar in how many of the runs it was held.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import import_module

from tests.bench.measure import Figure

PARTS = (
    "hook",
    "hook_server",
    "assembly",
    "index",
    "live",
    "server",
    "check",
    "tokens",
    "prefix",
    "activation",
    "memory",
    "compaction",
    "damage",
    "hostile",
    "edits",
    "findings",
    "first_block",
    "window",
    "year",
    "growth",
)
"""Each is a module ``bench_NAME`` with a function ``figures``."""
TREES = {
    "SYNAPSE_LS_CORPUS": "the rows of real trees",
    "SYNAPSE_LS_TREES": "the findings of further real trees",
}
"""What is left out where a variable names no folder."""


def read_part(name: str) -> Iterator[Figure]:
    """The figures of a part, as its process tells them."""
    command = (sys.executable, "-m", "tests.bench", "--only", name, "--lines")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield Figure(*json.loads(line))
    if process.returncode:
        yield Figure(f"the benchmark {name} failed with the exit code", process.returncode, "", 0)


def write_part(name: str) -> None:
    """Write the figures of a part, each as a line of JSON."""
    for figure in import_module(f"tests.bench.bench_{name}").figures():
        print(json.dumps(figure), flush=True)


Run = dict[str, bool]
"""The rows that have a bar, by part and name: whether it is held."""


def make_table(parts: Sequence[str]) -> Run:
    """Print the figures of each part as they come, and how long it took."""
    run: Run = {}
    for name in parts:
        print(f"\n{name}", flush=True)
        started = time.monotonic()
        above = ""  # the row that an indented one is about
        for figure in read_part(name):
            print(f"  {figure.line()}", flush=True)
            if not figure.name.startswith(" "):
                above = figure.name
            if figure.bar is not None:
                run[row_name(name, above, figure.name)] = figure.is_held
        print(f"  {time.monotonic() - started:.0f} s", flush=True)
    return run


def row_name(part: str, above: str, name: str) -> str:
    """A row as it is called where its neighbours are not seen: with its part, and the row that it is about."""
    said = f"{above} – {name.strip()}" if name.startswith(" ") else name
    return f"{part}: {said}"


def summary(run: Run) -> str:
    """One line: how many bars are held, and which are not."""
    missed = [name for name, is_held in run.items() if not is_held]
    said = f"{len(run) - len(missed)} of {len(run)} bars held"
    return f"{said}; not held: {'; '.join(missed)}" if missed else said


def compare_runs(runs: Sequence[Run]) -> Iterator[str]:
    """A line for each row: in how many of the runs it was held."""
    names = dict.fromkeys(name for run in runs for name in run)
    for name in names:
        held = sum(run.get(name, False) for run in runs)
        yield f"  {name:<100} held in {held} of {len(runs)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where a bar does not hold."""
    parser = argparse.ArgumentParser(description="All benchmarks as one table.")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="NAME")
    parser.add_argument("--runs", type=int, default=1, metavar="N", help="how often")
    parser.add_argument("--lines", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.lines:
        for name in options.only:
            write_part(name)
        return 0
    for variable, rows in TREES.items():
        if not os.environ.get(variable):
            print(f"{variable} is not set: {rows} are left out.")
    runs = []
    for number in range(options.runs):
        if options.runs > 1:
            print(f"\nrun {number + 1} of {options.runs}", flush=True)
        runs.append(make_table(options.only))
        print(f"\n{summary(runs[-1])}", flush=True)
    if options.runs > 1:
        print("\nall runs\n" + "\n".join(compare_runs(runs)))
        always = {name: all(run.get(name, False) for run in runs) for run in runs for name in run}
        print(f"\nin all {options.runs} runs: {summary(always)}")
    return int(not all(is_held for run in runs for is_held in run.values()))


if __name__ == "__main__":
    raise SystemExit(main())
