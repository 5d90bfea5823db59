"""Findings on real trees: how many of them were judged, how many were judged false, and whether ``--fix`` ends.

    python -m tests.bench.bench_findings [--unjudged FILE]

Trees are those of ``SYNAPSE_LS_CORPUS`` and the folders in each folder of ``SYNAPSE_LS_TREES`` (a path list), which are checkouts of
public repositories named ``OWNER+NAME@COMMIT``; nobody tuned the linter for them. ``finding_trees.txt`` names those whose findings were
judged. Of each rule at most 20 findings are drawn from a
tree, and what several states of one repository have in common is drawn once.

Judges who did not write the linter have opened each place and judged each finding on their own, most of them two: ``good`` is true in
every word and worth acting on, ``true`` is true and nothing to act on, ``false`` has a statement that is not so, or a fix that does
harm. A finding is false where one of them says so. ``finding_verdicts.jsonl`` has the verdicts by repository, and by a digest of path, line, message and remedy: a finding that says
something else today, or on another line, has none. The bar is 2 % of what is judged, told with the upper limit of what the share may
be (95 %, one-sided, by Clopper and Pearson). Where there are none but those of the corpus,
nothing is said of how many were judged. ``--unjudged`` writes the findings without a verdict, one a line, each with the line of
``finding_verdicts.jsonl`` to be filled in.

Copies of the corpus are mended by ``synapse check --fix`` twice; the second run may change nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.measure import Figure, print_figures
from tests.kill_points import contents

VERDICTS = Path(__file__).parent / "finding_verdicts.jsonl"
MOST = 20  # findings of a rule in a tree
WANTED = 400
BAR = 2.0  # per cent
_CLIENT_FILES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md")
_CLIENT_FOLDERS = (
    ".cursor/rules/**/*.md",
    ".cursor/rules/**/*.mdc",
    ".github/instructions/**/*.md",
)
_LAID_OVER = {"aiox-repository": "aiox"}
"""Folders of the corpus that are a tree only when they are laid over another."""

Verdicts = dict[tuple[str, str], tuple[str, ...]]
"""What was judged, by repository and digest."""


class DrawnFinding(NamedTuple):
    """A finding that was drawn: in which repository, what is said, and the line that it is on."""

    repository: str
    said: dict[str, Any]
    line: str

    @property
    def key(self) -> tuple[str, str]:
        """Repository and digest, by which a verdict is found."""
        return self.repository, digest(self.said, self.line)

    @property
    def weighs(self) -> bool:
        """Tells whether it is a warning or an error."""
        return self.said["severity"] in ("warning", "error")


def digest(said: dict[str, Any], line: str) -> str:
    """What a verdict is about, without the words of others: path, line, message and remedy."""
    parts = (said["path"], line, said["message"], said.get("remedy") or "")
    return blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()


def upper_limit(false: int, judged: int, confidence: float = 0.95) -> float:
    """The largest share in per cent with which so few of so many come up in more than one of twenty draws."""
    if false >= judged:
        return 100.0

    def chance(share: float) -> float:
        return math.fsum(
            math.comb(judged, k) * share**k * (1 - share) ** (judged - k) for k in range(false + 1)
        )

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) > 1 - confidence else (low, middle)
    return 100 * high


def read_verdicts(file: Path = VERDICTS) -> Verdicts:
    """The verdicts that are kept."""
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {(one["tree"], one["finding"]): tuple(one["verdicts"]) for one in lines}


def corpus_trees(scratch: Path) -> dict[str, Path]:
    """Copies of the trees of the corpus, by name."""
    folder = os.environ.get("SYNAPSE_LS_CORPUS", "")
    trees = {}
    for source in sorted(Path(folder).iterdir()) if folder else ():
        if not source.is_dir() or source.name.startswith("."):
            continue
        tree = trees[source.name] = scratch / source.name
        for layer in (_LAID_OVER.get(source.name), source.name):
            if layer:
                shutil.copytree(Path(folder, layer), tree, symlinks=True, dirs_exist_ok=True)
    return trees


def other_trees() -> dict[str, Path]:
    """Checkouts of repositories, by name."""
    folders = filter(None, os.environ.get("SYNAPSE_LS_TREES", "").split(os.pathsep))
    found = (tree for folder in folders for tree in sorted(Path(folder).iterdir()))
    return {tree.name: tree.resolve() for tree in found if tree.is_dir()}


def check(root: Path, *arguments: str) -> list[dict[str, Any]]:
    """What ``synapse check`` says."""
    command = (sys.executable, "-m", "synapse_ls", "check", "--format", "json", *arguments)
    done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", check=False)
    if done.returncode == 2 and "rule tree" in done.stderr:
        return []  # there is none
    if done.returncode not in (0, 1):
        raise SystemExit(f"{root.name}: {done.stderr}")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def check_all(root: Path) -> list[dict[str, Any]]:
    """What is found in a tree, and in the files around it that clients read."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    files = [name for name in _CLIENT_FILES if (root / name).is_file()]
    files += sorted(str(p.relative_to(root)) for glob in _CLIENT_FOLDERS for p in root.glob(glob))
    for one in (*check(root, "--root", "."), *(check(root, *files) if files else ())):
        found.setdefault((one["path"], one["code"], str(one["range"])), one)
    return [*found.values()]


