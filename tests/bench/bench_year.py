"""A monorepo after a year of 100 developers, against a fresh one.

    python -m tests.bench.bench_year [--developers N] [--days N] [--squads N] [--rounds N]

Both have as many squads. The older one has what a year leaves where all work on one machine: a session, and every
fifth day a digest, for each developer and day, of which the last week's sessions are not archived; memories; and
full logs. Bars: a prompt costs at most 1.3 times what it does in the fresh tree, and at most 50 MB are kept of what past
sessions leave, by default. Beside it stands the first prompt of a session, which looks for its memories: what these may add has
its bar in ``bench_memory``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.storage.plan_cache import remember_session
from synapse_ls.storage.session_archive import DIGEST_STEM
from tests.bench.bench_assembly import large_files
from tests.bench.bench_hook import placed, prompt, settle, warm
from tests.bench.bench_memory import remember
from tests.bench.measure import (
    BARE,
    Figure,
    interpreter,
    percentile,
    print_figures,
    processes,
    ratio,
)
from tests.trees import write_tree

DAY = 86_400
SLOWER, KEPT = 1.3, 50.0
MEMORIES = 2_000
SESSIONS, DIGESTS = ".synapse/sessions", ".synapse/memory/digests"
LOG_BYTES = {".injections": 1_000_000, ".injections.1": 1_000_000, ".blocks": 2_000_000}
_WEEK = 7
_REMARK = "- The staging database is used in tests, never that of production; somebody said so.\n"


def live_a_year(root: Path, developers: int, days: int) -> None:
    """Write what so many developers leave in so many days, with the times of those days."""
    one = (root / SESSIONS / "one.json").read_text(encoding="utf-8")
    folders = [root / SESSIONS, root / SESSIONS / "archive", root / DIGESTS]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    now = int(time.time())
    for day in range(1, days + 1):
        moment = now - day * DAY
        for developer in range(developers):
            name = f"s-{day}-{developer}"
            remember_session(str(root), name)
            written = [(folders[day > _WEEK] / f"{name}.json", one.replace('"one"', f'"{name}"'))]
            if day % 5 == 0:
                at = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(moment))
                digest = folders[2] / f"{at}-{name[:DIGEST_STEM]}-1.md"
                written.append((digest, f"# {name}\n\n{_REMARK * 30}"))
            for path, text in written:
                path.write_text(text, encoding="utf-8")
                os.utime(path, (moment, moment))


def kept_bytes(*folders: Path) -> int:
    """The bytes of all files below folders."""
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*"))


def figures(
    developers: int = 100, days: int = 250, squads: int = 1_000, rounds: int = 40
) -> Iterator[Figure]:
    """What a prompt costs in both trees, and what is kept of the year."""
    # One cache folder for both, as on one machine.
    with placed(None) as (fresh, _), placed(None) as (grown, environment):
        for root in (fresh, grown):
            write_tree(root, large_files(squads))
            settle(root)
            warm(root, environment)
        os.environ.update(environment)  # the cache that notes whose the sessions are
        live_a_year(grown, developers, days)
        private = (grown / SESSIONS, grown / DIGESTS)
        yield Figure("what a year leaves, before anybody tidies", kept_bytes(*private) / 1e6, "MB")
        began = time.perf_counter()
        program = "import sys; from synapse_ls.hooks.daily_cleanup import main as m; m(sys.argv[1])"
        subprocess.run(
            (sys.executable, "-c", program, str(grown)),
            env={**os.environ, **environment},
            check=True,
        )
        yield Figure("  a day's tidying of it, beside the prompt", time.perf_counter() - began, "s")
        remember(grown, MEMORIES)
        cache = Path(environment["SYNAPSE_LS_CACHE"])
        for made in tuple(cache.glob("*.injections")):
            line = made.read_bytes().splitlines(keepends=True)[-1]
            for ending, size in LOG_BYTES.items():
                made.with_suffix(ending).write_bytes(line * (size // len(line)))
        settle(grown / ".synapse/memory/shared")
        warm(grown, environment)
        logs = sum(path.stat().st_size for path in cache.glob("*.injections*"))
        logs += sum(path.stat().st_size for path in cache.glob("*.blocks*"))
        kept = kept_bytes(*private) + logs
        yield Figure("  kept of it by default, logs and blocks included", kept / 1e6, "MB", KEPT)
        taken = processes(
            {
                "bare": lambda _: ((interpreter(), *BARE), b""),
                "prompt fresh": lambda n: prompt(fresh, "one", f"go on with part {n}"),
                "prompt grown": lambda n: prompt(grown, "one", f"go on with part {n}"),
                "first fresh": lambda n: prompt(fresh, f"n{n}", "improve the login"),
                "first grown": lambda n: prompt(grown, f"n{n}", "improve the login"),
            },
            rounds=rounds,
            environment=environment,
        )
        base = percentile(taken["bare"], 50)
        for what, said, bar in (
            ("prompt", "prompt, nothing new", SLOWER),
            ("first", "first prompt of a session", None),
        ):
            yield ratio(f"{said}, fresh tree", taken[f"{what} fresh"], base)
            before, now = (percentile(taken[f"{what} {tree}"], 50) for tree in ("fresh", "grown"))
            yield Figure("  after a year, times that", now / before, "×", bar)


def main() -> int:
    """Print the figures; 1 where one is above its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--developers", type=int, default=100)
    parser.add_argument("--days", type=int, default=250)
    parser.add_argument("--squads", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    return print_figures(figures(options.developers, options.days, options.squads, options.rounds))


if __name__ == "__main__":
    raise SystemExit(main())
