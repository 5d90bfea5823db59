"""`ToolResultClearingStrategy`: the expectations of neuron-context, and what is mended of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synapse_ls.compaction import (
    CLEARED,
    Message,
    OverLimitError,
    Role,
    Text,
    TokenCounter,
    ToolResult,
    ToolResultClearingStrategy,
)
from tests.compaction.support import AMPLE, LONG, pair, result, results, run, talk


def clear(keep: int, messages: list[Message], limit: int = AMPLE) -> list[Message]:
    return run(ToolResultClearingStrategy(keep, limit), messages)


def said(messages: list[Message]) -> list[str]:
    return [block.text for r in results(messages) for block in r.content if isinstance(block, Text)]


FIVE = [message for name in "abcde" for message in pair(name)]


def test_all_but_the_last_two_of_five_are_cleared() -> None:
    assert said(clear(2, FIVE)) == [CLEARED] * 3 + [LONG] * 2


def test_ids_stay() -> None:
    cleared = clear(1, [*pair("abc-123"), *pair("def-456")])
    assert [r.tool_use_id for r in results(cleared)] == ["abc-123", "def-456"]
    assert said(cleared) == [CLEARED, LONG]


def test_words_stay() -> None:
    history = [*talk(2), *pair("a"), *talk(1)]
    cleared = clear(0, history)
    assert [*cleared[:3], cleared[4]] == [*history[:3], history[4]]


@pytest.mark.parametrize(("keep", "names"), [(5, "ab"), (1, "a")])
def test_few_results_stay(keep: int, names: str) -> None:
    history = [message for name in names for message in pair(name)]
    assert clear(keep, history) == history


@pytest.mark.parametrize(("tokens", "is_due"), [(999, False), (1000, False), (1001, True)])
def test_it_is_due_above_its_limit(tokens: int, is_due: bool) -> None:
    assert ToolResultClearingStrategy(2, 1000).should_compact([], tokens) is is_due


def test_without_results_nothing_changes() -> None:
    assert clear(0, talk(3)) == talk(3)
    assert clear(0, []) == []


def test_all_can_be_cleared() -> None:
    assert said(clear(0, [*pair("a"), *pair("b")])) == [CLEARED] * 2


def test_results_in_one_message_count_one_by_one() -> None:
    two = Message(Role.USER, (*result("a").content, *result("b").content))
    assert said(clear(1, [two, result("c")])) == [CLEARED, CLEARED, LONG]


def test_the_number_of_messages_stays() -> None:
    assert len(clear(0, FIVE)) == len(FIVE)


def test_its_estimate_is_that_of_its_counter() -> None:
    assert ToolResultClearingStrategy(1, 1).token_estimate([]) == 0
    counted = ToolResultClearingStrategy(1, 1, TokenCounter(2.0))
    assert counted.token_estimate([Message.user("a" * 20)]) == 14


# Mended.


def test_that_a_result_was_an_error_stays_known() -> None:
    # neuron-context sets `is_error` to false: a model then takes a failure for a success.
    (cleared,) = results(clear(0, [result("a", is_error=True)]))
    assert cleared.is_error


def test_a_result_that_is_no_longer_than_the_placeholder_stays() -> None:
    # neuron-context clears "ok" as well, which makes the history longer.
    assert said(clear(0, [result("a", "search results here")])) == ["search results here"]


def test_a_cleared_result_tells_what_stood_there() -> None:
    (cleared,) = results(clear(0, [result("a", "x" * 4000)]))
    assert cleared == ToolResult("a", (Text(CLEARED),), cleared=1000)


def test_a_pinned_result_stays_and_counts() -> None:
    pinned = replace(result("a"), pinned=True)
    assert said(clear(1, [pinned, result("b"), result("c")])) == [LONG, CLEARED, LONG]


def test_a_limit_that_clearing_does_not_reach_is_an_error_with_what_is_left() -> None:
    with pytest.raises(OverLimitError) as error:
        clear(0, FIVE, 10)
    assert said(error.value.messages) == [CLEARED] * 5
