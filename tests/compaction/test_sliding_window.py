"""`SlidingWindowStrategy`: the expectations of neuron-context, and what keeping pairs changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synapse_ls.compaction import (
    Message,
    OverLimitError,
    Role,
    SlidingWindowStrategy,
    Text,
    TokenCounter,
    ToolResult,
)
from tests.compaction.support import AMPLE, call, pair, result, run, talk, texts

S1, S2 = Message.system("s1"), Message.system("s2")


def window(size: int, messages: list[Message], limit: int = AMPLE) -> list[Message]:
    return run(SlidingWindowStrategy(size, limit), messages)


def test_it_keeps_the_last_five_of_eleven() -> None:
    kept = window(5, talk(11))
    assert len(kept) == 5
    assert kept[-1].text == "message 10"


def test_it_keeps_instructions_beside_the_last_three() -> None:
    kept = window(3, [S1, S2, *talk(5)])
    assert [message.role for message in kept[:2]] == [Role.SYSTEM] * 2
    assert len(kept) == 5


@pytest.mark.parametrize(("tokens", "is_due"), [(500, False), (1000, False), (1001, True)])
def test_it_is_due_above_its_limit(tokens: int, is_due: bool) -> None:
    assert SlidingWindowStrategy(5, 1000).should_compact([], tokens) is is_due


@pytest.mark.parametrize(("size", "history"), [(10, talk(2)), (100, talk(3)), (5, [S1, *talk(1)]), (4, [S1, *talk(4)])])  # fmt: skip
def test_a_history_within_the_window_stays(size: int, history: list[Message]) -> None:
    assert window(size, history) == history


def test_nothing_and_instructions_alone_stay() -> None:
    assert window(3, []) == []
    assert window(3, [S1, S2, S1]) == [S1, S2, S1]


def test_a_window_of_none_keeps_instructions_only() -> None:
    assert window(0, [S1, *talk(3)]) == [S1]


def test_it_keeps_the_newest_in_order() -> None:
    old = talk(2)
    recent = [Message.user("recent1"), Message.assistant("recent2"), Message.user("recent3")]
    assert window(3, [S1, *old, *recent]) == [S1, *recent]


def test_scattered_instructions_come_first() -> None:
    u1, a1, u2, a2 = talk(4)
    assert window(2, [S1, u1, S2, a1, u2, a2]) == [S1, S2, u2, a2]


def test_its_estimate_is_that_of_its_counter() -> None:
    assert SlidingWindowStrategy(5, 1000).token_estimate([]) == 0
    assert SlidingWindowStrategy(5, 1000).token_estimate([Message.user("hello world")]) > 0
    counted = SlidingWindowStrategy(5, 1000, TokenCounter(2.0))
    assert counted.token_estimate([Message.user("a" * 20)]) == 14


# Mended: neuron-context parts calls from results, begins with answers, and ignores its limit.


def test_a_call_that_the_window_would_cut_off_goes_with_its_result() -> None:
    u, *rest = [*talk(1), *pair("a"), *pair("b")]
    assert window(3, [u, *rest]) == [u, *rest[2:]]


def test_the_newest_pair_stays_however_small_the_window_is() -> None:
    history = [*talk(1), call("a"), call("b"), result("a"), result("b")]
    assert window(1, history) == history


def test_results_in_one_message_hold_all_their_calls() -> None:
    both = Message(Role.USER, (ToolResult("a", ()), ToolResult("b", ())))
    history = [*talk(2), Message.user("go"), call("a"), call("b"), both]
    assert window(3, history) == history[2:]


def test_a_window_within_a_turn_begins_with_its_prompt() -> None:
    # Before: the last two of five would begin with the assistant, which no API takes.
    history = [*talk(3), *pair("a"), *pair("b"), *pair("c")]
    kept = window(5, history)
    assert kept == [history[2], *pair("b"), *pair("c")]
    assert window(2, talk(5)) == talk(5)[4:]


def test_where_the_window_is_too_long_it_becomes_shorter() -> None:
    # Before: 146 tokens were left where 100 were allowed.
    history = [S1, *talk(10)]
    limit = TokenCounter().estimate_messages([S1, *talk(10)[6:]])
    assert window(6, history, limit) == [S1, *history[7:]]
    assert window(6, history, limit - 1) == [S1, *history[9:]]


def test_a_limit_that_cannot_be_reached_is_an_error_with_the_window_as_it_was_asked_for() -> None:
    with pytest.raises(OverLimitError, match="7 tokens stay at least, and the limit is 6") as error:
        window(2, talk(5), 6)
    assert error.value.messages == talk(5)[4:]
    assert (error.value.tokens, error.value.limit, error.value.least) == (7, 6, 7)


def test_what_is_pinned_stays_with_its_pair_and_its_prompt() -> None:
    prompt = Message.user("message 0")
    pinned = [call("a"), replace(result("a"), pinned=True)]
    history = [prompt, *pinned, *talk(6)]
    assert window(2, history) == [prompt, *pinned, *talk(6)[4:]]


def test_each_pinned_message_stays_with_its_prompt() -> None:
    history = [replace(m, pinned=index in (1, 5)) for index, m in enumerate(talk(8))]
    assert window(0, history) == [*history[:2], *history[4:6]]


def test_a_history_without_any_prompt_is_cut_all_the_same() -> None:
    answers = [Message.assistant(f"{n}") for n in range(4)]
    assert texts(window(2, answers)) == ["2", "3"]


def test_words_beside_a_result_are_no_prompt_of_their_own() -> None:
    mixed = Message(Role.USER, (ToolResult("a", ()), Text("and faster, please")))
    history = [*talk(2), Message.user("go"), call("a"), mixed, Message.assistant("Done.")]
    assert window(2, history) == [history[2], history[5]]


def test_numbers_below_0_are_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        SlidingWindowStrategy(-1, 10)
    with pytest.raises(ValueError, match="-1"):
        SlidingWindowStrategy(1, -1)
