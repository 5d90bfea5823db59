"""Whatever stands in a tree: nothing of it is run, nothing is written outside, nothing of others is
read, and each command, event and request is answered in time.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.cli.command_table import ROWS
from synapse_ls.hooks.event_dispatch import HANDLERS
from synapse_ls.integrations.client_registry import HOOK_CLIENTS, load_client
from synapse_ls.mcp.server import TOOLS
from tests.hostile import forked_commands
from tests.hostile.asked_of_a_tree import COMMANDS, TOOL_ARGUMENTS, list_jobs
from tests.hostile.hostile_trees import WRITERS, write_hostile_tree
from tests.hostile.scratch_place import SECRET, ScratchPlace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, forks and links")
SECONDS = 120.0  # for one command, however busy the machine of the tests is
WORK_SECONDS = 20.0  # that one command may keep a processor busy
ASKED = ["programs-claude", "programs-codex"]
"""The person's own clients, outside of the project: `install` asks them for their version, where a
tool of a server can be their hook.
"""
CRASHES = ("Traceback (most recent call last)", "failed where it should not", "-32603")
STEERING = [*map(chr, range(32)), *map(chr, range(0x7F, 0xA0)), *"\u202a\u202b\u202d\u202e\u2066"]
ALLOWED_CONTROLS = "\n\t\r"
OWN_COLOR = re.compile(r"\x1b\[\d+m")  # a status line is painted by the program itself
BLOCK_END = "</synapse-rules>"
START = """
import sys
sys.path[:0] = sys.argv[1:]
from tests.hostile.forked_commands import main
main()
"""


@contextmanager
def started_commands() -> Iterator[subprocess.Popen[str]]:
    """A process that runs commands, in which all that they need is imported."""
    tests = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-P", "-c", START, str(tests), str(tests / "server")],
        cwd=tests,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(scope="module")
def commands() -> Iterator[subprocess.Popen[str]]:
    """The process that runs the commands of all trees."""
    with started_commands() as process:
        yield process


def test_every_command_has_a_row() -> None:
    assert set(COMMANDS) == set(ROWS)
    assert all(line.startswith(name) for name, lines in COMMANDS.items() for line in lines)


def test_every_kind_of_event_is_sent() -> None:
    kinds = {
        kind
        for client in HOOK_CLIENTS
        if (module := load_client(client))
        for kind in module.event_kinds.values()
    }
    assert kinds >= set(HANDLERS)


def test_every_tool_with_arguments_is_given_some() -> None:
    needy = {
        name for name, tool in TOOLS.items() if any(field.required for field in tool.arguments)
    }
    assert needy <= set(TOOL_ARGUMENTS) <= set(TOOLS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITERS)
def test_a_hostile_tree_gets_nothing(
    commands: subprocess.Popen[str], tmp_path: Path, kind: str
) -> None:
    place = ScratchPlace(tmp_path / "scratch")
    write_hostile_tree(place, kind)
    before = place.state_outside()
    outcome = run_all(commands, place)
    assert outcome["ended"]
    wrong = [line for done in outcome["done"] for line in find_wrong(done)]
    assert not wrong, "\n".join(wrong)
    assert set(place.programs_run()) <= set(ASKED)
    assert _differences(before, place.state_outside()) == []


def run_all(
    commands: subprocess.Popen[str],
    place: ScratchPlace,
    jobs: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """What became of these jobs, or of all that is asked of a tree."""
    asked = {
        "folder": str(place.project),
        "environment": place.environment,
        "jobs": jobs or list_jobs(place.project),
        "seconds": SECONDS,
    }
    assert commands.stdin is not None and commands.stdout is not None
    commands.stdin.write(json.dumps(asked) + "\n")
    commands.stdin.flush()
    found: dict[str, Any] = json.loads(commands.stdout.readline())
    return found


def find_wrong(done: dict[str, Any]) -> list[str]:
    """What is wrong with the outcome of one command, as lines."""
    name, code, said = done["name"], done["code"], done["out"] + done["err"]
    found = []
    if code is None:
        found.append(f"took more than {done['seconds']} s")
    elif done["worked"] > WORK_SECONDS:
        found.append(f"worked for {done['worked']} s")
    elif code not in (0, 1, 2):
        found.append(f"ended with {code}")
    if unanswered := done.get("unanswered"):
        found.append(f"left {unanswered} requests without an answer")
    found += [f"said {crash!r}: {said[-600:]}" for crash in CRASHES if crash in said]
    if SECRET in said:
        found.append(f"told what lies outside: …{said[max(0, said.index(SECRET) - 80) :][:200]}")
    painted = OWN_COLOR.sub("", said) if name.startswith("statusline") else said
    steering = sorted({repr(char) for char in STEERING if char in painted})
    steering = [char for char in steering if char not in map(repr, ALLOWED_CONTROLS)]
    if steering and "unanswered" not in done and name.split()[0] not in HOOK_CLIENTS:
        found.append(f"steers a terminal with {', '.join(steering)}")
    if done["out"].count(BLOCK_END) > 1 and name.startswith(("context '", *HOOK_CLIENTS)):
        found.append("lets a rule end the block")
    if name.split()[0] in HOOK_CLIENTS:
        json.loads(done["out"])
        if code != 0:
            found.append("a hook that fails")
    return [f"{name}: {line}" for line in found]


def _differences(before: dict[str, object], after: dict[str, object]) -> list[str]:
    return sorted(
        path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    )


def test_the_run_would_see_what_is_run_or_written(tmp_path: Path) -> None:
    place = ScratchPlace(tmp_path / "scratch")
    before = place.state_outside()
    subprocess.run([str(place.folder / "programs/node")], check=False)
    (place.outside / "notes.md").write_text("changed", encoding="utf-8")
    (place.folder / "home/.cache/synapse-ls").mkdir(parents=True)
    assert place.programs_run() == ["programs-node"]
    assert _differences(before, place.state_outside()) == ["outside/notes.md"]


def test_the_run_would_see_a_command_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked_commands, "_start", lambda *_: subprocess.Popen(["sleep", "60"]).pid)
    job = {"name": "x", "arguments": [], "stdin": "", "answers": 0}
    assert find_wrong(forked_commands.run_command(job, 0.1))[0].startswith("x: took more than")
