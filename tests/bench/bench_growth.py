"""How what is asked of a tree grows with its domains, from 10 to 10,000.

    python -m tests.bench.bench_growth [--picture FILE]

Each row is told for the largest tree, with the exponent of its growth from 100 domains on: the slope of a line through the logarithms, so 0 is
what costs the same in every tree, and 1 what costs ten times as much in a tree ten times as large. Trees of one size
take turns with nothing else. Times are the processor's, so that the picture is the same on a busy machine. ``--picture`` draws
all of it, milliseconds over domains, both logarithmic.
"""

from __future__ import annotations

import argparse
import gc
import math
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from synapse_ls.ide.hover import hover
from synapse_ls.live.live_tree import LiveTree
from tests.bench.bench_assembly import block, large_files
from tests.bench.bench_hook import placed, prompt, settle, warm
from tests.bench.measure import (
    Figure,
    calls,
    children_processor,
    percentile,
    print_figures,
    processes,
)
from tests.trees import plan_of, write_tree

SIZES = (10, 100, 1_000, 10_000)
FROM = 100  # domains; below it, what costs the same in every tree is nearly all
PER_SQUAD = 10
_COLORS = ("#2f81c7", "#d0453e", "#3b9a45", "#8a63c9", "#b0741f", "#cf57ab")
"""Colours that can be told from each other on white and on black."""
_STYLE = """\
<style>
rect{fill:#fff} text{fill:#333} .grid{stroke:#ddd}
@media (prefers-color-scheme:dark){rect{fill:#16181d} text{fill:#ddd} .grid{stroke:#3a3d44}}
</style>"""
_WIDTH, _HEIGHT, _LEFT, _TOP = 800, 420, 70, 20
_PLOT_WIDTH, _PLOT_HEIGHT = 400, 350
_LABEL_STEP = 17  # from one name to the next, at least

Times = dict[str, dict[int, float]]
"""Milliseconds by what was asked and by the number of domains."""


def measure(domains: int, times: Times) -> None:
    """Note what a tree of so many domains costs."""

    def note(name: str, taken: Sequence[float]) -> None:
        times.setdefault(name, {})[domains] = percentile(taken, 50)

    files = large_files(domains // PER_SQUAD, PER_SQUAD)

    def make_plan() -> None:
        """As a hook does, whose process ends before there is any garbage to collect."""
        gc.disable()
        plan_of(files)
        gc.enable()

    note(
        "a plan made from the texts",
        calls(make_plan, rounds=3, warm=1, clock=time.process_time),
    )
    plan = plan_of(files)
    note(
        "a block in a warm process",
        calls(lambda: block(plan, 50), rounds=200, clock=time.process_time),
    )
    with placed(None) as (root, environment):
        write_tree(root, files)
        settle(root)
        warm(root, environment)
        hooks = processes(
            {"": lambda n: prompt(root, "one", f"go on with part {n}")},
            rounds=20,
            environment=environment,
            clock=children_processor,
        )
        note("a prompt, as a process", hooks[""])
        tree = LiveTree(str(root))
        note(
            "a server's first load, findings included",
            calls(tree.load, rounds=1, warm=0, clock=time.process_time),
        )
        path, turn = "squads/s0/.synapse/d3", 0
        text = tree.text(path) or ""
        tree.open(path, text)

        def type_() -> None:
            nonlocal turn
            turn += 1
            tree.edit(path, text.replace("domain 3", "domain 3" + "x" * (turn % 9)))
            tree.diagnostics(path)

        note(
            "a keystroke, all findings included", calls(type_, rounds=100, clock=time.process_time)
        )
        manifest = "squads/s0/.synapse/manifest"
        place = (tree.text(manifest) or "").index("D3_RECALL")
        note(
            "a hover",
            calls(lambda: hover(tree.view(), manifest, place), rounds=100, clock=time.process_time),
        )


def exponent(by_size: Mapping[int, float]) -> float:
    """The slope of a line through the logarithms, by least squares."""
    sizes = [math.log(size) for size in by_size if size >= FROM]
    times = [math.log(took) for size, took in by_size.items() if size >= FROM]
    return statistics.linear_regression(sizes, times).slope


def label_places(wanted: Mapping[str, float]) -> dict[str, float]:
    """Where names stand beside the ends of their lines: from the top on, none over another."""
    places: dict[str, float] = {}
    least = 0.0
    for name, y in sorted(wanted.items(), key=lambda one: one[1]):
        places[name] = max(y, least)
        least = places[name] + _LABEL_STEP
    return places


def time_of(power: int) -> str:
    """A power of ten in milliseconds, as people say it."""
    return f"{10.0**power:g} ms" if power < 3 else f"{10.0 ** (power - 3):g} s"


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
        'font-family="sans-serif" font-size="12" role="img">',
        "<title>Milliseconds of the processor over the domains of a tree, both logarithmic</title>",
        _STYLE,
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>',
    ]
    for power in range(low, high + 1):
        y = y_of(10.0**power)
        parts.append(f'<path d="M{_LEFT} {y:.1f}h{_PLOT_WIDTH}" class="grid"/>')
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{time_of(power)}</text>'
        )
    for size in SIZES:
        x = x_of(size)
        parts.append(f'<path d="M{x:.1f} {_TOP}v{_PLOT_HEIGHT}" class="grid"/>')
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - 25}" text-anchor="middle">{size:,}</text>')
    middle = _LEFT + _PLOT_WIDTH / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">domains</text>')
    places = label_places({name: y_of(line[SIZES[-1]]) + 4 for name, line in times.items()})
    for color, (name, line) in zip(_COLORS, times.items(), strict=True):
        dots = " ".join(f"{x_of(size):.1f},{y_of(took):.1f}" for size, took in line.items())
        parts.append(f'<polyline points="{dots}" fill="none" stroke="{color}" stroke-width="2"/>')
        said = f"{name} ({exponent(line):.2f})"
        style = f'style="fill:{color}" font-weight="600"'
        place = f'x="{_LEFT + _PLOT_WIDTH + 8}" y="{places[name]:.1f}"'
        parts.append(f"<text {place} {style}>{said}</text>")
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
