"""Whole-process time of the hook against a bare interpreter.

    python -m tests.bench.bench_hook [WORKSPACE] [ROUNDS]

The bar is 3.0 × ``python -I -S -c pass`` for an unchanged tree whose plan is cached.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.bench.measure import BARE, interpreter, percentile, processes, row
from tests.trees import TEAM, write_tree

HOOK = Path(__file__).parents[2] / "server" / "synapse_ls" / "hook.py"


def event(root: Path, session: str, prompt: str) -> bytes:
    """A prompt as Claude Code sends it."""
    return json.dumps(
        {
            "session_id": session,
            "transcript_path": "",
            "cwd": str(root),
            "prompt": prompt,
            "permission_mode": "default",
            "hook_event_name": "UserPromptSubmit",
        }
    ).encode()


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        if len(sys.argv) > 1:
            shutil.copytree(sys.argv[1], root, symlinks=True)
        else:
            write_tree(root, TEAM)
        for path in (root, *root.rglob("*")):
            os.utime(path, (1_700_000_000, 1_700_000_000), follow_symlinks=False)
        python = interpreter()
        hook = (python, "-I", "-S", str(HOOK), "--event", "UserPromptSubmit", "--client", "claude")
        environment = {"SYNAPSE_LS_CACHE": str(Path(folder) / "cache")}
        taken = processes(
            {
                "python -I -S -c pass": lambda _: ((python, *BARE), b""),
                "python -I -S -c 'import json'": lambda _: (
                    (python, "-I", "-S", "-c", "import json"),
                    b"",
                ),
                "hook, unchanged prompt": lambda _: (hook, event(root, "one", "go on")),
                "hook, first prompt of a session": lambda n: (
                    hook,
                    event(root, f"s{n}", "improve the login endpoint *brief"),
                ),
                "hook, no tree": lambda _: (hook, event(Path("/"), "none", "go on")),
            },
            rounds=rounds,
            environment=environment,
        )
    base = percentile(taken["python -I -S -c pass"], 50)
    for name, times in taken.items():
        bar = "bar 3.00 ×" if name.startswith("hook") else ""
        print(row(name, times, base, bar))


if __name__ == "__main__":
    main()
