"""``synapse memory short-term`` in a tree of Brainiac."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse

TREES = Path(__file__).parent.parent / "workspaces"


@pytest.fixture
def mira(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tree; it is where commands run."""
    root = shutil.copytree(TREES / "brainiac", tmp_path / "mira")
    monkeypatch.chdir(root)
    return root


def test_items_are_shown_with_the_numbers_they_go_by(synapse: Synapse, mira: Path) -> None:
    shown = synapse("memory", "short-term", "show").out
    assert "   1  [ ] Switch reads of reservations" in shown
    assert "   3  Reservation ids stay 64-bit integers" in shown
    assert "   6  [x] Add an index" in shown
    assert "  2026-03-12T16:40:00Z  The nightly comparison found" in shown


def test_only_the_newest_events_are_shown_unless_all_are_asked_for(
    synapse: Synapse, mira: Path
) -> None:
    for number in range(4):
        synapse("memory", "short-term", "log", "--user", f"event {number}")
    assert "  2 more: --all" in synapse("memory", "short-term", "show").out
    assert "Plan the read switch" in synapse("memory", "short-term", "show", "--all").out


def test_a_set_adds_and_ticks_at_once(synapse: Synapse, mira: Path) -> None:
    done = synapse("memory", "short-term", "set", "--task", "Tell Ana", "--done", "1")
    assert done.out == "memory/short_term.md: 7 items, 2 open · 3 events\n"
    assert "- [ ] Tell Ana" in synapse("context", "Go on").out


def test_a_summary_can_be_read(synapse: Synapse, mira: Path) -> None:
    done = synapse("memory", "short-term", "set", "-", stdin="Reads come from PostgreSQL.\n")
    assert done.code == 0
    found = synapse("memory", "short-term", "show", "--format", "json").json
    assert found["summary"] == "Reads come from PostgreSQL."


def test_clear_leaves_what_a_promotion_leaves(synapse: Synapse, mira: Path) -> None:
    found = synapse("memory", "short-term", "clear", "Done.", "--format", "json").json
    assert found["summary"] == "Done."
    assert (len(found["goals"]), found["facts"], len(found["tasks"]), found["events"]) == (
        1,
        [],
        1,
        [],
    )


def test_a_clear_without_a_summary_keeps_the_one_there_is(synapse: Synapse, mira: Path) -> None:
    found = synapse("memory", "short-term", "clear", "--format", "json").json
    assert found["summary"].startswith("We are moving seat reservations")


def test_an_event_that_says_nothing_is_refused(synapse: Synapse, mira: Path) -> None:
    done = synapse("memory", "short-term", "log", "--task", "x")
    assert done.code != 0
    assert "An event says something." in done.err


def test_a_tree_of_rules_has_no_short_term_memory(synapse: Synapse, team: Path) -> None:
    done = synapse("memory", "short-term", "show")
    assert done.code != 0
    assert "no tree of Brainiac" in done.err
