"""What an edit costs an editor: from the new text of a buffer to the file's diagnostics.

Run as a script: ``python -m tests.bench.bench_live``. An edit in a tree of 1,000 files may take at
most 1.3 times as long as in one of 100; a keystroke in a manifest or a rule file of 2,000 lines at most 30 ms until
the file's own findings, in the manifest 100 ms until those of the tree; a hover and a completion at most 10 ms (95th percentile),
where a bare interpreter takes 7 ms: they are judged as multiples of one started in between.
"""

from __future__ import annotations

import gc
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from synapse_ls.ide.completion import complete_at
from synapse_ls.ide.hover import hover
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.lsp.served_trees import COLLECTION_THRESHOLDS
from tests.bench.bench_index import rules
from tests.bench.measure import Figure, calls, calls_beside, percentile, print_figures, scaled
from tests.trees import TEAM, write_tree

SIZES = (100, 1_000)
RATIO = 1.3
OWN, WIDE = 30.0, 100.0  # milliseconds until a file's own findings, and until those of the tree
HOVER = 10.0
LONG = 2_000
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


def edits(trees: dict[int, LiveTree]) -> Iterator[Figure]:
    """What an edit costs by the size of the tree."""
    timings: dict[str, dict[int, list[float]]] = {}
    for turn in range(_ROUNDS):
        for size, tree in trees.items():
            for name, edit in EDITS.items():
                start = perf_counter()
                edit(tree, turn)
                timings.setdefault(name, {}).setdefault(size, []).append(perf_counter() - start)
    for name, by_size in timings.items():
        small, large = (median(by_size[size]) * 1e3 for size in SIZES)
        what = f"one edit of a {name}, diagnostics included"
        yield Figure(f"{what}, {SIZES[1]:,} files", large, "ms")
        yield Figure(f"  times that in {SIZES[0]:,} files", large / small, "×", RATIO)


def keystrokes(root: Path) -> Iterator[Figure]:
    """What a keystroke and a hover cost in a long manifest."""
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
    yield worst(f"{what}, the file's own findings", type_, OWN)
    yield worst(f"{what}, with those of the tree", type_and_settle, WIDE)
    yield worst("hover on a keyword of it", lambda: hover(tree.view(), path, place), HOVER)
    at_value = text.index("AREA_250_STATE=") + len("AREA_250_STATE=")
    completed = lambda: complete_at(tree.view(), path, at_value)  # noqa: E731
    yield worst("completion of a value in it", completed, HOVER)


def long_file(root: Path) -> Figure:
    """What a keystroke costs in a long rule file."""
    tree = LiveTree(str(write_tree(root, TEAM)))
    tree.load()
    path = ".synapse/global"
    text = "".join(f"GLOBAL_RULE_{n}=Check {n}\n" for n in range(LONG))
    tree.open(path, text)
    place = text.index(f"=Check {LONG // 2}\n") + len("=Check ")
    turn = 0

    def type_() -> None:
        nonlocal turn
        turn += 1
        tree.begin_edit(path, text[:place] + "x" * (turn % 20) + text[place:])
        tree.diagnostics(path)

    what = f"keystroke in a rule file of {LONG:,} lines, own findings"
    return worst(what, type_, OWN)


def hovers(tree: LiveTree) -> Iterator[Figure]:
    """What a hover costs in the large tree, with an edit before it and without."""
    path = f"{_SQUAD}/manifest"
    place = (tree.text(path) or "").index("area3x4")
    hover(tree.view(), path, place)
    calm = f"hover in {SIZES[1]:,} files"
    yield worst(calm, lambda at=place: hover(tree.view(), path, at), HOVER)  # type: ignore[misc]
    for name, edit in EDITS.items():
        times = []
        for turn in range(40):
            edit(tree, turn)
            place = (tree.text(path) or "").index("area3x4")
            times += calls(lambda at=place: hover(tree.view(), path, at), rounds=1, warm=0)  # type: ignore[misc]
        # The plan is made anew; a server does that when the person pauses, so few meet it.
        yield Figure(f"  the first after an edit of a {name}, p95", percentile(times, 95), "ms")


def worst(name: str, function: Callable[[], object], bar: float) -> Figure:
    """The 95th percentile of calls."""
    times, bare = calls_beside(function, rounds=100, warm=3)
    return scaled(f"{name}, p95", percentile(times, 95), bare, bar)


def figures() -> Iterator[Figure]:
    """All figures, in the order of the report."""
    with tempfile.TemporaryDirectory() as folder:
        trees = {}
        for size in SIZES:
            tree = LiveTree(str(write(Path(folder, str(size)), size)))
            start = perf_counter()
            tree.load()
            yield Figure(f"load of {size:,} files", perf_counter() - start, "s")
            tree.open(f"{_SQUAD}/manifest", manifest(3))
            tree.open(f"{_SQUAD}/area-3-4", rules(3, 4))
            trees[size] = tree
        gc.collect()
        gc.freeze()
        gc.set_threshold(*COLLECTION_THRESHOLDS)
        yield from edits(trees)
        yield from hovers(trees[SIZES[1]])
        yield from keystrokes(Path(folder, "long"))
        yield long_file(Path(folder, "longer"))
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    yield Figure("peak memory of this process, both trees", peak, "MB")


if __name__ == "__main__":
    raise SystemExit(print_figures(figures()))
