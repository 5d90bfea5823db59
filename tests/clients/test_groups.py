"""Which tests of real clients run in one process, since they look at the same turns."""

from __future__ import annotations

from pathlib import Path

from tests.clients.conftest import OF_THE_SESSION, Session, group_of

BLOCK, EVENTS, GUARD = (
    f"tests/clients/test_{name}.py::test_x" for name in ("block", "events", "guard")
)


def test_those_of_a_session_are_together_and_apart_from_other_clients() -> None:
    assert group_of(f"{BLOCK}[codex]") == group_of(f"{EVENTS}[codex]")
    assert group_of(f"{BLOCK}[codex]") != group_of(f"{BLOCK}[kilo]")


def test_those_of_a_file_are_together() -> None:
    assert group_of(f"{GUARD}[codex]") == group_of(f"{GUARD}[codex]".replace("_x", "_y"))
    assert group_of(f"{GUARD}[codex]") != group_of(f"{BLOCK}[codex]")


def test_every_file_that_shares_the_session_is_known() -> None:
    files = Path(__file__).parent.glob("test_*.py")
    argument = f"session: {Session.__name__}"
    sharing = {file.stem for file in files if argument in file.read_text(encoding="utf-8")}
    assert sharing == set(OF_THE_SESSION)
