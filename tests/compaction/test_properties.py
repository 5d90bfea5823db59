"""What holds for every history: limits, pairs, order, what stays, and that nothing is done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.compaction import (
    CompositeStrategy,
    ContextStrategy,
    Message,
    OverLimitError,
    Role,
    SlidingWindowStrategy,
    SummarizationStrategy,
    Text,
    TokenCounter,
    ToolResult,
    ToolResultClearingStrategy,
    ToolUse,
)
from tests.compaction.support import Teller, run
from tests.support import examples

anything = st.text(st.characters(codec=None), max_size=60)
names = st.sampled_from(["a", "b", "c", ""])


@st.composite
def turns(draw: st.DrawFn) -> list[Message]:
    """A prompt, answers, and calls with their results, some of which are missing or come late."""
    made = [Message.user(draw(anything))] if draw(st.booleans()) else []
    for name in draw(st.lists(names, max_size=3)):
        made.append(
            Message(Role.ASSISTANT, (Text(draw(anything)), ToolUse(name, "t", draw(anything))))
        )
        if draw(st.booleans()):
            made.append(Message.user(draw(anything)))
        if draw(st.integers(0, 9)):
            made.append(Message(Role.USER, (ToolResult(name, (Text(draw(anything)),)),)))
    if draw(st.booleans()):
        made.append(Message.assistant(draw(anything)))
    if not draw(st.integers(0, 5)):
        made.append(Message.system(draw(anything)))
    return made


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Turns one after the other; some messages are pinned."""
    said = [message for turn in draw(st.lists(turns(), max_size=8)) for message in turn]
    return [
        replace(message, number=number, pinned=not draw(st.integers(0, 11)))
        for number, message in enumerate(said, 1)
    ]


counters = st.builds(
    TokenCounter, st.sampled_from([4, "0.5", "3.3"]), unit=st.sampled_from(["characters", "bytes"])
)
limits = st.integers(0, 400)
sizes = st.integers(0, 12)


@st.composite
def strategies(draw: st.DrawFn) -> ContextStrategy:
    limit, counter = draw(limits), draw(counters)
    window: ContextStrategy = SlidingWindowStrategy(draw(sizes), limit, counter)
    clearing: ContextStrategy = ToolResultClearingStrategy(draw(sizes), limit, counter)
    summing: ContextStrategy = SummarizationStrategy(Teller(), draw(sizes), limit, counter)
    chosen = draw(st.lists(st.sampled_from([clearing, summing, window]), min_size=1, max_size=3))
    return draw(
        st.sampled_from([window, clearing, summing, CompositeStrategy(chosen, limit, counter)])
    )


def orphans(messages: Sequence[Message]) -> Counter[str]:
    """Results without a call before them, and calls without a result after them."""
    waiting: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for message in messages:
        for block in message.content:
            if isinstance(block, ToolUse):
                waiting[block.id] += 1
            elif isinstance(block, ToolResult):
                if waiting[block.tool_use_id]:
                    waiting[block.tool_use_id] -= 1
                else:
                    lost[block.tool_use_id] += 1
    return lost + waiting


def done(strategy: ContextStrategy, history: list[Message]) -> tuple[list[Message], bool]:
    """What is left, and whether it is within the limit; nothing else may be raised."""
    try:
        return run(strategy, history), True
    except OverLimitError as error:
        assert strategy.token_estimate(error.messages) == error.tokens > error.limit
        assert error.least <= error.tokens
        return error.messages, False


@given(strategies(), histories())
@settings(max_examples=examples(200))
def test_what_is_left_is_within_the_limit_or_an_error(
    strategy: ContextStrategy, history: list[Message]
) -> None:
    left, fits = done(strategy, history)
    assert fits is not strategy.should_compact(left, strategy.token_estimate(left))


@given(strategies(), histories())
@settings(max_examples=examples(200))
def test_no_pair_is_parted(strategy: ContextStrategy, history: list[Message]) -> None:
    left, _ = done(strategy, history)
    assert orphans(left) <= orphans(history)


@given(strategies(), histories())
@settings(max_examples=examples(200))
def test_instructions_and_what_is_pinned_stay_and_order_does(
    strategy: ContextStrategy, history: list[Message]
) -> None:
    left, _ = done(strategy, history)
    numbers = {message.number for message in left}
    assert {message.number for message in history if message.stays} <= numbers
    for kind in (True, False):
        order = [m.number for m in left if m.number and (m.role is Role.SYSTEM) is kind]
        assert order == sorted(order)
        assert len(order) == len(set(order))
    said = {message.number: message for message in history}
    assert all(m == said[m.number] for m in left if m.stays)


@given(strategies(), histories())
@settings(max_examples=examples(200))
def test_what_is_pinned_stays_with_its_prompt(
    strategy: ContextStrategy, history: list[Message]
) -> None:
    left, _ = done(strategy, history)
    numbers = {message.number for message in left}
    prompt = None
    for message in history:
        prompt = message.number if message.is_prompt else prompt
        if message.pinned and message.role is not Role.SYSTEM and prompt is not None:
            assert prompt in numbers


@given(strategies(), histories())
@settings(max_examples=examples(200))
def test_doing_it_again_changes_nothing(strategy: ContextStrategy, history: list[Message]) -> None:
    left, fits = done(strategy, history)
    if fits:
        assert done(strategy, left) == (left, True)


@given(st.integers(0, 8), limits, counters, histories())
@settings(max_examples=examples(200))
def test_a_window_is_as_long_as_the_limit_lets_it_be(
    size: int, limit: int, counter: TokenCounter, history: list[Message]
) -> None:
    try:
        least = 0
        left = run(SlidingWindowStrategy(size, limit, counter), history)
    except OverLimitError as error:
        left, least = error.messages, error.least
    if least:
        # One token less than what can be reached is refused, and that itself is not.
        reached = run(SlidingWindowStrategy(size, least, counter), history)
        assert counter.estimate_messages(reached) <= least
    else:
        tokens = counter.estimate_messages(left)
        assert run(SlidingWindowStrategy(size, tokens, counter), history) == left
        assert tokens <= limit


@given(st.integers(1, 20), histories())
def test_a_window_has_no_more_messages_than_asked_for(size: int, history: list[Message]) -> None:
    plain = [m for m in history if not any(isinstance(b, ToolUse | ToolResult) for b in m.content)]
    loose = [replace(message, pinned=False) for message in plain]
    left = run(SlidingWindowStrategy(size, 10**9), loose)
    others = [message for message in left if message.role is not Role.SYSTEM]
    assert len(others) <= max(size, 2)  # the newest answer comes with its prompt
