"""Copilot CLI starts the language server for files of the tree, which have no extension."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.client import Client
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import Place


@pytest.fixture(scope="module")
def copilot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with Model() as model:
        place = Place(tmp_path_factory.mktemp("copilot"), model)
        client = client_of("copilot", place)
        place.synapse("install", "--client", "copilot", "--lsp")
        yield client


def ask(copilot: Client, **arguments: Any) -> str:
    """What the model reads of an operation of the language server on ``.synapse/global``."""
    file = str(copilot.place.project / ".synapse" / "global")
    copilot.place.model.will_call("lsp", file=file, **arguments)
    turn = copilot.ask("Look it up")
    said = [m for m in turn.asked[-1].body["messages"] if m["role"] == "tool"]
    return str(said[-1]["content"])


def test_copilot_cli_gets_a_hover_on_a_rule(copilot: Client) -> None:
    told = ask(copilot, operation="hover", line=1, character=3)
    assert "GLOBAL_RULE_0" in told
    assert "In the block now" in told


def test_copilot_cli_gets_the_rules_of_a_file(copilot: Client) -> None:
    told = ask(copilot, operation="documentSymbol")
    assert "GLOBAL_RULE_2" in told, json.dumps(told)
