"""How much of a whole text the next one shares from its beginning, where nothing has changed in between.

    python -m tests.bench.bench_prefix

A model's provider keeps what begins as before, so a text that is sent whole with each prompt, and a file that is read
with each request, cost little while they begin alike. Two prompts of one state follow each other: for each profile the
whole block, as clients get it that cannot be told differences, and the files that ``synapse sync`` writes. The bar is
that at most 10 % of the characters come after the first difference.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.queries.context_question import Question, answer_question
from tests.bench.measure import Figure, print_figures
from tests.trees import TEAM, write_tree

BAR = 10.0  # per cent
TREES = ("aiox", "carl", "chati", "many-domains")
TARGETS = ("cursor", "copilot", "agents", "claude", "gemini")
PROMPTS = (("go on with the first part", 71.0), ("and then with the second one", 69.5))
"""Prompts without keywords, and how much of the window is left with them, in per cent."""


def rest_percent(first: str, second: str) -> float:
    """How much of the second text comes after its first difference from the first one."""
    pairs = zip(first, second, strict=False)
    shared = next(
        (n for n, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second))
    )
    return 100 * (1 - shared / max(1, len(second)))


def blocks(name: str, root: Path) -> Iterator[Figure]:
    """The whole blocks of two prompts."""
    texts = [
        answer_question(Question(str(root), prompt, remaining=left)).assembly.text
        for prompt, left in PROMPTS
    ]
    yield Figure(f"whole block, {name}: not shared by the next", rest_percent(*texts), "%", BAR)


def synced_files(root: Path, home: Path) -> Iterator[Figure]:
    """The files that are written again after a rule was added at the end of a domain of its own."""
    environment = {**os.environ, "HOME": str(home), "SYNAPSE_LS_CACHE": str(home / "cache")}
    command = (sys.executable, "-m", "synapse_ls", "sync", *TARGETS)
    before: dict[Path, str] = {}
    for _ in range(2):
        subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True)
        texts = {path: path.read_text("utf-8") for path in root.rglob("*") if is_synced(path)}
        if not before:
            before = texts
    worst = max(rest_percent(before.get(path, ""), text) for path, text in texts.items())
    yield Figure(f"{len(texts)} files of `synapse sync`: not shared by the next", worst, "%", BAR)


def is_synced(path: Path) -> bool:
    """Tells whether a file has a part that ``synapse sync`` wrote."""
    return path.suffix in (".md", ".mdc") and "synapse:" in path.read_text("utf-8")


def figures() -> Iterator[Figure]:
    """The figures of a team's tree and of those of other projects."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        os.environ["SYNAPSE_LS_CACHE"] = home
        team = write_tree(Path(folder, "team"), TEAM)
        yield from blocks("a team's tree", team)
        corpus = os.environ.get("SYNAPSE_LS_CORPUS", "")
        for name in TREES if corpus else ():
            root = Path(folder, name)
            shutil.copytree(Path(corpus, name), root, symlinks=True)
            yield from blocks(name, root)
        yield from synced_files(team, Path(home))


if __name__ == "__main__":
    raise SystemExit(print_figures(figures()))
