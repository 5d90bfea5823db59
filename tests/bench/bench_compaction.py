"""Compaction of 10,000 messages in a warm process, and counting their tokens.

    python -m tests.bench.bench_compaction

neuron-context counts its benchmark's messages to 3,290, 32,990 and 329,990 tokens, in 1.06 µs, 11.0 µs
and 149 µs on two cores; a loop in Python that knows nothing but texts takes 19 µs, 184 µs and 1.9 ms.
"""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator

from synapse_ls.compaction import (
    CompositeStrategy,
    ContextStrategy,
    Message,
    PersistentContext,
    Role,
    SlidingWindowStrategy,
    Text,
    TokenCounter,
    ToolResult,
    ToolResultClearingStrategy,
    ToolUse,
    read_messages,
)
from synapse_ls.compaction.injected_context import ContextSection
from synapse_ls.compaction.message import ToolDefinition
from synapse_ls.queries import history_compaction
from synapse_ls.queries.history_compaction import CompactionRequest, compact_history
from tests.bench.measure import Figure, calls, percentile, print_figures, ratio

TOTALS = {100: 3_290, 1_000: 32_990, 10_000: 329_990}
WORDS = "people write messages that are neither short nor very long, and this one is as long as most of them, too."
TOOL = ToolDefinition("search", "Search the web", {"type": "object"})


def spoken(number: int) -> list[Message]:
    """The messages of neuron-context's benchmark: in turn of user and assistant, a text each."""
    say = (Message.user, Message.assistant)
    return [say[index % 2](f"Message {index}: {WORDS[:101]}") for index in range(number)]


def session(number: int) -> list[Message]:
    """Turns of a prompt, two calls with their results, and an answer: six messages each."""
    found: list[Message] = []
    for index in range(number // 6 + 1):
        found.append(Message.user(f"Prompt {index}: " + "what is to be done next " * 4))
        for name in (f"a{index}", f"b{index}"):
            use = ToolUse(name, "Bash", {"command": f"make target-{index}"})
            found.append(Message(Role.ASSISTANT, (Text("Let me look."), use)))
            result = ToolResult(name, (Text("a line of output\n" * 40),))
            found.append(Message(Role.USER, (result,)))
        found.append(Message.assistant("That is done. " * 6))
    return found[:number]


def transcript(messages: int) -> bytes:
    """A transcript of Claude Code with as many messages."""
    lines = []
    for index in range(messages):
        kind = ("user", "assistant")[index % 2]
        said = {"role": kind, "id": f"m{index}", "content": [{"type": "text", "text": WORDS * 4}]}
        lines.append(
            json.dumps({"type": kind, "uuid": f"u{index}", "sessionId": "s", "message": said})
        )
    return "\n".join(lines).encode()


def figures() -> Iterator[Figure]:
    """Medians; a count of tokens as a multiple of a loop over the texts, too."""
    counter = TokenCounter()
    for number, total in TOTALS.items():
        messages = spoken(number)
        assert counter.estimate_messages(messages) == total
        texts = [message.text for message in messages]
        plain = calls(lambda t=texts: sum(-(-len(x.encode()) // 4) + 4 for x in t), rounds=50)  # type: ignore[misc]
        times = calls(lambda m=messages: counter.estimate_messages(m), rounds=50)  # type: ignore[misc]
        yield _median(f"a loop over {number:,} texts", plain)
        yield _median(f"tokens of {number:,} messages", times)
        yield ratio(f"tokens of {number:,} messages", times, percentile(plain, 50))
    history = session(10_000)
    total = counter.estimate_messages(history)
    window = SlidingWindowStrategy(10_000, total // 2)
    clearing = ToolResultClearingStrategy(3, total // 2)
    strategies: dict[str, ContextStrategy] = {
        "sliding window": window,
        "clearing": clearing,
        "composite": CompositeStrategy([clearing, window], total // 4),
    }
    fit = f"10,000 messages of {total:,} tokens made to fit a half"
    for name, strategy in strategies.items():
        times = calls(lambda s=strategy: asyncio.run(s.compact(history)), rounds=10, warm=1)  # type: ignore[misc]
        yield _median(f"{fit}: {name}", times)
    wish = CompactionRequest(limit=total // 2)
    times = calls(lambda: asyncio.run(compact_history(history, [TOOL], wish)), rounds=10, warm=1)
    yield _median("  with its report", times)
    data = [{"role": message.role.value, "content": message.text} for message in history]
    yield _median("  read as JSON values", calls(lambda: read_messages(data), rounds=10, warm=1))
    lines = transcript(10_000)
    times = calls(lambda: history_compaction.read_history(io.BytesIO(lines), "x"), rounds=5, warm=1)
    yield _median(f"  read from a transcript, {len(lines) / 1e6:.1f} MB", times)
    context = PersistentContext([ContextSection(f"S{n}", WORDS, n % 7) for n in range(100)])
    yield _median("100 sections rendered", calls(context.render, rounds=200))


def _median(name: str, times: list[float]) -> Figure:
    return Figure(f"{name}, p50", percentile(times, 50), "ms")


if __name__ == "__main__":
    raise SystemExit(print_figures(figures()))
