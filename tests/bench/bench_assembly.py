"""Block assembly in a warm process: a small tree, a real one, and a very large one.

    python -m tests.bench.bench_assembly [--tree TREE]

Bars, where a bare interpreter takes 7 ms: p50 ≤ 0.4 ms and p99 ≤ 1 ms on the small and the real tree; p50 ≤ 2 ms
with 1,000 squads, 10,000 domains and 100,000 keywords. They are judged as multiples of one started in between.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.storage.tree_compilation import compile_tree
from tests.bench.measure import (
    Figure,
    add_tree_option,
    calls_beside,
    corpus_tree,
    percentile,
    print_figures,
    scaled,
)
from tests.trees import TEAM, Files, plan_of

MEDIAN, WORST, LARGE = 0.4, 1.0, 2.0  # milliseconds
PROMPT = "implement the login endpoint, cover it with a unit test *brief"


def large_files(squads: int = 1000, domains: int = 10, keywords: int = 10) -> Files:
    """The files of ``squads`` squads with ``domains`` domains of ``keywords`` keywords each."""
    rng = random.Random(7)
    words = [f"{a}{b}" for a in ("ba", "do", "ki", "lu", "me") for b in range(4000)]
    files = dict(TEAM)
    for s in range(squads):
        manifest = []
        for d in range(domains):
            recall = ",".join(rng.sample(words, keywords))
            manifest += [f"D{d}_STATE=active", f"D{d}_RECALL={recall}"]
            files[f"squads/s{s}/.synapse/d{d}"] = "".join(
                f"D{d}_RULE_{i}=Rule {i} of domain {d}, squad {s}\n" for i in range(3)
            )
        files[f"squads/s{s}/.synapse/manifest"] = "\n".join(manifest)
    return files


def block(plan: Plan, remaining: float, prompt: str = PROMPT) -> Assembly:
    """One block, as for a prompt of an agent at work."""
    request = Request(prompt, agent="dev", workflow="story_development")
    return assemble_block(plan, resolve_situation(plan, request, measure_usage(reported=remaining)))


def figures(tree: Path | None = None) -> Iterator[Figure]:
    """A block of a small tree, of ``tree`` or that of `aiox`, and of a very large one."""
    team = plan_of(TEAM)
    for remaining in (100, 50):
        measured = calls_beside(lambda r=remaining: block(team, r), rounds=2000)  # type: ignore[misc]
        yield from both(f"small tree, {remaining} % left", *measured)
    if source := tree or corpus_tree():
        real = compile_tree(str(source.resolve()), deadline=None).plan
        for remaining in (100, 50, 10):
            measured = calls_beside(lambda r=remaining: block(real, r), rounds=2000)  # type: ignore[misc]
            yield from both(f"reference tree, {remaining} % left", *measured)
    huge = plan_of(large_files())
    times, bare = calls_beside(lambda: block(huge, 50), rounds=300)
    yield scaled("block, 1,000 squads, none matches, p50", percentile(times, 50), bare, LARGE)
    said = f"{PROMPT} about ba17 do33 ki404 lu1999"
    matching = len(block(huge, 50, said).selection.domains_of("L5"))
    times, bare = calls_beside(lambda: block(huge, 50, said), rounds=300)
    what = f"block, 1,000 squads, {matching} domains match, p50"
    yield scaled(what, percentile(times, 50), bare, LARGE)


def both(name: str, times: list[float], bare: float) -> Iterator[Figure]:
    """Median and 99th percentile with their bars."""
    yield scaled(f"block, {name}, p50", percentile(times, 50), bare, MEDIAN)
    yield scaled(f"block, {name}, p99", percentile(times, 99), bare, WORST)


def main() -> int:
    """Print the figures; 1 where one is above its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_tree_option(parser)
    return print_figures(figures(parser.parse_args().tree))


if __name__ == "__main__":
    raise SystemExit(main())
