"""Trees that commands and hooks run in, for the statements of the public documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.trees import write_tree

MakePlace = Callable[..., Path]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakePlace:
    """Writes files into a folder, which is where commands run from then on: ``place(TEAM, extra)``."""

    def make(*files: Mapping[str, str]) -> Path:
        root = tmp_path / "place"
        for each in files:
            write_tree(root, each)
        monkeypatch.chdir(root)
        return root

    return make


def sections_of(block: str) -> list[str]:
    """The names of the sections of a block, in their order: ``[ACTIVE AGENT: @dev]`` -> ACTIVE AGENT."""
    return [
        line[1:].partition("]")[0].partition(":")[0]
        for line in block.splitlines()
        if line.startswith("[")
    ]
