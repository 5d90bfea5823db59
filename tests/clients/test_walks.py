"""A short walk with each client: each request to the model has every rule that applies, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.client import program
from tests.clients.walks.__main__ import KINDS, walk
from tests.clients.walks.players import PLAYERS

MOVES = "agent=dev cancel=qa prompt interrupt edit=4 tools=1 rewind=1 compact keyword=migration"
"""Of them each client makes those that it has."""


@pytest.mark.parametrize("name", PLAYERS)
def test_a_short_walk(name: str, tmp_path: Path) -> None:
    if not program(name):
        pytest.skip(f"there is no {name} in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for it")
    report = walk(name, "live", 1, MOVES.split(), tmp_path)
    assert [fault for fault in report.faults if fault.kind in KINDS] == []
    assert report.requests >= 4
