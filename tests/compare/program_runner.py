"""This process runs commands of one of the programs that are compared, one after the other.

    PYTHON -m tests.compare.program_runner HOOK

PYTHON is the interpreter of that program. Each line of standard input is a job as JSON, each line of
standard output what became of it. ``start`` of a job says how it is run: "fork" in a fork of this
process, where everything is imported already; "command" and "hook" in a process of its own, as a person
and as an agent client start it. What a command leaves running has ended before its answer is written.

Nothing here knows a module of the program but its entry point and what a busy machine would change.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from contextlib import suppress
from typing import Any

from tests.hostile.forked_commands import adopt_orphans, run_command, wait_for_descendants
from tests.warm_program import compile_patterns, import_program

Job = dict[str, Any]
SERVERS = ("synapse_ls.lsp", "synapse_ls.mcp")
"""They are started as processes only."""


def _run_process(job: Job, hook: str) -> Job:
    beginning = ["-I", "-S", hook] if job["start"] == "hook" else ["-m", "synapse_ls"]
    done = subprocess.run(
        [sys.executable, *beginning, *job["arguments"]],
        input=job["stdin"].encode("utf-8", "surrogatepass"),
        capture_output=True,
        cwd=job["folder"],
        env=job["environment"],
        timeout=job["seconds"],
    )
    return {
        "code": done.returncode,
        "out": done.stdout.decode("utf-8", "backslashreplace"),
        "err": done.stderr.decode("utf-8", "backslashreplace"),
    }


def main() -> None:
    """Runs the jobs of standard input."""
    adopt_orphans()
    is_warm = False
    for line in sys.stdin:
        job = json.loads(line)
        if job["start"] == "fork":
            if not is_warm:
                import_program(without=SERVERS)
                with suppress(ImportError):
                    compile_patterns()
                setattr(os, "fsync", lambda _: None)  # noqa: B010 - nothing waits for the disk
                gc.collect()
                gc.freeze()
                is_warm = True
            outcome = run_command({**job, "answers": 0}, job["seconds"])
        else:
            outcome = _run_process(job, sys.argv[1])
        if not wait_for_descendants(job["seconds"]):
            outcome["err"] += "(what it has started does not end)\n"
        answer = {name: outcome[name] for name in ("code", "out", "err")}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
