"""What is left of random conversations, held against the vendors' own types."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from synapse_ls.compaction import (
    CompositeStrategy,
    ContextStrategy,
    OverLimitError,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenCounter,
    ToolResultClearingStrategy,
    read_messages,
    write_messages,
)
from tests.compaction.support import Teller, run
from tests.compaction.vendor_dialects import DIALECTS, check_order, random_turns, type_validator

CONVERSATIONS = 100  # of each of five dialects, with each of four strategies: 2,000 in all

STRATEGIES: dict[str, Callable[[Random, int], ContextStrategy]] = {
    "window": lambda random, limit: SlidingWindowStrategy(random.randint(1, 30), limit),
    "clearing": lambda random, limit: ToolResultClearingStrategy(random.randint(0, 4), limit),
    "summary": lambda random, limit: SummarizationStrategy(Teller(), random.randint(0, 9), limit),
    "composite": lambda _, limit: CompositeStrategy(
        [
            ToolResultClearingStrategy(1, limit),
            SummarizationStrategy(Teller(), 4, limit),
            SlidingWindowStrategy(20, limit),
        ],
        limit,
    ),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", STRATEGIES)
def test_what_is_left_is_what_the_vendor_takes(dialect: str, name: str) -> None:
    check = type_validator(dialect)
    counter, shortened = TokenCounter(), 0
    for seed in range(CONVERSATIONS):
        random = Random(f"{dialect} {seed}")
        items = list(DIALECTS[dialect](random_turns(random)))
        if not seed:
            check(items)
        before = copy.deepcopy(items)
        messages = read_messages(items)
        if not seed % 5:  # a pinned message, somewhere
            place = random.randrange(len(messages))
            messages[place] = replace(messages[place], pinned=True)
        tokens = counter.estimate_messages(messages)
        limit = random.randint(tokens // 3, tokens)
        try:
            left = run(STRATEGIES[name](random, limit), messages)
        except OverLimitError:
            assert items == before
            continue
        shortened += 1
        written = write_messages(left)
        assert items == before, "what was given has changed"
        assert counter.estimate_messages(read_messages(written)) <= limit
        check(written)
        check_order(dialect, written)
    assert shortened > CONVERSATIONS // 10
