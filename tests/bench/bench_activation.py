"""How long it takes to bring an agent up.

    python -m tests.bench.bench_activation [--tree TREE] [--rounds N]

Bars, for each agent, as the 95th percentile: 500 ms for `synapse activate` as a process of its own, 350 ms with
any loader made to hang, and 20 ms in a process that has done it before, where a bare interpreter takes 7 ms: they are
judged as multiples of one. What nothing was ever remembered of is told beside them.

The tree is that of `aiox` in the folder ``SYNAPSE_LS_CORPUS``, unless another is given; it is copied into a
repository of its own, with a change and a few commits.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from synapse_ls.activation.agent_activation import (
    LOADER_NAMES,
    ActivationRequest,
    activate_agent,
    list_agents,
)
from tests.activation.crew import git
from tests.bench.measure import (
    BARE,
    Figure,
    add_tree_option,
    calls_beside,
    corpus_tree,
    interpreter,
    percentile,
    print_figures,
    processes,
    ratio,
    scaled,
)

COLD, WARM, HANGING = 500.0, 20.0, 350.0  # milliseconds
OLD = 1_700_000_000  # what has just changed is looked at again, so everything is made old
_BARE = "a bare interpreter"
_RUN = (interpreter(), "-m", "synapse_ls")
# A process in which one loader never comes back: argv is its name, then the command line.
_HANGS = """
import sys, threading
name = sys.argv[1]
from synapse_ls.activation import agent_activation
made = agent_activation._build_loaders
def hung(*given):
    never = threading.Event()
    return [
        one._replace(load=lambda slot: never.wait()) if one.name == name else one
        for one in made(*given)
    ]
agent_activation._build_loaders = hung
from synapse_ls.__main__ import main
del sys.argv[1]
sys.exit(main())
"""


@contextmanager
def workspace(source: Path) -> Iterator[Path]:
    """A copy of a tree in a repository, with caches of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        shutil.copytree(source, root)
        git(root, "init", "-q", "-b", "feat/bench")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "Everything")
        for number in range(3):
            git(root, "commit", "-q", "--allow-empty", "-m", f"Step {number}")
        (root / "new.txt").write_text("new\n")
        for path in root.rglob("*"):
            if ".git" not in path.parts:
                os.utime(path, (OLD, OLD))
        git(root, "update-index", "-q", "--refresh")
        os.environ["SYNAPSE_LS_CACHE"] = str(Path(folder) / "cache")
        yield root


def command(root: Path, agent: str) -> Callable[[int], tuple[Sequence[str], bytes]]:
    arguments = (*_RUN, "--root", str(root), "activate", agent, "--dry-run")
    return lambda _: (arguments, b"")


def hanging(root: Path, loader: str, agent: str) -> Callable[[int], tuple[Sequence[str], bytes]]:
    own = ("--root", str(root), "activate", agent, "--dry-run")
    return lambda _: ((interpreter(), "-c", _HANGS, loader, *own), b"")


def first_of_all(root: Path, agent: str) -> float:
    """Milliseconds of a process that finds nothing remembered of the tree."""
    with tempfile.TemporaryDirectory() as cache:
        began = time.perf_counter()
        subprocess.run(
            (*_RUN, "--root", str(root), "activate", agent, "--dry-run"),
            env={**os.environ, "SYNAPSE_LS_CACHE": cache},
            capture_output=True,
            check=True,
        )
        return (time.perf_counter() - began) * 1000


def figures(tree: Path | None = None, rounds: int = 20) -> Iterator[Figure]:
    """The figures of each agent, and of one that is brought up while a loader hangs."""
    source = tree or corpus_tree()
    if source is None:
        return
    with workspace(source) as root:
        names = [agent.id for agent in list_agents(str(root))[0]]
        for name in names:
            activate_agent(str(root), name, now=time.time(), deadline=30.0)
        wanted = {name: command(root, name) for name in names}
        alone = {_BARE: lambda _: ((interpreter(), *BARE), b"")}
        taken = processes({**alone, **wanted}, rounds=rounds)
        bare = percentile(taken.pop(_BARE), 50)
        yield Figure("a bare interpreter, p50", bare, "ms")
        for name, times in taken.items():
            what = f"activate {name}, a process of its own"
            yield ratio(what, times, bare)
            yield scaled(f"{what}, p95", percentile(times, 95), bare, COLD)
        for name in names:
            times, bare = calls_beside(
                lambda name=name: activate_agent(
                    str(root), name, ActivationRequest(), now=time.time()
                ),  # type: ignore[misc]
                rounds=rounds * 2,
                warm=3,
            )
            yield scaled(f"activate {name}, warm, p95", percentile(times, 95), bare, WARM)
        hung = {loader: hanging(root, loader, names[0]) for loader in LOADER_NAMES}
        taken = processes({**alone, **hung}, rounds=max(3, rounds // 4))
        bare = percentile(taken.pop(_BARE), 50)
        for loader, times in taken.items():
            what = f"activate while the loader {loader} hangs, p95"
            yield scaled(what, percentile(times, 95), bare, HANGING)
        times = [first_of_all(root, names[0]) for _ in range(3)]
        yield Figure("activate, nothing remembered at all, p50", percentile(times, 50), "ms")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 where one is above its bar."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_tree_option(parser)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args(arguments)
    return print_figures(figures(options.tree, options.rounds))


if __name__ == "__main__":
    sys.exit(main())
