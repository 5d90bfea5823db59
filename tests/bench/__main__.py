"""All benchmarks as one table: row, figure, bar, held or not.

    python -m tests.bench [--only NAME …]

Each part is a process of its own, one after the other, so that none finds the memory of another.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
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
    "year",
    "growth",
)
"""Each is a module ``bench_NAME`` with a function ``figures``."""


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where a bar does not hold."""
    parser = argparse.ArgumentParser(description="All benchmarks as one table.")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="NAME")
    parser.add_argument("--lines", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.lines:
        for name in options.only:
            write_part(name)
        return 0
    missed = bars = 0
    for name in options.only:
        print(f"\n{name}", flush=True)
        for figure in read_part(name):
            print(f"  {figure.line()}", flush=True)
            bars += figure.bar is not None
            missed += not figure.is_held
    print(f"\n{bars - missed} of {bars} bars held")
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
