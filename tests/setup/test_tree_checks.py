"""What the doctor finds in the program's own storage."""

from __future__ import annotations

import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from synapse_ls.setup.doctor.tree_checks import missing_bytecode
from tests.syntax import PACKAGE


def test_compiled_modules_of_a_folder_are_none_of_the_folder_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    before, _ = missing_bytecode()
    nested = Path(cache_from_source(str(PACKAGE / "hooks" / "events" / "hook_command.py")))
    nested.parent.mkdir(parents=True)
    nested.touch()
    assert missing_bytecode() == (before, True)
