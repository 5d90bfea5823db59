"""What all tests of texts share."""

from __future__ import annotations

import pytest

from tests.text.secret_lists import CHANCE


@pytest.fixture(autouse=True)
def _same_draws(request: pytest.FixtureRequest) -> None:
    """Let each test draw the same characters, whichever tests its worker has run before it."""
    CHANCE.seed(request.node.nodeid)
