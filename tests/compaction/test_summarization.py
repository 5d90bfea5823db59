"""`SummarizationStrategy`: the expectations of neuron-context, and what is mended of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from synapse_ls.compaction import (
    SUMMARY,
    Compaction,
    CompactionFailedError,
    Completion,
    CompletionRequest,
    Message,
    OverLimitError,
    ProviderError,
    Role,
    SummarizationStrategy,
    Text,
    TokenCounter,
    ToolUse,
)
from tests.compaction.support import AMPLE, Teller, pair, run, talk

S = Message.system("s")


def summarize(
    provider: Teller, preserve: int, messages: list[Message], limit: int = AMPLE
) -> list[Message]:
    return run(SummarizationStrategy(provider, preserve, limit), messages)


def test_what_is_old_is_summed_up_in_one_message_of_the_user() -> None:
    teller = Teller("Ten things were said.")
    kept = summarize(teller, 3, talk(10))
    assert len(teller.asked) == 1
    assert len(kept) == 4
    assert kept[0].role is Role.USER
    assert "Ten things were said." in kept[0].text
    assert kept[1:] == talk(10)[7:]


def test_the_request_is_what_is_old() -> None:
    teller = Teller()
    summarize(teller, 3, [S, *talk(10)])
    (request,) = teller.asked
    assert list(request.summed) == talk(10)[:7]
    (asked,) = request.messages
    assert asked.role is Role.USER
    assert asked.text.startswith("<conversation>\n\n[user]\nmessage 0\n\n[assistant]\nmessage 1\n")
    assert (request.model, request.max_tokens, request.temperature) == ("", 1024, 0.0)
    assert "third person" in request.system


def test_instructions_stay() -> None:
    kept = summarize(Teller(), 2, [S, *talk(6)])
    assert [m.role for m in kept].count(Role.SYSTEM) == 1
    assert len(kept) == 4
    assert len(summarize(Teller(), 1, [S, S, S, *talk(3)])) == 5


def test_nothing_may_stay() -> None:
    teller = Teller()
    assert len(summarize(teller, 0, talk(3))) == 1
    assert len(teller.asked) == 1


@pytest.mark.parametrize(("tokens", "is_due"), [(4999, False), (5000, False), (5001, True)])
def test_it_is_due_above_its_limit(tokens: int, is_due: bool) -> None:
    assert SummarizationStrategy(Teller(), 2, 5000).should_compact([], tokens) is is_due


def test_the_failure_of_a_provider_is_passed_on() -> None:
    with pytest.raises(ProviderError, match="no network"):
        summarize(Teller(fails=ProviderError("no network")), 1, talk(4))


def test_a_summary_says_that_it_is_one() -> None:
    summary = summarize(Teller(), 1, talk(4))[0]
    assert summary.text == f"{SUMMARY}\na summary"
    assert summary.role is Role.USER
    assert summary.is_summary


def test_blocks_of_the_answer_are_joined_by_a_line_break() -> None:
    assert summarize(Teller("Part one.", "Part two."), 0, talk(2))[0].text.endswith(
        "Part one.\nPart two."
    )


def test_of_the_answer_only_words_count() -> None:
    class Calls:
        async def complete(self, request: CompletionRequest) -> Completion:
            return Completion((Text("words"), ToolUse("t", "search", {})))

    (summary,) = asyncio.run(SummarizationStrategy(Calls(), 0, AMPLE).compact(talk(2)))
    assert summary.content == (Compaction(f"{SUMMARY}\nwords"),)


def test_its_estimate_is_that_of_its_counter() -> None:
    assert SummarizationStrategy(Teller(), 1, 1).token_estimate([]) == 0
    counted = SummarizationStrategy(Teller(), 1, 1, TokenCounter(2.0))
    assert counted.token_estimate([Message.user("a" * 20)]) == 14


# Mended.


@pytest.mark.parametrize(("preserve", "history"), [(100, talk(3)), (0, [S, S])])
def test_where_nothing_is_old_the_model_is_not_asked(preserve: int, history: list[Message]) -> None:
    # neuron-context asks it to sum up nothing, and tells the model what it made up: 4 and 3 messages.
    teller = Teller()
    assert summarize(teller, preserve, history) == history
    assert not teller.asked


def test_a_pair_that_would_be_parted_stays() -> None:
    history = [*talk(4), *pair("a")]
    assert summarize(Teller(), 1, history)[1:] == pair("a")


@pytest.mark.parametrize("stop", ["max_tokens", "length"])
def test_a_summary_that_breaks_off_is_refused(stop: str) -> None:
    with pytest.raises(CompactionFailedError, match="breaks off"):
        summarize(Teller(stop=stop), 1, talk(4))


def test_a_summary_without_words_is_refused() -> None:
    with pytest.raises(CompactionFailedError, match="no words"):
        summarize(Teller(" \n"), 1, talk(4))


def test_a_summary_of_the_first_generation_stays() -> None:
    once = summarize(Teller("first"), 2, talk(6))
    teller = Teller("second")
    twice = summarize(teller, 2, [*once, *talk(4)])
    assert [m.text for m in twice[:2]] == [f"{SUMMARY}\nfirst", f"{SUMMARY}\nsecond"]
    assert all(not message.is_summary for message in teller.asked[0].summed)


def test_without_room_for_both_a_summary_is_summed_up_too_and_says_so() -> None:
    once = [Message(Role.USER, (Compaction("x" * 300),)), *talk(4)]
    teller = Teller("all of it")
    kept = summarize(teller, 1, once, 60)
    assert kept[0].content == (Compaction(f"{SUMMARY}\nall of it", generation=2),)
    assert teller.asked[0].summed[0] == once[0]


def test_recent_messages_that_leave_no_room_are_summed_up_too() -> None:
    history = [Message.user("x" * 200), Message.assistant("y" * 200), Message.user("z")]
    kept = summarize(Teller(), 2, history, 60)
    assert kept[1:] == history[2:]
    assert TokenCounter().estimate_messages(kept) <= 60


def test_where_nothing_helps_the_model_is_not_asked() -> None:
    teller = Teller()
    with pytest.raises(OverLimitError):
        summarize(teller, 1, [*talk(3), Message.user("x" * 400)], 60)
    assert not teller.asked


def test_a_summary_that_is_too_long_is_an_error() -> None:
    with pytest.raises(
        OverLimitError, match=r"the summary .* 1,000 tokens, .* limit of 100"
    ) as error:
        summarize(Teller("x" * 4000), 1, talk(9), 100)
    assert error.value.messages[0].is_summary


def test_what_is_pinned_stays_as_it_is() -> None:
    first, *others = talk(6)
    pinned = replace(first, pinned=True)
    kept = summarize(Teller(), 1, [pinned, *others])
    assert kept[1:] == [pinned, others[-1]]


def test_what_is_pinned_stays_with_its_prompt() -> None:
    first, prompt, answer, *others = [*talk(1), *talk(2), *talk(2)]
    pinned = replace(answer, pinned=True)
    teller = Teller()
    assert summarize(teller, 0, [first, prompt, pinned, *others])[1:] == [prompt, pinned]
    assert list(teller.asked[0].summed) == [first, *others]


def test_a_summary_is_no_prompt_that_has_to_stay() -> None:
    once = Message(Role.USER, (Compaction("x" * 300),))
    pinned = Message(Role.ASSISTANT, (Text("y"),), pinned=True)
    kept = summarize(Teller("all of it"), 0, [once, pinned, *talk(4)], 60)
    assert kept == [Message(Role.USER, (Compaction(f"{SUMMARY}\nall of it", 2),)), pinned]


class Synchronous:
    def complete(self, request: CompletionRequest) -> Completion:
        return Completion((Text("words"),))


class Wordy:
    async def complete(self, request: CompletionRequest) -> str:
        return "words"


@pytest.mark.parametrize(
    ("provider", "error"),
    [
        ("gpt", "a str has no complete"),
        (len, "a builtin_function_or_method has no complete"),
        (Teller, "Teller is a class"),
        (Synchronous(), "complete of a Synchronous is not asynchronous"),
        (Wordy(), "complete of a Wordy returned a str, not a Completion"),
    ],
)
def test_what_is_no_provider_is_refused(provider: Any, error: str) -> None:
    with pytest.raises(TypeError, match=error):
        summarize(provider, 1, talk(4))


@pytest.mark.parametrize("content", ["words", Text("words"), ("words",)])
def test_an_answer_is_a_tuple_of_blocks(content: Any) -> None:
    with pytest.raises(TypeError, match="tuple of blocks"):
        Completion(content)
