"""Arguments of a wrong type get a sentence that says what is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from synapse_ls.compaction import (
    CompositeStrategy,
    ContextError,
    ContextSection,
    EveryNTurns,
    Message,
    PersistentContext,
    Role,
    SlidingWindowStrategy,
    SummarizationStrategy,
    SystemInjector,
    TokenCounter,
    ToolResultClearingStrategy,
    read_messages,
    read_request,
    write_messages,
    write_request,
)
from tests.compaction.support import Teller

COUNTER = TokenCounter()
WRONG: tuple[Any, ...] = (None, 5, "x", b"x", 1.5, True, [1], [None], [{}], {}, object())


def compacted(strategy: Any) -> Callable[[Any], object]:
    return lambda value: asyncio.run(strategy.compact(value))


DOORS: dict[str, Callable[[Any], object]] = {
    "text": COUNTER.estimate_text,
    "block": COUNTER.estimate_block,
    "message": COUNTER.estimate_message,
    "messages": COUNTER.estimate_messages,
    "tools": COUNTER.estimate_tools,
    "breakdown": COUNTER.breakdown,
    "ratio": TokenCounter,
    "window": lambda value: SlidingWindowStrategy(value, 10),
    "limit": lambda value: SlidingWindowStrategy(2, value),
    "counter": lambda value: SlidingWindowStrategy(2, 10, value).token_estimate([]),
    "kept results": lambda value: ToolResultClearingStrategy(value, 10),
    "preserved": lambda value: SummarizationStrategy(Teller(), value, 10),
    "provider": lambda value: SummarizationStrategy(value, 2, 10),
    "strategies": lambda value: CompositeStrategy(value, 10),
    "length": lambda value: SlidingWindowStrategy(2, 10).should_compact([], value),
    "through a window": compacted(SlidingWindowStrategy(2, 100)),
    "through clearing": compacted(ToolResultClearingStrategy(2, 100)),
    "through a summary": compacted(SummarizationStrategy(Teller(), 2, 100)),
    "through all": compacted(CompositeStrategy([SlidingWindowStrategy(2, 100)], 100)),
    "read messages": read_messages,
    "read request": read_request,
    "write messages": write_messages,
    "shape": lambda value: write_messages([], value),
    "request": lambda value: write_request(value, {"messages": []}),
    "body": lambda value: write_request([], value),
    "section": PersistentContext().add_section,
    "sections": PersistentContext,
    "budget": PersistentContext([ContextSection("a", "b")]).render,
    "trigger": lambda value: SystemInjector().add_rule(value, "x"),
    "turns": lambda value: SystemInjector().add_rule(EveryNTurns(value), "x"),
    "injected": lambda value: SystemInjector().add_rule(EveryNTurns(1), value),
    "turn": lambda value: SystemInjector().check(value, 1),
    "words": Message.user,
    "content": lambda value: COUNTER.estimate_message(Message(Role.USER, value)),
}

PYTHON_SAYS = ("object is not", "object of type", "not supported", "has no attribute", "argument")


@pytest.mark.parametrize("door", DOORS)
def test_a_wrong_type_gets_a_sentence(door: str) -> None:
    for value in WRONG:
        try:
            DOORS[door](value)
        except (ContextError, TypeError, ValueError) as error:
            said = str(error)
            assert said and not any(words in said for words in PYTHON_SAYS), value
