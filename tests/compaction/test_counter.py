"""`TokenCounter`: the expectations of neuron-context, and what counting in whole numbers changes."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.compaction import (
    Compaction,
    Document,
    Image,
    Message,
    RedactedThinking,
    Role,
    Text,
    Thinking,
    TokenCounter,
    ToolDefinition,
    ToolResult,
    ToolUse,
)

COUNTER = TokenCounter()
SEARCH = ToolDefinition(
    "search",
    "Search the web for information",
    {"type": "object", "properties": {"query": {"type": "string"}}},
)
URL = Image({"type": "url", "url": "https://example.com/a.png"})


def message(*blocks: Any, role: Role = Role.USER) -> int:
    return COUNTER.estimate_messages([Message(role, blocks)])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("Hello, world!", 4), ("", 0), ("a" * 100, 25), ("x", 1), ("abcd", 1), ("abcde", 2)],
)
def test_a_text_is_its_length_by_four_rounded_up(text: str, tokens: int) -> None:
    assert COUNTER.estimate_text(text) == tokens


def test_no_messages_take_nothing() -> None:
    assert COUNTER.estimate_messages([]) == 0


def test_two_messages() -> None:
    said = [Message.user("Hello there"), Message.assistant("Hi!")]
    assert COUNTER.estimate_messages(said) == 12


def test_a_tool_use_is_its_name_and_its_input() -> None:
    assert message(ToolUse("t1", "search", {"query": "search term"})) == 12


def test_a_tool_result_is_its_content() -> None:
    assert message(ToolResult("t1", (Text("search results here"),))) == 9


def test_four_messages_mixed() -> None:
    said = [
        Message.user("Please search for rust"),
        Message(Role.ASSISTANT, (ToolUse("t", "search", {"q": "rust"}),)),
        Message(Role.USER, (ToolResult("t", (Text("Rust is a systems programming language"),)),)),
        Message.assistant("Rust is a great language!"),
    ]
    assert [COUNTER.estimate_message(m) for m in said] == [10, 9, 14, 11]
    assert COUNTER.estimate_messages(said) == 44


@pytest.mark.parametrize(
    ("ratio", "length", "tokens"),
    [(4.0, 40, 10), (2.0, 40, 20), (1.0, 5, 5), (100.0, 100, 1), (100.0, 101, 2), (3.5, 13, 4)],
)
def test_another_ratio(ratio: float, length: int, tokens: int) -> None:
    assert TokenCounter(ratio).estimate_text("a" * length) == tokens


def test_no_tools_take_nothing() -> None:
    assert COUNTER.estimate_tools([]) == 0


def test_a_tool_is_its_name_description_and_schema() -> None:
    assert COUNTER.estimate_tools([SEARCH]) == 2 + 8 + 15


def test_tools_add_up() -> None:
    calculate = ToolDefinition("calculate", "Evaluate an expression", {"type": "object"})
    both = COUNTER.estimate_tools([SEARCH, calculate])
    assert both == COUNTER.estimate_tools([SEARCH]) + COUNTER.estimate_tools([calculate])


def test_the_usual_ratio_is_four() -> None:
    assert TokenCounter() == TokenCounter(4) == TokenCounter("4.0")


@pytest.mark.parametrize(
    "image", [Image({"type": "base64", "media_type": "image/png", "data": "aGk="}), URL]
)
def test_an_image_takes_300(image: Image) -> None:
    assert message(image) == 304


@pytest.mark.parametrize("kind", ["base64", "text", "url"])
def test_a_document_takes_500(kind: str) -> None:
    assert message(Document({"type": kind, "data": "x" * 9000})) == 504


def test_a_summary_is_its_text() -> None:
    assert message(Compaction("a" * 40), role=Role.ASSISTANT) == 14


def test_the_signature_of_thinking_is_free() -> None:
    assert message(Thinking("a" * 20, "sig-abc")) == 9


def test_redacted_thinking_is_its_data() -> None:
    assert message(RedactedThinking("a" * 16)) == 8


def test_blocks_of_a_message_add_up() -> None:
    assert message(Text("a" * 40), URL, Text("b" * 8)) == 316


@pytest.mark.parametrize(
    ("content", "tokens"), [((URL,), 304), ((Text("a" * 20), URL), 309), ((), 4)]
)
def test_the_content_of_a_tool_result_adds_up(content: tuple[Any, ...], tokens: int) -> None:
    assert message(ToolResult("t", content)) == tokens


def test_an_empty_input_is_two_characters_of_json() -> None:
    assert message(ToolUse("t", "a" * 8, {})) == 7


def test_a_message_without_blocks_takes_four() -> None:
    assert message() == 4


# Mended: neuron-context counts bytes and calls them characters, in single precision, by any ratio.


@pytest.mark.parametrize(("text", "characters", "by_bytes"), [("héllo", 2, 2), ("日本語", 1, 3), ("🙂", 1, 1), ("日本語" * 4, 3, 9)])  # fmt: skip
def test_characters_are_counted_and_bytes_on_demand(
    text: str, characters: int, by_bytes: int
) -> None:
    assert COUNTER.estimate_text(text) == characters
    assert TokenCounter(unit="bytes").estimate_text(text) == by_bytes


@pytest.mark.parametrize(
    ("ratio", "length", "tokens"),
    [(1.1, 11, 10), (2.2, 11, 5), (3.3, 11, 4), (0.1, 3, 30), (0.7, 21, 30), (1.3, 39, 30)],
)
def test_a_ratio_is_the_decimal_number_that_is_written(
    ratio: float, length: int, tokens: int
) -> None:
    # Single and double precision give 31 for one or the other of the last two.
    for written in (ratio, str(ratio), Decimal(str(ratio)), Fraction(str(ratio))):
        assert TokenCounter(written).estimate_text("a" * length) == tokens


def test_the_last_character_of_a_long_text_counts() -> None:
    assert COUNTER.estimate_text("a" * 16_777_217) == 4_194_305


@pytest.mark.parametrize("ratio", [0, -1, float("nan"), float("inf"), "", "four", True, "1/0"])
def test_a_ratio_that_is_none_is_refused(ratio: Any) -> None:
    # Before: 0 gave 2**64 - 1 tokens for "abc", and the others 0.
    with pytest.raises(ValueError, match="a ratio is a finite decimal number above 0"):
        TokenCounter(ratio)


def test_another_unit_is_refused() -> None:
    with pytest.raises(ValueError, match="words"):
        TokenCounter(unit="words")  # type: ignore[arg-type]


def test_the_parts_of_a_request_add_up_to_all_of_it() -> None:
    said = [Message.system("Be brief"), Message.user("Hi"), Message(Role.USER, (URL,))]
    parts = COUNTER.breakdown(said, [SEARCH])
    assert parts.total == COUNTER.estimate_messages(said) + COUNTER.estimate_tools([SEARCH])
    assert (parts.system, parts.overhead, parts.media, parts.tools) == (6, 8, 300, 25)


@pytest.mark.parametrize(("number", "tokens"), [(100, 3_290), (1000, 32_990), (10_000, 329_990)])
def test_the_benchmark_of_neuron_context_comes_to_the_same(number: int, tokens: int) -> None:
    # "Message {i}: …" of 112 bytes and the digits of i beyond the first, alternately said.
    say = (Message.user, Message.assistant)
    messages = [say[index % 2](f"Message {index}: {'x' * 101}") for index in range(number)]
    assert COUNTER.estimate_messages(messages) == tokens
    assert TokenCounter(unit="bytes").estimate_messages(messages) == tokens


units = st.sampled_from(["characters", "bytes"])
anything = st.text(st.characters(codec=None))


@given(st.lists(st.sampled_from([Message.user, Message.assistant]), max_size=20), st.data())
def test_more_messages_never_take_less(makers: list[Any], data: st.DataObject) -> None:
    said = [make(data.draw(anything)) for make in makers]
    estimates = [COUNTER.estimate_messages(said[:number]) for number in range(len(said) + 1)]
    assert estimates == sorted(estimates)


@given(st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ", min_size=1, max_size=200))
def test_a_message_takes_something(text: str) -> None:
    assert COUNTER.estimate_messages([Message.user(text)]) > 0


@given(anything, anything, units, st.decimals("0.01", 100, places=2))
def test_two_texts_take_no_more_together_and_no_less_than_either(
    first: str, second: str, unit: Any, ratio: Decimal
) -> None:
    counter = TokenCounter(ratio, unit=unit)
    one, other = counter.estimate_text(first), counter.estimate_text(second)
    together = counter.estimate_text(first + second)
    assert together <= one + other
    if unit == "characters" or first.isascii() or second.isascii():
        assert together >= max(one, other)


@given(anything)
def test_bytes_are_never_fewer_than_characters(text: str) -> None:
    assert TokenCounter(unit="bytes").estimate_text(text) >= COUNTER.estimate_text(text)
