"""What 1,000 memories cost the first prompt of a session, as a whole process of the hook.

Run as a script: ``python -m tests.bench.bench_memory [--memories N] [--rounds N]``. Told are the processor's
milliseconds of the hook without memories and with them, once their index is kept, and the bytes of the index.
The bar is what the memories add: 100 ms of the processor for 1,000, where a bare interpreter takes 7 ms of it: it
is judged as a multiple of one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.bench_hook import OLD, command
from tests.bench.measure import (
    BARE,
    Figure,
    children_processor,
    interpreter,
    print_figures,
    processes,
    scaled,
)
from tests.trees import TEAM, write_tree

BAR = 100.0
FOLDER = ".synapse/memory/shared/durable"
_SYLLABLES = tuple(f"{a}{b}" for a in "bcdfgklmnprstvz" for b in "aeiou")
_WORDS = tuple(a + b for a in _SYLLABLES for b in _SYLLABLES)[:5_000]


def remember(root: Path, memories: int) -> None:
    """Write memories of 45 words each, from a choice of 5,000."""
    rng = random.Random(20)
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(memories):
        head = f"id: mem-{number}\ntype: lesson\ntags: [{rng.choice(_WORDS)}]\ncreated_at: 2026-01-01T00:00:00Z\n"
        title, text = (" ".join(rng.choices(_WORDS, k=count)) for count in (5, 40))
        path = folder / f"mem-{number:05}.md"
        path.write_text(f"---\n{head}---\n# {title}\n\n{text}\n")
        os.utime(path, (OLD, OLD))


def prompt(root: Path, cache: Path, number: int) -> float:
    """The processor's milliseconds of the hook with the first prompt of a session."""
    event = {
        "session_id": f"s-{number}",
        "cwd": str(root),
        "hook_event_name": "UserPromptSubmit",
        "prompt": f"fix {_WORDS[number * 3]} and {_WORDS[number * 2 + 7]}",
    }
    environment = {**os.environ, "SYNAPSE_LS_CACHE": str(cache)}
    before = children_processor()
    subprocess.run(
        command("prompt"),
        input=json.dumps(event).encode(),
        env=environment,
        capture_output=True,
        check=True,
    )
    return (children_processor() - before) * 1000


def figures(memories: int = 1_000, rounds: int = 15) -> Iterator[Figure]:
    """The medians, and what the memories add."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        cache, root = Path(folder) / "cache", write_tree(Path(folder) / "tree", TEAM)
        prompt(root, cache, 0)
        without = median(prompt(root, cache, number) for number in range(1, rounds))
        remember(root, memories)
        environment = {**os.environ, "SYNAPSE_LS_CACHE": str(cache)}
        program = f"from synapse_ls.memory.memory_index import refresh_index as r; r({str(root)!r})"
        subprocess.run([*command("prompt")[:1], "-c", program], env=environment, check=True)
        first = 1000
        prompt(root, cache, first)
        within = median(prompt(root, cache, number) for number in range(first, first + rounds))
        bare = processes(
            {"": lambda _: ((interpreter(), *BARE), b"")}, rounds=rounds, clock=children_processor
        )
        size = sum(path.stat().st_size for path in cache.glob("*.memory"))
    yield Figure("first prompt of a session without memories, processor", without, "ms")
    yield Figure(f"  with {memories:,} memories", within, "ms")
    yield scaled("  what the memories add", within - without, median(bare[""]), BAR)
    yield Figure("  their index", size / 1e6, "MB")


def main() -> int:
    """Print the figures; 1 where the memories add more than the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    return print_figures(figures(options.memories, options.rounds))


if __name__ == "__main__":
    raise SystemExit(main())
