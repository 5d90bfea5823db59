"""Damages files at random and kills commands inside their writes, many times, and counts what came of it.

``python -m tests.bench.bench_damage [--damages 400] [--kills 120]``. Damaged plans and bytecode: the
block of a hook process is compared with the right one. Damaged sessions: whether the reply says so,
how much is told again, and whose rules. Damaged memories, as the program wrote them:
whether that is said. Kills: whether all files are as before or after, at the latest once the
command has run again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import plan_cache
from synapse_ls.workspace.tree_folders import CONFIG
from tests.bench.measure import Figure, print_figures
from tests.hooks.hook_clients import Claude
from tests.hooks.test_damaged_memories import PATIENT
from tests.kill_points import contents
from tests.setup.migrate.trees import PLAIN, project
from tests.storage.test_damaged_plan import damage
from tests.storage.test_killed_writes import CLIENTS, TARGETS, Killed, event
from tests.test_bytecode import Installed
from tests.trees import TEAM, write_tree

HOOK = ("hook", "--event", "UserPromptSubmit", "--client", "claude")
SEED = 17
MEMORY_TEXT = "One above 500 goes to @qa before it is settled: no second one is taken back."
MEMORY_SENTENCE = "may not say what it said"
BARRED = {
    "damaged plan": ("wrong",),
    "damaged bytecode": ("wrong",),
    "damaged session": ("wrong agent", "not said", "told whole twice"),
    "damaged memory": ("wrong agent", "rules injected again"),
}
"""What damage may not lead to."""


@contextmanager
def installed() -> Iterator[Installed]:
    with tempfile.TemporaryDirectory() as folder:
        made = Installed(Path(folder))
        for path in (made.root, *made.root.rglob("*")):
            os.utime(path, (1_700_000_000, 1_700_000_000))
        for number in range(3):
            made.call(f"warm{number}")
        yield made


def damage_plans(count: int) -> Counter[str]:
    """Replies of hooks whose plan is damaged."""
    dice, found = random.Random(SEED), Counter[str]()
    with installed() as made:
        cache = made.environment["SYNAPSE_LS_CACHE"]
        with mock.patch.dict(os.environ, {"SYNAPSE_LS_CACHE": cache}):
            file = Path(plan_cache.plan_file(str(made.root)))
        whole, right = file.read_bytes(), made.call("right").stdout
        for number in range(count):
            file.write_bytes(damage(whole, dice))
            done = made.call(f"s{number}")
            found["right" if done.stdout == right and done.returncode == 0 else "wrong"] += 1
    return found


def damage_bytecode(count: int) -> Counter[str]:
    """Replies of hooks whose bundle is damaged."""
    dice, found = random.Random(SEED), Counter[str]()
    with installed() as made:
        whole, right = made.bundle.read_bytes(), made.call("right").stdout
        for number in range(count):
            made.bundle.write_bytes(damage(whole, dice))
            done = made.call(f"s{number}")
            found["right" if done.stdout == right and done.returncode == 0 else "wrong"] += 1
    return found


def damage_sessions(count: int) -> Counter[str]:
    """Replies of hooks whose session is damaged: a prompt in the middle of a session of @dev."""
    dice, found = random.Random(SEED), Counter[str]()
    with installed() as made:
        made.call("one")
        (file,) = (made.root / ".synapse/sessions").glob("*one.json")
        whole = file.read_bytes()
        for number in range(count):
            file.write_bytes(damage(whole, dice))
            reply = made.call("one", prompt=f"go on with part {number}").stdout
            again = made.call("one", prompt=f"and with part {number} b").stdout
            damaged = file.read_bytes() != whole
            found["said" if "json is" in reply or ".json " in reply else "not said"] += damaged
            found["wrong agent"] += "[ACTIVE AGENT: @" in reply and "@dev]" not in reply
            found["told whole twice"] += "[CONSTITUTION]" in again
    return found


def damage_memories(count: int) -> Counter[str]:
    """Replies after the file of a memory that was told is damaged."""
    dice, found = random.Random(SEED), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        cache = {"SYNAPSE_LS_CACHE": f"{folder}/cache"}
        with mock.patch.dict(os.environ, cache):
            root = write_tree(Path(folder) / "team", {**TEAM, CONFIG: PATIENT})
            for number in range(count):
                text = f"Refunds of {number} wait for QA.\n\n{MEMORY_TEXT}"
                file = (
                    root
                    / MemoryStore(str(root)).remember(text, now=time.time(), explicit=True).path
                )
                client = Claude(root, f"session-{number}")
                assert "Refunds of" in client.prompt("@dev when do refunds wait for QA?")
                file.write_bytes(damage(file.read_bytes(), dice))
                replies = [client.prompt(f"refunds of {part} and QA") for part in ("may", "june")]
                both = "".join(replies)
                found["revoked, too"] += "no longer applies" in both
                found["said" if MEMORY_SENTENCE in both else "not said"] += 1
                file.unlink()
                found["wrong agent"] += "[ACTIVE AGENT: @" in both and "@dev]" not in both
                found["rules injected again"] += "[CONSTITUTION]" in both
    return found


def kill(count: int, name: str, command: list[str]) -> Counter[str]:
    """What stands on the disk after a command was killed inside its writes."""
    found = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        made = Killed(Path(folder))
        if name == "migrate":
            project(made.root, PLAIN)
        else:
            write_tree(made.root, TEAM)
        copy = made.fresh_copy("copy")
        before = contents(made.root)
        made.run(*command)
        after, number, tries = contents(made.root), 0, 0
        while found.total() < count and tries < 4 * count:
            tries += 1
            made.restore(copy)
            shutil.rmtree(Path(folder) / "config", ignore_errors=True)
            if not made.kill(number // 2, *command, after=bool(number % 2)):
                number = 0
                continue
            number += 1
            state = contents(made.root)
            if state not in (before, after):
                made.run(*command)  # the next run finishes what a killed one began
                state = contents(made.root)
            found["before" if state == before else "after" if state == after else "PART"] += 1
    return found


def kill_records(count: int, name: str) -> Counter[str]:
    """The session, or the memory, after a writer was killed."""
    found = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        made = Killed(Path(folder))
        write_tree(made.root, TEAM)
        made.run(*HOOK, data=event(made, "@dev go on"))
        number, tries, prompts = 0, 0, 1
        session = made.root / ".synapse/sessions/one.json"
        while found.total() < count and tries < 4 * count:
            tries += 1
            late = bool(number % 2)
            if name == "session":
                died = made.kill(
                    number // 2, *HOOK, after=late, data=event(made, f"go on with {tries}")
                )
                now = json.loads(session.read_text("utf-8"))["prompt_count"]
                state = "before" if now == prompts else "after" if now == prompts + 1 else "PART"
                prompts = now
            else:
                text = f"Deploy {tries} waits for QA."
                died = made.kill(number // 2, "memory", "add", text, after=late)
                folders = made.root / ".synapse/memory"
                files = [p.read_text("utf-8") for p in folders.rglob("*.md")]
                known = sum(text in content for content in files)
                odd = any("Deploy" in content and not content.endswith("\n") for content in files)
                state = "PART" if odd else "after" if known else "before"
            if not died:
                number = 0
                continue
            number += 1
            found[state] += 1
    return found


def figures(damages: int = 400, kills: int = 120) -> Iterator[Figure]:
    """How often what came of it; of what is not to be there is none."""
    for name, check in (
        ("plan", damage_plans),
        ("bytecode", damage_bytecode),
        ("session", damage_sessions),
        ("memory", damage_memories),
    ):
        yield from told(f"damaged {name}", check(damages))
    commands = {
        "sync": ["sync", *TARGETS],
        "install": ["install", "--scope", "project", *CLIENTS],
        "migrate": ["migrate"],
    }
    for name, command in commands.items():
        yield from told(f"killed in {name}", kill(kills, name, command))
    for name in ("session", "memory"):
        yield from told(f"killed in {name}", kill_records(kills, name))


def told(name: str, found: Counter[str]) -> Iterator[Figure]:
    """A figure for each state that was found, and for those that may not be."""
    for state in sorted({*found, *BARRED.get(name, ("PART",))}):
        barred = state in BARRED.get(name, ("PART",))
        yield Figure(f"{name}: {state}", found[state], "", 0 if barred else None)


def main() -> int:
    """Print the table; 1 where something was found that may not be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--damages", type=int, default=400)
    parser.add_argument("--kills", type=int, default=120)
    options = parser.parse_args()
    return print_figures(figures(options.damages, options.kills))


if __name__ == "__main__":
    raise SystemExit(main())
