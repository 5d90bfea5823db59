"""A cold VS Code window with a broken manifest: from its text on the screen to the first finding.

    python -m tests.bench.bench_window

It is what ``scripts/test-vscode --window coldStart`` measures, in a real VS Code with the packaged extension: the median of three windows,
since one may take a third more or less than the next. The window before them has just been given the extension, so Python compiles the
server in it; it is told beside the others. Each has a server and a browser of its own. Where Node, VS Code or a browser is not there and
cannot be fetched, there is no row, and the reason is said. The bar is 2.5 s.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.measure import Figure, print_figures

SCRIPT = Path(__file__).parents[2] / "scripts" / "test-vscode"
ROWS = {
    "first finding, from the manifest's text on the screen": 2.5,
    "first finding, from opening the window": None,
}
"""The script's figures, and their bars in seconds."""
WINDOWS = 3


def read_figures(said: str) -> Iterator[Figure]:
    """The rows in what the script has said of several windows, the first of which has just been given the extension."""
    for name, bar in ROWS.items():
        first, *others = map(int, re.findall(rf"^{re.escape(name)}: (\d+) ms$", said, re.MULTILINE))
        yield Figure(f"VS Code, {name}", median(others) / 1000, "s", bar)
        yield Figure(f"VS Code, just installed: {name}", first / 1000, "s")


def figures() -> Iterator[Figure]:
    """The rows of the cold windows."""
    done = subprocess.run(
        ["bash", str(SCRIPT), "--window", *["coldStart"] * (1 + WINDOWS)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if f"{1 + WINDOWS} passed, 0 failed" in done.stdout:
        yield from read_figures(done.stdout)
        return
    skipped = re.search(r"^skipped: .*$", done.stdout, re.MULTILINE)
    print(
        "  ",
        skipped[0] if skipped else done.stdout[-2_000:] + done.stderr[-2_000:],
        file=sys.stderr,
    )
    if not skipped:
        yield Figure("VS Code, no figure of the cold window", 1, "", 0)


if __name__ == "__main__":
    raise SystemExit(print_figures(figures()))
