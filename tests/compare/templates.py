"""The trees that both programs are given: small ones of the tests, one with many squads, and real ones."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.bench.bench_assembly import large_files
from tests.bench.bench_findings import corpus_trees
from tests.carl_trees import BAND, BAND_V2
from tests.chati_trees import BOARD
from tests.compare.programs import REPOSITORY
from tests.trees import TEAM, Files, write_tree

WORKSPACES = REPOSITORY / "tests" / "workspaces"
MOMENT = 1_788_000_000  # seconds since the epoch: when each file of a tree was changed
GENERATED: dict[str, Files] = {
    "team": {
        **TEAM,
        ".synapse/config.toml": "[guard]\nmode = 'enforce'\n",
        ".synapse/memory/shared/one.md": (
            "---\nid: one\ntier: hot\ntags: [deploy]\n---\n\nDeploys wait for QA.\n"
        ),
        "AGENTS.md": "# Agents\n\n- Tests are small.\n- Never print a secret.\n",
        "history.json": '[{"role": "user", "content": "Deploy the api"}]\n',
        "transcript.jsonl": "",
    },
    "broken": {
        **TEAM,
        ".synapse/manifest": TEAM[".synapse/manifest"] + "TESTING_STATE=perhaps\nnonsense\n",
        ".synapse/config.toml": "[guard]\nmode = 3\n[nobody]\nknows = true\n",
        ".synapse/global": TEAM[".synapse/global"]
        + "GLOBAL_RULE_1=Twice\nGLOBAL_RULE_x\n\x1b[31m\n",
        ".synapse/orphan": "ORPHAN_RULE_0=Nobody declares this\n",
    },
    "band": BAND,
    "band-v2": BAND_V2,
    "board": BOARD,
    "many-squads": large_files(squads=20, domains=4),
    "nothing": {"README.md": "# Nothing\n", "CLAUDE.md": "- Use pnpm, never npm\n"},
}
QUICK = ("showcase", "team")
"""What is tried while somebody edits."""


class Template(NamedTuple):
    """A tree by name, and the folder that places copy."""

    name: str
    folder: Path


def write_templates(folder: Path, *, is_quick: bool) -> Iterator[Template]:
    """Writes the trees below ``folder``, each with a commit of all that is in it."""
    for name, source in _sources(folder / "corpus", is_quick=is_quick).items():
        target = folder / name
        if isinstance(source, Path):
            shutil.copytree(source, target, symlinks=True)
        else:
            write_tree(target, source)
        _commit_files(target)
        for path in target.rglob("*"):
            os.utime(path, (MOMENT, MOMENT), follow_symlinks=False)
        yield Template(name, target)


def _sources(scratch: Path, *, is_quick: bool) -> dict[str, Path | Files]:
    sources: dict[str, Path | Files] = {
        path.name: path for path in sorted(WORKSPACES.iterdir()) if path.is_dir()
    }
    sources |= GENERATED
    if is_quick:
        return {name: sources[name] for name in QUICK}
    return sources | {f"corpus-{name}": path for name, path in corpus_trees(scratch).items()}


def _commit_files(folder: Path) -> None:
    """Puts all files into a repository of git whose commit has the same name each time."""
    day = f"{MOMENT} +0000"
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Dev"),
        **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "dev@example.com"),
        **dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), day),
    }
    for arguments in (
        ["init", "-q", "-b", "main", "--template="],
        ["add", "-f", "-A"],
        ["commit", "-q", "-m", "The tree as it is"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True)
