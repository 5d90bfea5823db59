"""Whole-process time of the hook against a bare interpreter.

    python -m tests.bench.bench_hook [--tree TREE] [--rounds N] [--squads N]

Bars, in multiples of ``python -I -S -c pass``: those of `BARS` for an unchanged tree whose plan is
cached, 3.2 with 1,000 squads; 3.0 for a prompt after a workflow state has changed, where an event has come
between, and 6.0 where none has. In milliseconds: 300 for the first prompt in a tree of 1,000 squads that
nothing is known of, which brings what applies everywhere and says what is still being read. Every prompt
has words of its own: the same ones at once would be taken for another registration's.

The shared line starts the program that an installer has put on the path. What pip 26, pipx and uv write is
measured against a bar; what an older pip writes imports `re` before anything of ours runs, so it has
none.

The tree is that of `aiox` in the folder ``SYNAPSE_LS_CORPUS``, unless another is given.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from synapse_ls.integrations.client_settings import PROJECT
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM, hook_command
from tests.bench.bench_assembly import large_files
from tests.bench.measure import (
    BARE,
    Figure,
    add_tree_option,
    corpus_tree,
    interpreter,
    percentile,
    print_figures,
    processes,
    ratio,
)
from tests.trees import TEAM, write_tree

HOOK = Path(__file__).parents[2] / "server" / "synapse_ls" / "hook.py"
BARS = {
    "prompt, nothing new": 2.4,
    "prompt, nothing new, by the shared line and its shell": 3.0,
    "first prompt of a session": 2.8,
    "tool, nothing new": 2.0,
    "before a file is read": 3.0,
    "before a command, allowed": 3.0,
    "no tree": 3.0,
}
"""What an event may cost, as a multiple of a bare interpreter."""
LAUNCHERS = {
    SHARED_PROGRAM: """\
import sys
from synapse_ls.__main__ import main
if __name__ == '__main__':
    sys.argv[0] = sys.argv[0].removesuffix('.exe')
    sys.exit(main())
""",
    f"{SHARED_PROGRAM}-of-old-pip": r"""# -*- coding: utf-8 -*-
import re
import sys
from synapse_ls.__main__ import main
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\.pyw|\.exe)?$', '', sys.argv[0])
    sys.exit(main())
""",
}
"""The program as pip 26 writes it (that of uv differs in how it cuts the name), and pip before that."""
Command = Callable[[int], tuple[tuple[str, ...], bytes]]
"""From the number of a round to arguments and standard input."""
BARE_NAME = "python -I -S -c pass"
LONG_TRANSCRIPT = "long.jsonl"
PREPARED = 4  # of so many rounds one, where each of them waits for a plan
OLD = 1_700_000_000  # what has just changed is looked at again, so everything is made old
STATE = ".aiox/story-development-cycle-20260102-abc123-state.yaml"
STATE_TEXT = """\
workflow_id: story-development-cycle
workflow_name: Story Development Cycle
instance_id: story-development-cycle-20260102-abc123
target_context: core
started_at: '2026-01-02T10:00:00.000Z'
updated_at: '2099-01-02T11:00:00.000Z'
status: active
current_phase: {phase}
current_step_index: 0
steps:
  - {{step_index: 0, phase: {phase}, agent: dev, action: build, status: pending}}
"""


def bare_interpreter(_: int) -> tuple[tuple[str, ...], bytes]:
    """What all others are compared with."""
    return (interpreter(), *BARE), b""


def command(event: str) -> tuple[str, ...]:
    """The hook as it is registered with Claude Code."""
    return (interpreter(), "-I", "-S", str(HOOK), "--event", event, "--client", "claude")


def shared_line(event: str, program: str = SHARED_PROGRAM) -> tuple[str, ...]:
    """The line that is shared with a team, which finds the program on the path, through its shell."""
    line = hook_command("claude", event, PROJECT)
    return ("/bin/sh", "-c", line.replace(SHARED_PROGRAM, program, 1))


def write_launchers(folder: Path) -> None:
    """Write the programs that installers write for the command line."""
    folder.mkdir()
    for name, text in LAUNCHERS.items():
        launcher = folder / name
        launcher.write_text(f"#!{interpreter()}\n{text}")
        launcher.chmod(0o755)


def payload(root: Path, session: str, name: str, **fields: object) -> bytes:
    """An event as Claude Code sends it, with a transcript of a long session."""
    event = {
        "session_id": session,
        "transcript_path": str(transcript(root.parent, session)),
        "cwd": str(root),
        "permission_mode": "default",
        "hook_event_name": name,
        **fields,
    }
    return json.dumps(event).encode()


def prompt(root: Path, session: str, text: str) -> tuple[tuple[str, ...], bytes]:
    given = {"prompt_id": f"{session}-{text}", "prompt": text}
    return command("UserPromptSubmit"), payload(root, session, "UserPromptSubmit", **given)


def tool(root: Path, session: str) -> tuple[tuple[str, ...], bytes]:
    used = {"tool_name": "Read", "tool_input": {"file_path": str(root / "README.md")}}
    return command("PostToolUse"), payload(root, session, "PostToolUse", **used)


def before(root: Path, session: str, **used: object) -> tuple[tuple[str, ...], bytes]:
    """A tool is about to be used."""
    return command("PreToolUse"), payload(root, session, "PreToolUse", **used)


def shell(root: Path, session: str, line: str) -> tuple[tuple[str, ...], bytes]:
    return before(root, session, tool_name="Bash", tool_input={"command": line})


def settle(root: Path) -> None:
    """Have everything in the tree be old."""
    for path in (root, *root.rglob("*")):
        os.utime(path, (OLD, OLD), follow_symlinks=False)


def transcript(folder: Path, session: str) -> Path:
    """The transcript of a session, which is the same file for each of them."""
    path = folder / f"{session}.jsonl"
    if not path.exists():
        os.link(folder / LONG_TRANSCRIPT, path)
    return path


def timestamp() -> str:
    """The time now, as Claude Code writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write_transcript(folder: Path) -> None:
    """Write two megabytes of a session that has used 42,000 tokens."""
    now = timestamp()
    asked = {"type": "user", "message": {"role": "user", "content": "x" * 4_000}}
    usage = {"input_tokens": 2_000, "cache_read_input_tokens": 40_000, "output_tokens": 50}
    message = {"role": "assistant", "model": "claude-sonnet-5-5", "usage": usage}
    answered = {"type": "assistant", "message": message}
    lines, newest = [], None
    for record in (*[asked] * 500, answered):
        identity = str(uuid4())
        known = {"parentUuid": newest, **record, "uuid": identity, "timestamp": now}
        lines.append(json.dumps(known, separators=(",", ":")))
        newest = identity
    (folder / LONG_TRANSCRIPT).write_text("\n".join(lines) + "\n")


