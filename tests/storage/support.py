"""What the tests of the session store share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.storage.session_changes import record_prompt
from synapse_ls.storage.session_store import SessionStore, Transaction

NOW = 1_795_294_000.0
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


def prompt(store: SessionStore, session_id: str = "s1", text: str = "go on") -> Transaction:
    return store.update(session_id, lambda s: record_prompt(s, text, NOW), cwd="/p/app", now=NOW)


def content(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def names(folder: Path) -> set[str]:
    return {
        path.name for path in folder.iterdir() if not path.name.endswith((".lock", ".gitignore"))
    }
