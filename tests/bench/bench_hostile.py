"""Hostile trees against every command, every hook event and both servers: how long the slowest answer takes.

    python -m tests.bench.bench_hostile

The trees and what is asked of them are those of ``tests/hostile``, each command in a fork of its own. Bars: every
one answers, and nothing of them raises; a hook within 2 s, and a server within 1 s for each of its answers; less
than 300 MB of memory of one process.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.integrations.client_registry import HOOK_CLIENTS
from tests.bench.measure import Figure, print_figures
from tests.hostile.hostile_trees import WRITERS, write_hostile_tree
from tests.hostile.scratch_place import ScratchPlace
from tests.hostile.test_hostile_trees import find_wrong, run_all, started_commands

HOOK, SERVER, MEMORY = 2.0, 1.0, 300.0


def figures() -> Iterator[Figure]:
    """The slowest of each kind of answer in each tree, and of all."""
    slowest = {"hook": 0.0, "answer of a server": 0.0, "command": 0.0}
    wrong, memory, count = 0, 0.0, 0
    with started_commands() as commands:
        for kind in WRITERS:
            with tempfile.TemporaryDirectory() as folder:
                place = ScratchPlace(Path(folder, "scratch"))
                write_hostile_tree(place, kind)
                for done in run_all(commands, place)["done"]:
                    count += 1
                    said = find_wrong(done)
                    print("\n".join(said), file=sys.stderr, end="\n" if said else "")
                    wrong += bool(said)
                    memory = max(memory, done["memory"] / 1e6)
                    seconds = done["seconds"] / max(1, done["answers"])
                    name = "command"
                    if done["answers"]:
                        name = "answer of a server"
                    elif done["name"].split()[0] in HOOK_CLIENTS:
                        name = "hook"
                    slowest[name] = max(slowest[name], seconds)
    yield Figure(
        f"{count:,} questions to {len(WRITERS)} hostile trees, answered wrongly", wrong, "", 0
    )
    yield Figure("  the slowest hook", slowest["hook"], "s", HOOK)
    yield Figure(
        "  the slowest server, for each answer", slowest["answer of a server"], "s", SERVER
    )
    yield Figure("  the slowest command", slowest["command"], "s")
    yield Figure("  most memory of one process", memory, "MB", MEMORY)


if __name__ == "__main__":
    raise SystemExit(print_figures(figures()))
