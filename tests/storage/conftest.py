from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.storage.session_store import SessionStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".synapse" / "sessions"


@pytest.fixture
def store(folder: Path) -> SessionStore:
    return SessionStore(str(folder))
