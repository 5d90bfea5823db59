"""A cold VS Code window with a broken manifest: from its text on the screen to the first finding.

    python -m tests.bench.bench_window

It is what ``scripts/test-vscode --window coldStart`` measures, in a real VS Code with the packaged extension: the median of three windows,
each of which has just been given the extension, since one window may take a third more or less than the next. Where Node, VS Code or a
browser is not there and cannot be fetched, there is no row, and the reason is said. The bar is 2.5 s.
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
    """The rows in what the script has said, once or several times."""
    for name, bar in ROWS.items():
        if found := re.findall(rf"^{re.escape(name)}: (\d+) ms$", said, re.MULTILINE):
            yield Figure(f"VS Code, {name}", median(map(int, found)) / 1000, "s", bar)


def open_window() -> subprocess.CompletedProcess[str]:
    """What the script says of one cold window."""
    return subprocess.run(
        ["bash", str(SCRIPT), "--window", "coldStart"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def figures() -> Iterator[Figure]:
    """The rows of the cold windows."""
    done = open_window()
    if any(read_figures(done.stdout)):
        further = (open_window().stdout for _ in range(1, WINDOWS))
        yield from read_figures("\n".join((done.stdout, *further)))
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
