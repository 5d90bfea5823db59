"""Counting errors within a day."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synapse_ls.memory.error_patterns import command_program, error_kind
from synapse_ls.memory.gotchas import (
    ERRORS_PATH,
    MOST_ENTRIES,
    CountedError,
    Failure,
    add_failure,
    read_errors,
)

HOUR = 3600.0


def met(
    errors: dict[str, CountedError], times: list[float], error: str = "Error: boom 1"
) -> list[bool]:
    """Whether the error is due to become a gotcha, after each time."""
    due = []
    for at in times:
        counted = add_failure(errors, Failure(error, "npm test"), at)
        due.append(counted is not None and counted.is_due)
    return due


def test_the_third_time_within_a_day_promotes() -> None:
    assert met({}, [0, HOUR, 2 * HOUR]) == [False, False, True]


def test_what_is_older_than_a_day_counts_no_longer() -> None:
    assert met({}, [0, HOUR, 24.5 * HOUR]) == [False, False, False]
    assert met({}, [0, HOUR, 24.5 * HOUR, 24.6 * HOUR]) == [False, False, False, True]


def test_a_gotcha_is_not_promoted_again_but_counted_on() -> None:
    errors: dict[str, CountedError] = {}
    met(errors, [0, 1, 2])
    errors["error: boom <n>"].gotcha = "mem-2026-11-20-001"
    found = add_failure(errors, Failure("Error: boom 77"), 3)
    assert found is not None
    assert (found.count, found.is_due, found.gotcha) == (4, False, "mem-2026-11-20-001")


def test_an_error_that_says_nothing_is_none() -> None:
    assert add_failure({}, Failure(" \n"), 0) is None


@pytest.mark.parametrize(
    "ledger",
    [
        {"errors": 3},
        {"schema": "synapse-errors-1", "errors": []},
        {"schema": "synapse-errors-1", "errors": {"error: boom <n>": {"recent": "x", "count": -1}}},
        {"schema": "synapse-errors-1", "errors": {"error: boom <n>": 3}},
    ],
)
def test_a_ledger_that_is_none_begins_anew(tmp_path: Path, ledger: object) -> None:
    path = tmp_path / ERRORS_PATH
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(ledger))
    assert read_errors(str(tmp_path)) == {}


def test_the_ledger_forgets() -> None:
    errors: dict[str, CountedError] = {}
    met(errors, [0], "Error: old")
    met(errors, [8 * 24 * HOUR], "Error: new")
    assert list(errors) == ["error: new"]
    for number in range(MOST_ENTRIES + 20):
        met(errors, [9 * 24 * HOUR], f"Error: kind {chr(97 + number % 26)}{chr(97 + number // 26)}")
    assert len(errors) == MOST_ENTRIES


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
