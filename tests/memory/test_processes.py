"""The store under many processes, and under processes that are killed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synapse_ls.memory.memory_store import MemoryStore
from tests.storage.processes import run, start

pytestmark = pytest.mark.slow

ADD = """
from synapse_ls.memory import memory_paths, memory_store
for module in (memory_store, memory_paths):
    module.LOCK_PATIENCE = 120.0  # however busy the machine of the tests is
store = memory_store.MemoryStore(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
store.remember(f"Memory {sys.argv[2]}.", now=1_795_305_600.0)
store.remember("Seen by all.", now=1_795_305_600.0)
memory_paths.count_uses(store.root, ["mem-2026-11-22-001"], now=1_795_305_600.0)
"""
KILL = """
import os, random, signal, time
from synapse_ls.memory.memory_store import MemoryStore
store = MemoryStore(sys.argv[1])
record = store.remember("0 " * 500, title="Count", now=1_795_305_600.0)
randomly = random.Random(20260101)
for _ in range(int(sys.argv[2])):
    writer = os.fork()
    if writer == 0:
        number = 0
        while True:
            number += 1
            store.update(record.id, text=f"{number} " * 500, now=1_795_305_600.0)
    time.sleep(randomly.uniform(0.002, 0.02))
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    found = store.get(record.id)
    assert found is not None and len(set(found.text.split())) == 1, found
    assert len(store.records()) == 1
print("whole")
"""
WRITERS = 64


def test_sixty_four_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    writers = [start(ADD, tmp_path, str(number)) for number in range(WRITERS)]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, errors = writer.communicate(timeout=300)
        assert writer.returncode == 0, errors
    store = MemoryStore(str(tmp_path))
    records = {record.title: record for record in store.records()}
    assert set(records) == {*(f"Memory {number}" for number in range(WRITERS)), "Seen by all"}
    assert len({record.id for record in records.values()}) == WRITERS + 1
    assert records["Seen by all"].evidence == WRITERS
    used = store.get("mem-2026-11-22-001")
    assert used is not None
    assert used.access_count == WRITERS


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_a_writer_that_is_killed_leaves_the_old_or_the_new_memory(tmp_path: Path) -> None:
    assert run(KILL, tmp_path, "40").strip() == "whole"
