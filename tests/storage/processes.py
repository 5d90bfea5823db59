"""Real child processes that import the package as the hook does: no site, no environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import synapse_ls

_PACKAGES = Path(synapse_ls.__file__).parents[1]


def start(code: str, *arguments: str | Path) -> subprocess.Popen[str]:
    """A process that runs ``code`` with ``arguments`` in ``sys.argv[1:]``; its pipes are ours."""
    prelude = f"import sys\nsys.path.insert(0, {str(_PACKAGES)!r})\n"
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", prelude + code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(code: str, *arguments: str | Path) -> str:
    """What ``code`` prints; fails the test with its traceback if it does not end well."""
    process = start(code, *arguments)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return output
