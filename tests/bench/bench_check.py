"""``synapse check`` against agnix, a linter of agent files written in Rust, on as many of its files.

Run as a script: ``python -m tests.bench.bench_check [FILES …]`` (1,000). agnix is taken
from the path, or from ``AGNIX=/path/to/agnix``; ``pip install agnix`` in any environment brings it.
Both read the same rules: we in squads of ten rule files, agnix in equal parts of each kind of rule
file that it knows, since its kinds differ fifty-fold in what they cost. The bars are ratios at 1,000
files; everything is measured in turn in one run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import synapse_ls
from tests.bench.measure import BARE, Figure, corpus_tree, percentile, print_figures, ratio

PACKAGE = Path(synapse_ls.__file__).parent
SIZES = (1_000,)
BARS: dict[str, float | None] = {"cold": 5.0, "unchanged": None}
"""Multiples of what agnix takes."""
REFERENCE_BARS = {"cold": 45.0, "unchanged": 12.0}
"""Multiples of a bare interpreter."""
BAR_SIZE = 1_000
_ROUNDS = 7
_SELDOM = {"cold": 3}
"""How often what takes longest is measured: it varies least."""
_PER_SQUAD = 10
_RULES = 20
_SENTENCES = (
    "Check every input where it enters the system",
    "Write the test before the code and run it",
    "Name a thing after what it does",
    "Log each retry with the id of the request",
    "Keep functions short enough to be read at once",
    "Never print a secret, not even in a trace",
)


def sentence(file: int, rule: int) -> str:
    """A rule, unlike all others."""
    return f"{_SENTENCES[(file + rule) % len(_SENTENCES)]} ({file}, {rule})."


def ours(root: Path, files: int) -> None:
    """A tree of so many rule files, in squads of ten; nothing is wrong with it."""
    write(root / ".synapse/manifest", "GLOBAL_STATE=active\n")
    write(root / ".synapse/global", "GLOBAL_RULE_0=Leave the code better than you found it.\n")
    for squad in range(files // _PER_SQUAD):
        folder = root / f"squads/squad-{squad}"
        write(folder / "squad.yaml", f"name: squad-{squad}\nversion: 1.0.0\n")
        areas = [f"AREA_{squad}_{k}" for k in range(_PER_SQUAD)]
        write(
            folder / ".synapse/manifest",
            "".join(
                f"{area}_STATE=active\n{area}_RECALL=area {squad} part {k}, piece {k} of {squad}\n"
                for k, area in enumerate(areas)
            ),
        )
        for k, area in enumerate(areas):
            number = squad * _PER_SQUAD + k
            rules = (f"{area}_RULE_{i}={sentence(number, i)}\n" for i in range(_RULES))
            write(folder / f".synapse/{area.lower().replace('_', '-')}", "".join(rules))


def theirs(root: Path, files: int) -> None:
    """As many files with the same rules, of every kind that agnix checks, in equal parts."""
    for number in range(files):
        rules = "".join(f"- {sentence(number, i)}\n" for i in range(_RULES))
        path, head = _KINDS[number % len(_KINDS)]
        write(root / path.format(n=number), f"{head.format(n=number)}# Area {number}\n\n{rules}")


_KINDS = (
    ("src/area-{n}/CLAUDE.md", ""),
    ("src/area-{n}/AGENTS.md", ""),
    (
        ".cursor/rules/area-{n}.mdc",
        "---\ndescription: Area {n}\nglobs: src/area-{n}/**/*.ts\nalwaysApply: false\n---\n\n",
    ),
    (".github/instructions/area-{n}.instructions.md", '---\napplyTo: "src/area-{n}/**"\n---\n\n'),
    (
        ".claude/skills/area-{n}/SKILL.md",
        "---\nname: area-{n}\ndescription: Use when working on area {n} of the system\n---\n\n",
    ),
)


def write(path: Path, text: str) -> None:
    """A file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def timed(
    commands: Mapping[str, tuple[Sequence[str], Path]],
) -> dict[str, list[float]]:
    """Milliseconds of whole processes, each started once a round."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(_ROUNDS):
        for name, (command, folder) in commands.items():
            if turn >= _SELDOM.get(name, _ROUNDS):
                continue
            started = time.perf_counter()
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
            taken[name].append((time.perf_counter() - started) * 1000)
            # agnix finds long folders of rules wordy, which is an opinion and no failure.
            if done.returncode not in (0, 1):
                raise SystemExit(f"{name} failed: {done.stderr.decode()}")
    return taken


def figures(sizes: Sequence[int] = SIZES) -> Iterator[Figure]:
    """The figures of each size; as multiples of agnix, where there is one."""
    yield from reference()
    agnix = os.environ.get("AGNIX") or shutil.which("agnix")
    if not agnix:
        print(
            "agnix is not on the path, so there are no ratios; `pip install agnix`, or set AGNIX",
            file=sys.stderr,
        )
    for files in sizes:
        with tempfile.TemporaryDirectory() as folder:
            yield from compare(agnix, Path(folder), files)


def reference() -> Iterator[Figure]:
    """A first check of the reference tree and one of it unchanged, against a bare interpreter; nothing where there is no
    such tree.
    """
    tree = corpus_tree()
    if tree is None:
        return
    check = [sys.executable, "-m", "synapse_ls", "check"]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["SYNAPSE_LS_CACHE"] = cache
        subprocess.run(check, cwd=tree, capture_output=True, check=False)
        commands = {
            "bare": ([sys.executable, *BARE], tree),
            "cold": ([*check, "--no-cache"], tree),
            "unchanged": (check, tree),
        }
        taken = timed(commands)
    base = percentile(taken["bare"], 50)
    for name, most in REFERENCE_BARS.items():
        yield ratio(f"synapse check, {name}, reference tree", taken[name], base, most)


def compare(agnix: str | None, folder: Path, files: int) -> Iterator[Figure]:
    """The figures of one size."""
    generators: dict[str, Callable[[Path, int], None]] = {"ours": ours, "theirs": theirs}
    for name, generate in generators.items():
        generate(folder / name, files)
    # A copy of the program, because the cache knows when somebody works on it.
    shutil.copytree(PACKAGE, folder / "program" / PACKAGE.name)
    os.environ["PYTHONPATH"] = str(folder / "program")
    os.environ["SYNAPSE_LS_CACHE"] = str(folder / "cache")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # whoever has it installed has its bytecode
    check = [sys.executable, "-m", "synapse_ls", "check"]
    subprocess.run(check, cwd=folder / "ours", capture_output=True, check=True)
    taken = timed(
        {
            **({"agnix": ([agnix, "--max-files", "0", "."], folder / "theirs")} if agnix else {}),
            "cold": ([*check, "--no-cache"], folder / "ours"),
            "unchanged": (check, folder / "ours"),
        },
    )
    base = percentile(taken["agnix"], 50) if agnix else 0.0
    if agnix:
        yield Figure(f"agnix, {files:,} files, p50", base, "ms")
    for name, most in BARS.items():
        what = f"synapse check, {name}, {files:,} files"
        yield Figure(f"{what}, p50", percentile(taken[name], 50), "ms")
        if agnix:
            yield ratio(f"  {name}", taken[name], base, most if files == BAR_SIZE else None)


if __name__ == "__main__":
    raise SystemExit(print_figures(figures(tuple(map(int, sys.argv[1:])) or SIZES)))
