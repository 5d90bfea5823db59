"""The session store under many processes, and under processes that are killed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synapse_ls.storage.session_store import SessionStore
from tests.storage.processes import run, start

pytestmark = pytest.mark.slow

RECORD = """
from synapse_ls.storage.session_changes import record_prompt
from synapse_ls.storage.session_store import SessionStore
store = SessionStore(sys.argv[1])
print("ready", flush=True)
with store.transaction("s1", cwd="/p", now=0.0, timeout=300) as transaction:
    record_prompt(transaction.session, "Count this prompt", 0.0)
    transaction.commit()
"""

# Forks a writer that acknowledges every write, lets it work for some milliseconds,
# kills it, and looks at what it left.
KILL = """
import os, random, signal, time
from synapse_ls.storage.session_store import SessionStore

def work(store, acknowledge):
    def change(session):
        session.prompt_count += 1
        session.label = str(session.prompt_count) * 1000
    os.write(acknowledge, b"%9d" % (survivor(store)))
    while True:
        count = store.update("s1", change, cwd="/p", now=0.0).session.prompt_count
        os.write(acknowledge, b"%9d" % count)

def survivor(store):
    session = store.load("s1")
    if session is None:
        return 0 if not os.path.exists(store.path("s1")) else -1
    count = session.prompt_count
    return count if session.label == str(count) * 1000 else -1

store, rounds = SessionStore(sys.argv[1]), int(sys.argv[2])
randomly = random.Random(20260101)
count = 0
for _ in range(rounds):
    reading, writing = os.pipe()
    writer = os.fork()
    if writer == 0:
        os.close(reading)
        work(store, writing)
    os.close(writing)
    os.read(reading, 9)  # it begins
    until = time.perf_counter() + randomly.uniform(0, 0.008)
    while time.perf_counter() < until:
        pass
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    while acknowledged := os.read(reading, 9):
        count = int(acknowledged)
    os.close(reading)
    left = survivor(store)
    assert left in (count, count + 1), (left, count)
    count = left
print(count)
"""


def test_64_processes_that_record_at_once_lose_no_prompt(tmp_path: Path) -> None:
    store = SessionStore(str(tmp_path / "sessions"))
    with store.transaction("s1", cwd="/p", now=0.0):  # so that all of them want it at the same time
        processes = [start(RECORD, store.folder) for _ in range(64)]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
    errors = [process.communicate(timeout=300)[1] for process in processes]
    assert errors == [""] * 64
    session = store.load("s1")
    assert session is not None
    assert session.prompt_count == 64
    assert session.prompts_since_compaction == 64
    assert session.title == "Count this prompt"


@pytest.mark.skipif(sys.platform == "win32", reason="fork and SIGKILL")
def test_a_writer_killed_at_any_moment_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    count = int(run(KILL, tmp_path / "sessions", "200"))
    session = SessionStore(str(tmp_path / "sessions")).load("s1")
    assert session is not None
    assert session.prompt_count == count > 0
    assert {path.name for path in (tmp_path / "sessions").iterdir() if path.suffix != ".tmp"} == {
        ".gitignore",
        "s1.json",
        "s1.json.lock",
    }
