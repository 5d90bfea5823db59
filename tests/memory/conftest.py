from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.memory.memory_store import MemoryStore


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that nobody else has used."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(folder))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    return MemoryStore(str(tmp_path))
