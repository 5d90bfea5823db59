"""Trees for the tests of the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.activation.agent_activation import TIMEOUT_VARIABLE
from synapse_ls.queries.session_lookup import SESSION_VARIABLES
from tests.mcp.clients import MODES
from tests.support import PATIENT_ACTIVATION
from tests.trees import TEAM, write_tree


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(TIMEOUT_VARIABLE, PATIENT_ACTIVATION)
    for name in SESSION_VARIABLES:  # an agent client may run these tests
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """The tree of a team."""
    return write_tree(tmp_path / "team", TEAM)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """Each way to find a protocol version."""
    found: str = request.param
    return found
