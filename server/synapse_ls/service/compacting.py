"""One history and one wish -> the compacted history, and the account of what became of each message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from synapse_ls.compaction.clearing import ToolResultClearingStrategy
from synapse_ls.compaction.composite import CompositeStrategy
from synapse_ls.compaction.counter import Ratio, TokenCounter, Unit
from synapse_ls.compaction.errors import ContextError, OverLimitError
from synapse_ls.compaction.message import Message, ToolDefinition, ToolResult
from synapse_ls.compaction.provider import Completion, CompletionRequest, Provider
from synapse_ls.compaction.sliding_window import SlidingWindowStrategy
from synapse_ls.compaction.strategy import ContextStrategy
from synapse_ls.compaction.summarization import SummarizationStrategy
from synapse_ls.service.errors import ServiceError

WINDOW, SUMMARIZE, CLEAR, COMPOSITE = (
    "sliding-window",
    "summarize",
    "clear-tool-results",
    "composite",
)
STRATEGIES = (WINDOW, SUMMARIZE, CLEAR, COMPOSITE)
LIMIT = 100_000
"""Tokens that a history may take unless something else is said."""

KEPT_RESULTS, PRESERVED = 3, 10
"""Tool results that are not cleared and messages that are not summed up, unless something else is said."""

_WORDS = 60  # characters of a message that an account quotes


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of a compaction.

    limit: tokens for all that the model is sent, tools included. keep_last: messages that stay (of
    "clear-tool-results": results); None is as many as fit, for a summary `PRESERVED`. keep_results:
    results that are not cleared. keep_first: messages, instructions aside, that stay in any case.
    force: even where the history is not too long. ratio, unit: how tokens are estimated.
    """

    strategy: str = WINDOW
    limit: int = LIMIT
    keep_last: int | None = None
    keep_results: int | None = None
    keep_first: int = 0
    force: bool = False
    ratio: Ratio = 4
    unit: Unit = "characters"


class Outcome(NamedTuple):
    """The history as it is afterwards, and the report (see docs/compaction.md)."""

    messages: list[Message]
    report: dict[str, Any]


