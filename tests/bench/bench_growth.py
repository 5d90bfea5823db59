"""How what is asked of a tree grows with its domains, from 10 to 10,000.

    python -m tests.bench.bench_growth [--picture FILE]

Each row is told for the largest tree, with the exponent of its growth from 100 domains on: the slope of a line through the logarithms, so 0 is
what costs the same in every tree, and 1 what costs ten times as much in a tree ten times as large. Trees of one size
take turns with nothing else. ``--picture`` draws all of it, milliseconds over domains, both logarithmic.
"""

from __future__ import annotations

import argparse
import gc
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from synapse_ls.ide.hovers.hover import hover
from synapse_ls.live.live_tree import LiveTree
from tests.bench.bench_assembly import block, large_files
from tests.bench.bench_hook import placed, prompt, settle, warm
from tests.bench.measure import Figure, calls, percentile, print_figures, processes
from tests.trees import plan_of, write_tree

SIZES = (10, 100, 1_000, 10_000)
FROM = 100  # domains; below it, what costs the same in every tree is nearly all
PER_SQUAD = 10
_COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b", "#e377c2")
_WIDTH, _HEIGHT, _LEFT, _TOP = 760, 420, 70, 20
_PLOT_WIDTH, _PLOT_HEIGHT = 420, 350

Times = dict[str, dict[int, float]]
"""Milliseconds by what was asked and by the number of domains."""


def measure(domains: int, times: Times) -> None:
    """Note what a tree of so many domains costs."""

    def note(name: str, taken: Sequence[float]) -> None:
        times.setdefault(name, {})[domains] = percentile(taken, 50)

    files = large_files(domains // PER_SQUAD, PER_SQUAD)
    note("a plan made from the texts", calls(lambda: plan_of(files), rounds=3, warm=1))
    plan = plan_of(files)
    note("a block in a warm process", calls(lambda: block(plan, 50), rounds=200))
    with placed(None) as (root, environment):
        write_tree(root, files)
        settle(root)
        warm(root, environment)
        hooks = processes(
            {"": lambda n: prompt(root, "one", f"go on with part {n}")},
            rounds=20,
            environment=environment,
        )
        note("a prompt, as a process", hooks[""])
        tree = LiveTree(str(root))
        note("a server's first load, findings included", calls(tree.load, rounds=1, warm=0))
        path, turn = "squads/s0/.synapse/d3", 0
        text = tree.text(path) or ""
        tree.open(path, text)

        def type_() -> None:
            nonlocal turn
            turn += 1
            tree.edit(path, text.replace("domain 3", "domain 3" + "x" * (turn % 9)))
            tree.diagnostics(path)

        note("a keystroke, all findings included", calls(type_, rounds=100))
        manifest = "squads/s0/.synapse/manifest"
        place = (tree.text(manifest) or "").index("D3_RECALL")
        note("a hover", calls(lambda: hover(tree.view(), manifest, place), rounds=100))


def exponent(by_size: Mapping[int, float]) -> float:
    """The slope of a line through the logarithms, by least squares."""
    sizes = [math.log(size) for size in by_size if size >= FROM]
    times = [math.log(took) for size, took in by_size.items() if size >= FROM]
    return statistics.linear_regression(sizes, times).slope


def draw(times: Times) -> str:
    """A picture (SVG) of all lines."""
    low = math.floor(math.log10(min(min(line.values()) for line in times.values())))
    high = math.ceil(math.log10(max(max(line.values()) for line in times.values())))
    span = math.log10(SIZES[-1] / SIZES[0])

    def x_of(size: float) -> float:
        return _LEFT + _PLOT_WIDTH * math.log10(size / SIZES[0]) / span

    def y_of(took: float) -> float:
        return _TOP + _PLOT_HEIGHT * (high - math.log10(took)) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        "<title>Milliseconds over the domains of a tree, both logarithmic</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
    ]
    for power in range(low, high + 1):
        y = y_of(10.0**power)
        parts.append(f'<path d="M{_LEFT} {y:.1f}h{_PLOT_WIDTH}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>'
        )
    for size in SIZES:
        x = x_of(size)
        parts.append(f'<path d="M{x:.1f} {_TOP}v{_PLOT_HEIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - 25}" text-anchor="middle">{size:,}</text>')
    middle = _LEFT + _PLOT_WIDTH / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">domains</text>')
    for color, (name, line) in zip(_COLORS, times.items(), strict=True):
        dots = " ".join(f"{x_of(size):.1f},{y_of(took):.1f}" for size, took in line.items())
        parts.append(f'<polyline points="{dots}" fill="none" stroke="{color}" stroke-width="2"/>')
        y = y_of(line[SIZES[-1]]) + 4
        said = f"{name} ({exponent(line):.2f})"
        parts.append(
            f'<text x="{_LEFT + _PLOT_WIDTH + 8}" y="{y:.1f}" fill="{color}">{said}</text>'
        )
    return "\n".join((*parts, "</svg>", ""))


def figures(picture: Path | None = None) -> Iterator[Figure]:
    """What each costs in the largest tree, and how it has grown."""
    times: Times = {}
    for domains in SIZES:
        measure(domains, times)
        gc.collect()
    for name, line in times.items():
        yield Figure(f"{name}, {SIZES[-1]:,} domains", line[SIZES[-1]], "ms")
        yield Figure("  exponent of its growth", exponent(line), "")
    if picture:
        picture.write_text(draw(times), encoding="utf-8")


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path)
    return print_figures(figures(parser.parse_args().picture))


if __name__ == "__main__":
    raise SystemExit(main())