def repository_of(tree: str) -> str:
    """What the states of one repository have in common."""
    return _LAID_OVER.get(tree, tree.partition("@")[0])


def draw(trees: Iterable[tuple[str, Path]]) -> Iterator[DrawnFinding]:
    """At most 20 of each rule and tree, each once in all states of a repository."""
    known: set[tuple[str, str, str, str]] = set()
    trees = tuple(trees)
    with ThreadPoolExecutor(os.cpu_count()) as processes:
        found_in = processes.map(check_all, (root for _, root in trees))
    for (name, root), found in zip(trees, found_in, strict=True):
        repository = repository_of(name)
        drawn = Counter[str]()
        for one in found:
            same = repository, one["path"], one["code"], one["message"]
            if same in known:
                continue
            drawn[one["code"]] += 1
            if drawn[one["code"]] <= MOST:
                known.add(same)
                yield DrawnFinding(repository, one, read_line(root / one["path"], one["range"]))


def read_line(file: Path, place: dict[str, int]) -> str:
    """The text of the line that a finding is on."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # it is about a file that is missing, or a folder
        return ""
    return lines[place["line"] - 1] if place["line"] <= len(lines) else ""


def judged_figures(
    drawn: Sequence[DrawnFinding], trees: int, verdicts: Verdicts, wanted: int = WANTED
) -> Iterator[Figure]:
    """The shares of what was judged."""
    judged = [(one, verdicts[one.key]) for one in drawn if one.key in verdicts]
    false = sum("false" in verdict for _, verdict in judged)
    yield Figure(
        f"findings drawn from {trees} real trees, at most {MOST} per rule and tree", len(drawn), ""
    )
    yield Figure("  of them judged", len(judged), "")
    if wanted:
        yield Figure(f"  fewer than {wanted} judged, by", max(0, wanted - len(judged)), "", 0)
    if judged:
        yield Figure("  of the judged ones false", 100 * false / len(judged), "%", BAR)
        limit = upper_limit(false, len(judged))
        yield Figure("    upper limit of that (95 %, Clopper-Pearson)", limit, "%")
        heavy = [verdict for one, verdict in judged if one.weighs]
        idle = sum("true" in verdict for verdict in heavy)
        yield Figure(
            "  of the judged warnings and errors nothing to act on",
            100 * idle / max(1, len(heavy)),
            "%",
        )


def mend_twice(trees: dict[str, Path]) -> Iterator[str]:
    """The names of the trees that a second ``synapse check --fix`` changes."""
    for name, root in trees.items():
        for last in (False, True):
            before = contents(root)
            check(root, "--root", ".", "--fix")
            if last and contents(root) != before:
                yield name


def figures(unjudged: Path | None = None) -> Iterator[Figure]:
    """All figures; ``unjudged`` is a file for the findings that nobody has judged."""
    verdicts = read_verdicts()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYNAPSE_LS_CACHE"] = str(Path(folder, "cache"))
        copies = corpus_trees(Path(folder, "copies"))
        others = other_trees()
        trees = {**copies, **others}
        if not trees:
            print("neither SYNAPSE_LS_CORPUS nor SYNAPSE_LS_TREES is set", file=sys.stderr)
            return
        drawn = [*draw(trees.items())]
        yield from judged_figures(drawn, len(trees), verdicts, WANTED if others else 0)
        if unjudged:
            write_unjudged(unjudged, drawn, verdicts)
        if copies:
            changed = [*mend_twice(copies)]
            if changed:
                print("   changed again:", ", ".join(changed), file=sys.stderr)
            what = f"copies of {len(copies)} trees: changed by a second `synapse check --fix`"
            yield Figure(what, len(changed), "", 0)


def write_unjudged(file: Path, drawn: Iterable[DrawnFinding], verdicts: Verdicts) -> None:
    """Write what nobody has judged: the whole finding, and the line that keeps a verdict."""
    lines = []
    for one in drawn:
        if one.key not in verdicts:
            kept = {"rule": one.said["code"], "tree": one.repository, "finding": one.key[1]}
            lines.append(
                json.dumps({"keep": {**kept, "verdicts": []}, **one.said}, ensure_ascii=False)
            )
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main() -> int:
    """Print the figures; 1 where one is above its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unjudged", type=Path, metavar="FILE")
    return print_figures(figures(parser.parse_args().unjudged))


if __name__ == "__main__":
    raise SystemExit(main())