class _Listening:
    """A provider that notes what it was asked to sum up."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.summed: set[int | None] = set()

    async def complete(self, request: CompletionRequest) -> Completion:
        self.summed.update(message.number for message in request.messages)
        return await self._provider.complete(request)


async def compacted(
    messages: Sequence[Message],
    tools: Sequence[ToolDefinition],
    wish: Wish,
    provider: Provider | None = None,
) -> Outcome:
    """Carry out a wish. Raises ServiceError where it cannot be, or not within its limit."""
    _check(wish, provider)
    counter = _counter(wish)
    history = _prepared(messages, wish.keep_first)
    around = counter.estimate_tools(tools)
    if around > wish.limit:
        raise ServiceError(
            f"The tools alone take {around:,} tokens, more than the limit of {wish.limit:,}.",
            f"Give a limit of at least {around:,} tokens, or fewer tools.",
        )
    listening = _Listening(provider) if provider else None
    strategy = _strategy(wish, len(history), wish.limit - around, counter, listening)
    after = list(history)
    if wish.force or strategy.should_compact(history, strategy.token_estimate(history)):
        try:
            after = await strategy.compact(history)
        except OverLimitError as error:
            raise _too_long(error, around, wish) from error
        except ContextError as error:
            raise ServiceError(f"The history was not compacted: {error}.", "") from error
    summed = listening.summed if listening else set()
    report = _report(history, after, tools, wish, counter, summed)
    return Outcome(after, report)


def _check(wish: Wish, provider: Provider | None) -> None:
    if wish.strategy not in STRATEGIES:
        raise ServiceError(
            f'There is no strategy "{wish.strategy}".', f"Choose one of {', '.join(STRATEGIES)}."
        )
    if wish.strategy == SUMMARIZE and provider is None:
        raise ServiceError(
            "A summary needs somebody who writes it.",
            "Name a command with `synapse compact --summarizer`, or choose another strategy.",
        )
    for name in ("limit", "keep_last", "keep_results", "keep_first"):
        value = getattr(wish, name)
        if value is not None and value < 0:
            told = name.replace("_", "-")
            raise ServiceError(f"{told} is {value}, which is below 0.", "Give 0 or more.")


def _counter(wish: Wish) -> TokenCounter:
    try:
        return TokenCounter(wish.ratio, unit=wish.unit)
    except ValueError as error:
        raise ServiceError(
            f"Tokens cannot be counted so: {error}.", "The usual ratio is 4."
        ) from error


def _prepared(messages: Sequence[Message], first: int) -> list[Message]:
    """Messages with numbers, the first of them pinned."""
    history = list(messages)
    if any(message.number is None for message in history):
        history = [replace(message, number=number) for number, message in enumerate(history, 1)]
    for index, message in enumerate(history):
        if first > 0 and not message.stays:
            history[index] = replace(message, pinned=True)
            first -= 1
    return history


def _strategy(
    wish: Wish, length: int, limit: int, counter: TokenCounter, provider: Provider | None
) -> ContextStrategy:
    last = length if wish.keep_last is None else wish.keep_last
    results = KEPT_RESULTS if wish.keep_results is None else wish.keep_results
    window = SlidingWindowStrategy(last, limit, counter)
    if wish.strategy == WINDOW:
        return window
    if wish.strategy == CLEAR:
        given = results if wish.keep_results is not None or wish.keep_last is None else last
        return ToolResultClearingStrategy(given, limit, counter)
    preserved = PRESERVED if wish.keep_last is None else wish.keep_last
    summing = SummarizationStrategy(provider, preserved, limit, counter) if provider else None
    if wish.strategy == SUMMARIZE and summing:
        return summing
    clearing = ToolResultClearingStrategy(results, limit, counter)
    return CompositeStrategy([clearing, summing or window, window], limit, counter)


def _too_long(error: OverLimitError, around: int, wish: Wish) -> ServiceError:
    least = error.least + around
    others = "" if wish.strategy == COMPOSITE else f', try "{COMPOSITE}"'
    return ServiceError(
        f"{wish.strategy} leaves {least:,} tokens at least, more than the limit of {wish.limit:,}.",
        f"Give a limit of {least:,} or more{others}, or let less stay.",
    )


def _report(
    before: Sequence[Message],
    after: Sequence[Message],
    tools: Sequence[ToolDefinition],
    wish: Wish,
    counter: TokenCounter,
    summed: set[int | None],
) -> dict[str, Any]:
    kept = {message.number: message for message in after}
    gone = [
        {**_line(message, counter), "summarized": message.number in summed}
        for message in before
        if message.number not in kept
    ]
    cleared = [
        {"number": message.number, "id": now.tool_use_id, "tokens": now.cleared}
        for message in before
        if message.number in kept
        for now, then in zip(kept[message.number].content, message.content, strict=True)
        if isinstance(now, ToolResult) and now is not then
    ]
    return {
        "strategy": wish.strategy,
        "limit": wish.limit,
        "before": _figures(before, tools, counter),
        "after": _figures(after, tools, counter),
        "dropped": gone,
        "cleared": cleared,
        "summary": next((m.text for m in after if m.number is None), None),
    }


def _figures(
    messages: Sequence[Message], tools: Sequence[ToolDefinition], counter: TokenCounter
) -> dict[str, Any]:
    parts = counter.breakdown(messages, tools)
    told = {name: getattr(parts, name) for name in parts.__dataclass_fields__}
    return {"messages": len(messages), "tokens": parts.total, "parts": told}


def _line(message: Message, counter: TokenCounter) -> dict[str, Any]:
    words = " ".join(message.text[: 4 * _WORDS].split())
    return {
        "number": message.number,
        "role": message.role.value,
        "tokens": counter.estimate_message(message),
        "words": words if len(words) <= _WORDS else f"{words[: _WORDS - 1]}…",
    }
