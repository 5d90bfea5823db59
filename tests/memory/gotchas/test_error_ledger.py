"""Counting errors within a day."""

from __future__ import annotations

from synapse_ls.memory.error_patterns import command_program, error_kind
from synapse_ls.memory.gotchas import (
    MOST_ENTRIES,
    Failure,
    count_failure,
    last_solution,
    note_solution,
    record_promotion,
)

HOUR = 3600.0


def met(ledger: dict[str, object], times: list[float], error: str = "Error: boom 1") -> list[bool]:
    found = [count_failure(ledger, Failure(error, "npm test"), at) for at in times]
    return [one is not None and one.promote for one in found]


def test_the_third_time_within_a_day_promotes() -> None:
    assert met({}, [0, HOUR, 2 * HOUR]) == [False, False, True]


def test_what_is_older_than_a_day_counts_no_longer() -> None:
    assert met({}, [0, HOUR, 24.5 * HOUR]) == [False, False, False]
    assert met({}, [0, HOUR, 24.5 * HOUR, 24.6 * HOUR]) == [False, False, False, True]


def test_a_gotcha_is_not_promoted_again_but_counted_on() -> None:
    ledger: dict[str, object] = {}
    met(ledger, [0, 1, 2])
    record_promotion(ledger, "error: boom <n>", "mem-2026-11-20-001")
    found = count_failure(ledger, Failure("Error: boom 77"), 3)
    assert found is not None
    assert (found.count, found.promote, found.gotcha) == (4, False, "mem-2026-11-20-001")


def test_an_error_that_says_nothing_is_none() -> None:
    assert count_failure({}, Failure(" \n"), 0) is None


def test_a_solution_is_kept_for_the_next_time() -> None:
    ledger: dict[str, object] = {}
    met(ledger, [0])
    assert note_solution(ledger, "error: boom <n>", "npm ci helped") == ""
    assert last_solution(ledger, "error: boom <n>") == "npm ci helped"
    met(ledger, [1])
    assert last_solution(ledger, "error: boom <n>") == "npm ci helped"
    assert last_solution(ledger, "another") == ""


def test_a_ledger_that_is_none_begins_anew() -> None:
    for odd in ({"errors": 3}, {"schema": "synapse-errors-1", "errors": []}, {"x": 1}):
        ledger: dict[str, object] = dict(odd)
        assert met(ledger, [0, 1, 2])[-1]
    entry: dict[str, object] = {
        "schema": "synapse-errors-1",
        "errors": {"error: boom <n>": {"recent": "x", "count": -1}},
    }
    assert met(entry, [0]) == [False]


def test_the_ledger_forgets() -> None:
    ledger: dict[str, object] = {}
    met(ledger, [0], "Error: old")
    met(ledger, [8 * 24 * HOUR], "Error: new")
    assert list(ledger["errors"]) == ["error: new"]  # type: ignore[call-overload]
    for number in range(MOST_ENTRIES + 20):
        met(ledger, [9 * 24 * HOUR], f"Error: kind {chr(97 + number % 26)}{chr(97 + number // 26)}")
    assert len(ledger["errors"]) == MOST_ENTRIES  # type: ignore[arg-type]


def test_a_kind_is_told_by_whole_words() -> None:
    assert error_kind("Latest failure") == "general"
    assert error_kind("timeout 401 unauthorized") == "security"
    assert error_kind("error TS2304: Cannot find name") == "build"
    assert error_kind("boom", "npx jest --ci") == "test"
    assert error_kind("connect ECONNREFUSED") == "integration"


def test_a_program_is_what_a_command_is_about() -> None:
    assert command_program("cd api && NODE_ENV=test npm run test -- --ci") == "npm test"
    assert command_program("sudo /usr/bin/git -C . push") == "git"
    assert command_program("git push origin main") == "git push"
    assert command_program("python -m pytest tests/a.py -q") == "python pytest"
    assert command_program("npm run test:health") == "npm test:health"
    assert command_program("cd src") == "cd src"
    assert command_program("") == ""
