"""What one edit of one file costs, in a tree of 100 files and in one of 1,000.

Run as a script: ``python -m tests.bench.bench_index``. The bar is the ratio, at most 1.3: an edit
costs by what the file says, not by the size of the tree around it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter

from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.snapshot import TreeIndex
from tests.bench.measure import Figure, print_figures

SIZES = (100, 1_000)
BAR = 1.3
ROUNDS = 2_000
_PER_SQUAD = 10  # files in a squad, its manifest among them


def manifest(number: int, recall: str = "load") -> str:
    """A squad's manifest with a domain for each of its rule files."""
    return "".join(
        f"AREA_{number}_{n}_STATE=active\nAREA_{number}_{n}_RECALL={recall}, area {number}, part {n}\n"
        for n in range(1, _PER_SQUAD)
    )


def rules(number: int, n: int, text: str = "Check the input.") -> str:
    """A rule file of twenty rules."""
    return "".join(f"AREA_{number}_{n}_RULE_{i}={text} {number} {n} {i}\n" for i in range(20))


def build(files: int) -> TreeIndex:
    """An index of so many files, in squads of ten."""
    index = TreeIndex()
    for number in range(files // _PER_SQUAD):
        folder = f"squads/squad-{number}/.synapse"
        path = f"{folder}/manifest"
        index.put_facts(analyze_file(path, FileKind.MANIFEST, manifest(number)))
        for n in range(1, _PER_SQUAD):
            path = f"{folder}/area-{number}-{n}"
            index.put_facts(analyze_file(path, FileKind.RULES, rules(number, n)))
    return index


def edits(index: TreeIndex) -> tuple[Callable[[int], object], Callable[[int], object]]:
    """Two edits that alternate between two texts: of a rule file, and of a manifest's recall."""
    rule_path, manifest_path = (
        "squads/squad-3/.synapse/area-3-4",
        "squads/squad-3/.synapse/manifest",
    )

    def edit_rules(turn: int) -> object:
        text = rules(3, 4, "Check it." if turn % 2 else "Check the output.")
        index.put_facts(analyze_file(rule_path, FileKind.RULES, text))
        return index.snapshot()

    def edit_manifest(turn: int) -> object:
        text = manifest(3, "extract" if turn % 2 else "transform")
        index.put_facts(analyze_file(manifest_path, FileKind.MANIFEST, text))
        return index.snapshot()

    return edit_rules, edit_manifest


def figures() -> Iterator[Figure]:
    """What an edit costs in both sizes, and the ratio of the medians."""
    timings: dict[str, dict[int, list[float]]] = {}
    indexes = {size: build(size) for size in SIZES}
    gc.collect()
    gc.freeze()
    # Both sizes take turns, so that whatever else the machine does hits them alike.
    for turn in range(ROUNDS):
        for size, index in indexes.items():
            for name, edit in zip(("rule file", "manifest"), edits(index), strict=True):
                start = perf_counter()
                edit(turn)
                took = perf_counter() - start
                timings.setdefault(name, {}).setdefault(size, []).append(took)
    for name, by_size in timings.items():
        small, large = (median(by_size[size]) * 1e6 for size in SIZES)
        for size, took in zip(SIZES, (small, large), strict=True):
            yield Figure(f"one edit of a {name} in the index of {size:,} files", took, "µs")
        yield Figure(f"  {name}: times that in {SIZES[0]:,} files", large / small, "×", BAR)


if __name__ == "__main__":
    raise SystemExit(print_figures(figures()))
