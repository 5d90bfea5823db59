"""What the other tests rest on: nothing but the hook brings the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.client import program
from tests.clients.conftest import FIRST, client_of
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.registry import CLIENTS
from tests.clients.test_block import STANDING

NAMES = [name for name in CLIENTS if program(name)] or list(CLIENTS)


@pytest.mark.parametrize("name", NAMES[:1])
def test_without_the_hook_the_model_reads_no_rules(name: str, tmp_path: Path) -> None:
    with Model() as model:
        place = Place(tmp_path, model)
        client = client_of(name, place)
        place.synapse("install", "--client", name, "--scope", "project")
        place.synapse("uninstall", "--client", name, "--scope", "project")
        turn = client.ask(FIRST)
        assert turn.hooked == ()
        assert not any(heading in turn.read for heading in STANDING)