@contextmanager
def placed(source: Path | None) -> Iterator[tuple[Path, dict[str, str]]]:
    """A copy of ``source`` (a tree of ours, or ``None``), and the environment of its hooks."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder) / "tree"
        if source:
            shutil.copytree(source, root, symlinks=True)
        else:
            write_tree(root, TEAM)
        write_transcript(Path(folder))
        write_launchers(Path(folder) / "bin")
        programs = os.pathsep.join((str(Path(folder) / "bin"), os.environ["PATH"]))
        cache = str(Path(folder) / "cache")
        yield root, {"SYNAPSE_LS_CACHE": cache, "CLAUDECODE": "1", "PATH": programs}


def warm(root: Path, environment: dict[str, str]) -> None:
    """Have the plan of the tree in the cache, and a session ``one`` in it."""
    for _ in range(3):
        arguments, data = prompt(root, "one", "@dev go on")
        run_hook(arguments, data, environment)
        wait_for_builds(Path(environment["SYNAPSE_LS_CACHE"]))
        settle(root)


def run_hook(arguments: tuple[str, ...], data: bytes, environment: dict[str, str]) -> None:
    """Run a hook whose reply does not matter."""
    subprocess.run(
        arguments, input=data, env={**os.environ, **environment}, stdout=subprocess.DEVNULL
    )


def reference(source: Path | None, rounds: int) -> Iterator[Figure]:
    """The events of a session, as multiples of a bare interpreter."""
    with placed(source) as (root, environment):
        (root / ".aiox").mkdir(exist_ok=True)
        (root / STATE).write_text(STATE_TEXT.format(phase="in_development"))
        warm(root, environment)
        (root.parent / "bare").mkdir()
        for program in LAUNCHERS:
            told = subprocess.run(
                shared_line("UserPromptSubmit", program),
                input=prompt(root, program, "go on")[1],
                stdout=subprocess.PIPE,
                env={**os.environ, **environment},
            )
            assert b"[GLOBAL]" in told.stdout, f"{program} does not run"
        taken = processes(
            {
                BARE_NAME: bare_interpreter,
                "python -I -S -c 'import json'": lambda _: (
                    (interpreter(), "-I", "-S", "-c", "import json"),
                    b"",
                ),
                "prompt, nothing new": lambda n: prompt(root, "one", f"go on with part {n}"),
                "prompt, nothing new, by the shared line and its shell": lambda n: (
                    shared_line("UserPromptSubmit"),
                    prompt(root, "one", f"go on with this part {n}")[1],
                ),
                "the same with the program that an older pip writes": lambda n: (
                    shared_line("UserPromptSubmit", f"{SHARED_PROGRAM}-of-old-pip"),
                    prompt(root, "one", f"go on with that part {n}")[1],
                ),
                "first prompt of a session": lambda n: prompt(
                    root, f"s{n}", "improve the login endpoint *brief"
                ),
                "tool, nothing new": lambda _: tool(root, "one"),
                "before a file is read": lambda _: before(
                    root,
                    "one",
                    tool_name="Read",
                    tool_input={"file_path": str(root / "README.md")},
                ),
                "before a command, allowed": lambda _: shell(
                    root, "one", "npm test -- --watch=false"
                ),
                "before a command, warned of": lambda _: shell(root, "one", "cd . && git push"),
                "no tree": lambda _: prompt(root.parent / "bare", "none", "go on"),
            },
            rounds=rounds,
            environment=environment,
        )
        base = percentile(taken[BARE_NAME], 50)
        yield Figure("a bare interpreter, p50", base, "ms")
        for name, times in taken.items():
            if name != BARE_NAME:
                yield ratio(name, times, base, BARS.get(name))
        phases = ("qa_review", "in_development")

        def change(number: int) -> tuple[tuple[str, ...], bytes]:
            (root / STATE).write_text(STATE_TEXT.format(phase=phases[number % 2]))
            return prompt(root, "one", f"go on with phase {number}")

        def compare(what: str, turn: Command, count: int, bar: float) -> Figure:
            """A prompt after a change, beside bare interpreters: the machine has other work by now."""
            beside = {BARE_NAME: bare_interpreter, "": turn}
            times = processes(beside, rounds=count, environment=environment)
            return ratio(f"prompt, {what}", times[""], percentile(times[BARE_NAME], 50), bar)

        yield compare("workflow state changed, nobody prepared it", change, rounds // 2, 6.0)
        rules = next(root.glob(".*/global"))
        text = rules.read_text(encoding="utf-8")

        def edit(number: int) -> tuple[tuple[str, ...], bytes]:
            rules.write_text(f"{text}\n# {number}\n", encoding="utf-8")
            return prompt(root, "one", f"go on with rule {number}")

        yield compare("rule file changed, nobody prepared it", edit, rounds // 2, 6.0)
        cache = Path(environment["SYNAPSE_LS_CACHE"])
        after = {
            "a tool event": tool(root, "one"),
            "the end of the turn": (command("Stop"), payload(root, "one", "Stop")),
        }
        changes = {"workflow state": (change, root / STATE), "rule file": (edit, rules)}
        for what, (turn, source) in changes.items():
            for event, (arguments, data) in after.items():

                def prepared(
                    number: int,
                    turn: Command = turn,
                    source: Path = source,
                    event: tuple[str, ...] = arguments,
                    given: bytes = data,
                ) -> tuple[tuple[str, ...], bytes]:
                    """A turn changes a file, the event follows, and then comes the prompt."""
                    prompted = turn(number)
                    run_hook(event, given, environment)
                    wait_for_plan(cache, source)
                    return prompted

                yield compare(f"{what} changed before {event}", prepared, rounds // PREPARED, 3.0)


def squads(count: int, rounds: int) -> Iterator[Figure]:
    """The same in a tree of so many squads, and the first prompt, of which nothing is known."""
    with placed(None) as (root, environment):
        write_tree(root, large_files(count))
        settle(root)
        cache = Path(environment["SYNAPSE_LS_CACHE"])
        cold = []
        for number in range(max(3, rounds // 12)):
            wait_for_builds(cache)
            shutil.rmtree(cache, ignore_errors=True)
            arguments, data = prompt(root, f"cold{number}", "@dev sum up *brief")
            started = time.perf_counter()
            done = subprocess.run(
                arguments, input=data, env={**os.environ, **environment}, stdout=subprocess.PIPE
            )
            cold.append((time.perf_counter() - started) * 1000)
            text = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
            for heading in (
                "[CONSTITUTION]",
                "[GLOBAL]",
                "[ACTIVE AGENT: @dev]",
                "[STAR-",
                "[NOTICE]",
            ):
                assert heading in text, heading
        wait_for_builds(cache)
        warm(root, environment)
        taken = processes(
            {
                BARE_NAME: bare_interpreter,
                "prompt": lambda n: prompt(root, "one", f"go on with part {n}"),
                "tool": lambda _: tool(root, "one"),
            },
            rounds=rounds,
            environment=environment,
        )
        base = percentile(taken[BARE_NAME], 50)
        name = f"{count:,} squads"
        yield ratio(f"{name}: prompt, nothing new", taken["prompt"], base, 3.2)
        yield ratio(f"{name}: tool, nothing new", taken["tool"], base, 3.2)
        what = f"{name}: first prompt, nothing known, p50"
        yield Figure(what, percentile(cold, 50), "ms", 300)


def wait_for_builds(cache: Path) -> None:
    """Wait until the process that finishes a plan has done so."""
    for _ in range(600):
        if not cache.exists() or (any(cache.glob("*.plan")) and not any(cache.glob("*.build*"))):
            return
        time.sleep(0.1)


def wait_for_plan(cache: Path, source: Path) -> None:
    """Wait until a plan is newer than the file that it is made from."""
    for _ in range(600):
        if any(made.stat().st_mtime > source.stat().st_mtime for made in cache.glob("*.plan")):
            break
        time.sleep(0.02)
    wait_for_builds(cache)


def figures(
    tree: Path | None = None, rounds: int = 60, squad_count: int = 1_000
) -> Iterator[Figure]:
    """All figures, in the order of the report."""
    yield from reference(tree or corpus_tree(), rounds)
    yield from squads(squad_count, rounds)


def main() -> int:
    """Print the figures; 1 where one is above its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_tree_option(parser)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--squads", type=int, default=1_000)
    options = parser.parse_args()
    return print_figures(figures(options.tree, options.rounds, options.squads))


if __name__ == "__main__":
    raise SystemExit(main())
