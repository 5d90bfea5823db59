"""Random edits through the server's protocol, against a fresh parse of the text that they leave.

    python -m tests.bench.bench_edits [--edits N] [--seed N]

The bar is no difference. A quarter of the edits goes into the manifest with each encoding of positions, and a quarter
into a rule file. They come in bursts. After the first edit of each, while the server still sees to what
follows from it, its answer is compared with a fresh parse of that very text: it may lack no finding of the file itself, and
none of those that need other files and stood there before. After the whole burst, at rest, text, facts, findings of all files,
their places and the block are those of a fresh parse. The edits and what they are compared with are those of
``tests/lsp/random_typing.py``.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.bench.measure import Figure, print_figures
from tests.lsp.random_typing import MANIFEST, RULES, Typing, typing_capabilities
from tests.lsp.wire import connected
from tests.trees import TEAM, write_tree

SEED = 23
BURST = 50
TYPED = ((MANIFEST, "utf-8"), (MANIFEST, "utf-16"), (MANIFEST, "utf-32"), (RULES, "utf-16"))


class Found(NamedTuple):
    """What came of the edits: how many, how many answers were compared, and what was other than it should be."""

    edits: int
    answers: int
    at_rest: list[str]
    on_the_way: list[str]


async def type_into(root: Path, path: str, encoding: str, edits: int, seed: int) -> Found:
    """Type into a file of a tree, in bursts."""
    at_rest, on_the_way, answers = [], [], 0
    async with connected(root, capabilities=typing_capabilities(encoding)) as wire:
        typing = Typing(wire, root, path, encoding, seed)
        while typing.edits < edits:
            await wire.settled()
            before = await typing.ask_findings()
            typing.edit()
            on_the_way += await typing.differences_on_the_way(before)
            await typing.burst(min(BURST - 1, edits - typing.edits))
            at_rest += await typing.differences_at_rest()
            answers += 2
        return Found(typing.edits, answers, at_rest, on_the_way)


def figures(edits: int = 20_000, seed: int = SEED) -> Iterator[Figure]:
    """How many edits, and how many differences."""
    found = []
    for number, (path, encoding) in enumerate(TYPED):
        with tempfile.TemporaryDirectory() as folder:
            root = write_tree(Path(folder) / "team", TEAM)
            share = edits // len(TYPED)
            found.append(asyncio.run(type_into(root, path, encoding, share, seed + number)))
    for one in found:
        for line in (*one.on_the_way[:5], *one.at_rest[:5]):
            print("  ", line, file=sys.stderr)
    answers = sum(one.answers for one in found)
    yield Figure(f"random edits through the protocol, seed {seed}", sum(e.edits for e in found), "")
    yield Figure("  answers compared with a fresh parse", answers, "")
    yield Figure("  differences at rest", sum(len(one.at_rest) for one in found), "", 0)
    yield Figure("  differences on the way", sum(len(one.on_the_way) for one in found), "", 0)


def main() -> int:
    """Print the figures; 1 where there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    return print_figures(figures(options.edits, options.seed))


if __name__ == "__main__":
    raise SystemExit(main())
