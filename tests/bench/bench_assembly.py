"""Block assembly in a warm process: a small tree, a real one, and a very large one.

    python -m tests.bench.bench_assembly [WORKSPACE]

Bars: p50 ≤ 0.3 ms and p99 ≤ 2 ms on a tree of two dozen domains; p50 ≤ 5 ms with 1,000 squads,
10,000 domains and 100,000 keywords.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.storage.plan_compilation import compile_tree
from tests.bench.measure import calls, row
from tests.trees import TEAM, Files, plan_of

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


def main() -> None:
    """Print the table."""
    team = plan_of(TEAM)
    print(row("small tree, FRESH", calls(lambda: block(team, 100), rounds=2000), bar="bar 0.3 / 2"))
    print(
        row("small tree, MODERATE", calls(lambda: block(team, 50), rounds=2000), bar="bar 0.3 / 2")
    )
    if len(sys.argv) > 1:
        real = compile_tree(str(Path(sys.argv[1]).resolve()), deadline=None).plan
        for remaining in (100, 50, 10):
            times = calls(lambda r=remaining: block(real, r), rounds=2000)  # type: ignore[misc]
            print(row(f"given tree, {remaining} % left", times, bar="bar 0.3 / 2"))
    huge = plan_of(large_files())
    print(
        row("1,000 squads, none matches", calls(lambda: block(huge, 50), rounds=300), bar="bar 5")
    )
    said = f"{PROMPT} about ba17 do33 ki404 lu1999"
    matching = len(block(huge, 50, said).selection.domains_of("L5"))
    times = calls(lambda: block(huge, 50, said), rounds=300)
    print(row(f"1,000 squads, {matching} domains match", times, bar="bar 5"))


if __name__ == "__main__":
    main()
