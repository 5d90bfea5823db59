"""What an edit costs an editor: from the new text of a buffer to the file's diagnostics.

Run as a script: ``python -m tests.bench.bench_live``. An edit in a tree of 10,000 files may take at
most 1.5 times as long as in one of 100; a keystroke in a manifest of 2,000 lines at most 50 ms until
the file's own findings and 200 ms until those of the tree, a hover at most 10 ms (95th percentile).
"""

from __future__ import annotations

import gc
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from synapse_ls.ide.hovers.hover import hover
from synapse_ls.live.live_tree import LiveTree
from tests.bench.bench_index import rules
from tests.bench.measure import calls, percentile
from tests.trees import TEAM, write_tree

SIZES = (100, 10_000)
RATIO = 1.5
OWN, WIDE = 50.0, 200.0  # milliseconds until a file's own findings, and until those of the tree
HOVER = 10.0
_PER_SQUAD = 10  # files in a squad, its manifest among them
_ROUNDS = 200
_SQUAD = "squads/squad-3/.synapse"


def manifest(number: int, recall: str = "load") -> str:
    """A squad's manifest with a domain for each of its rule files, with words of its own."""
    return "".join(
        f"AREA_{number}_{n}_STATE=active\nAREA_{number}_{n}_RECALL={recall} {number}, area{number}x{n}\n"
        for n in range(1, _PER_SQUAD)
    )


def write(root: Path, files: int) -> Path:
    """A tree of so many files, in squads of ten."""
    found = dict(TEAM)
    for number in range(files // _PER_SQUAD):
        folder = f"squads/squad-{number}/.synapse"
        found[f"{folder}/manifest"] = manifest(number)
        for n in range(1, _PER_SQUAD):
            found[f"{folder}/area-{number}-{n}"] = rules(number, n)
    return write_tree(root, found)


def long_manifest(domains: int = 500) -> str:
    """A manifest of four lines for each domain."""
    return "".join(
        f"AREA_{n}_STATE=active\nAREA_{n}_RECALL=area {n}, part {n}, word{n}\n"
        f"AREA_{n}_EXCLUDE=not {n}\nAREA_{n}_ALWAYS_ON=false\n"
        for n in range(domains)
    )


def edit_rules(tree: LiveTree, turn: int) -> None:
    """A keystroke in the text of a rule."""
    path = f"{_SQUAD}/area-3-4"
    tree.edit(path, rules(3, 4, "Check it." if turn % 2 else "Check the output."))
    tree.diagnostics(path)


def edit_manifest(tree: LiveTree, turn: int) -> None:
    """A keystroke in the keywords of a squad."""
    path = f"{_SQUAD}/manifest"
    tree.edit(path, manifest(3, "extract" if turn % 2 else "transform"))
    tree.diagnostics(path)


EDITS: dict[str, Callable[[LiveTree, int], None]] = {
    "rule file": edit_rules,
    "manifest": edit_manifest,
}


def edits(trees: dict[int, LiveTree]) -> bool:
    """Print what an edit costs by the size of the tree; whether the ratio is above the bar."""
    timings: dict[str, dict[int, list[float]]] = {}
    for turn in range(_ROUNDS):
        for size, tree in trees.items():
            for name, edit in EDITS.items():
                start = perf_counter()
                edit(tree, turn)
                timings.setdefault(name, {}).setdefault(size, []).append(perf_counter() - start)
    failed = False
    for name, by_size in timings.items():
        small, large = (median(by_size[size]) * 1e3 for size in SIZES)
        failed |= large / small > RATIO
        print(
            f"one edit of a {name}, diagnostics included: {small:.2f} ms in {SIZES[0]:,} files, "
            f"{large:.2f} ms in {SIZES[1]:,}, ratio {large / small:.2f} (bar {RATIO})"
        )
    return failed


def keystrokes(root: Path) -> bool:
    """Print what a keystroke and a hover cost in a long manifest; whether a bar is missed."""
    files = {f".synapse/area-{n}": f"AREA_{n}_RULE_0=Check {n}.\n" for n in range(500)}
    files |= {**TEAM, ".synapse/manifest": long_manifest()}
    tree = LiveTree(str(write_tree(root, files)))
    tree.load()
    path, text = ".synapse/manifest", long_manifest()
    tree.open(path, text)
    turn = 0

    def type_() -> None:
        nonlocal turn
        turn += 1
        tree.begin_edit(path, text.replace("word250", "word250" + "x" * (turn % 20)))
        tree.diagnostics(path)

    def type_and_settle() -> None:
        type_()
        tree.settle()

    place = text.index("word250")
    hover(tree.view(), path, place)
    what = "keystroke in a manifest of 2,000 lines"
    failed = report(f"{what}, the file's own findings", calls(type_, rounds=100), OWN)
    failed |= report(f"{what}, with those of the tree", calls(type_and_settle, rounds=100), WIDE)
    calm = calls(lambda: hover(tree.view(), path, place), rounds=200)
    return report("hover on a keyword of it", calm, HOVER) or failed


def hovers(tree: LiveTree) -> bool:
    """Print what a hover costs in the large tree, with an edit before it and without."""
    path = f"{_SQUAD}/manifest"
    place = (tree.text(path) or "").index("area3x4")
    hover(tree.view(), path, place)
    calm = calls(lambda: hover(tree.view(), path, place), rounds=200)
    turn = 0

    def after_edit() -> None:
        nonlocal turn
        turn += 1
        edit_rules(tree, turn)
        hover(tree.view(), path, place)

    failed = report(f"hover in {SIZES[1]:,} files", calm, HOVER)
    report("  the first after an edit", calls(after_edit, rounds=20, warm=2), 0)
    return failed


def report(name: str, times: list[float], bar: float) -> bool:
    """Print the percentiles of ``times`` in milliseconds; whether the 95th is above the bar."""
    p50, p95 = percentile(times, 50), percentile(times, 95)
    told = f" (bar {bar:g} ms)" if bar else ""
    print(f"{name}: p50 {p50:.2f} ms, p95 {p95:.2f} ms{told}")
    return bool(bar) and p95 > bar


def main() -> int:
    """Print the figures; 1 where one of them misses its bar."""
    with tempfile.TemporaryDirectory() as folder:
        trees = {}
        for size in SIZES:
            tree = LiveTree(str(write(Path(folder, str(size)), size)))
            start = perf_counter()
            tree.load()
            print(f"load of {size:,} files: {perf_counter() - start:.2f} s")
            tree.open(f"{_SQUAD}/manifest", manifest(3))
            tree.open(f"{_SQUAD}/area-3-4", rules(3, 4))
            trees[size] = tree
        gc.collect()
        gc.freeze()
        failed = edits(trees)
        failed = hovers(trees[SIZES[1]]) or failed
        failed = keystrokes(Path(folder, "long")) or failed
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    print(f"peak memory of this process, both trees: {peak:.0f} MB")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
