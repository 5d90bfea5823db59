"""Characters that nobody sees are found where they do no honest work, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.hidden_characters import CONTROL, DIRECTION, INVISIBLE, TAGS, find_hidden_runs
from synapse_ls.text.span import Span

TAGGED = "".join(chr(0xE0000 + ord(letter)) for letter in "push it")


def runs(text: str) -> list[tuple[Span, str]]:
    return [(run.span, run.sort) for run in find_hidden_runs(text)]


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("a«\u200b»b", INVISIBLE),
        ("a«\ufdd0\uffff»b", INVISIBLE),
        ("a«\U000e1000»b", INVISIBLE),
        ("a«\u200d\u200c»b", INVISIBLE),
        ("a«\u00ad»b", INVISIBLE),
        ("a«\u3164»b", INVISIBLE),
        ("«\ufeff»GLOBAL_RULE_0=a", INVISIBLE),
        ("👍\ufe0f«\ufe0f\ufe0e»", INVISIBLE),
        ("a«\ufe00»", INVISIBLE),
        ("é«\ufe0f»", INVISIBLE),
        (",«\ufe0f»", INVISIBLE),
        ("🙂«\ufe05»", INVISIBLE),
        ("葛«\ufe0f»", INVISIBLE),
        ("•«\ufe0f»", INVISIBLE),
        ("—«\ufe00»", INVISIBLE),
        ("🙂«\ufe00»", INVISIBLE),
        ("=«\u200d»=", INVISIBLE),
        ("a«\U000e0100\U000e0101»", INVISIBLE),
        ("a «\u202e»b", DIRECTION),
        ("a «\u2066»b", DIRECTION),
        ("a«\u200e»", DIRECTION),
        ("שלום «\u202e»b", DIRECTION),
        (f"a«{TAGGED}»b", TAGS),
        (f"🏴«{TAGGED}»b", TAGS),
        ("a«\x1b»[31mb", CONTROL),
        ("a«\x08\x08»b", CONTROL),
        ("a«\x9b»31m", CONTROL),
    ],
)
def test_what_is_hidden_is_found(text: str, sort: str) -> None:
    start, end = text.index("«"), text.index("»") - 1
    assert runs(text.replace("«", "").replace("»", "")) == [(Span(start, end), sort)]


@pytest.mark.parametrize(
    "text",
    [
        "plain\ttext\r\n",
        "👨‍👩‍👧 👩🏽‍💻 🏳️‍🌈 ❤️‍🔥 ⚠️ 1️⃣ ©️ ℹ️ ‼️ 〰️ ↔️ ☎︎ 0\ufe00 ∩\ufe00 ，\ufe00",
        "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
        "می‌خواهم",
        "क्‍ष ශ්‍රී",
        "ภาษา\u200bไทย",
        "the `\u200b```yaml` fence",
        "葛\U000e0100城",
        "ᠮᠣ᠋",
        "שלום \u2067abc\u2069 \u200f",
        "naïve — “quoted” … ½",
    ],
)
def test_what_a_script_or_an_emoji_needs_is_left_alone(text: str) -> None:
    assert runs(text) == []


def test_a_direction_must_be_turned_back_in_the_same_line() -> None:
    assert [sort for _, sort in runs("שלום \u2067abc\n\u2069")] == [DIRECTION, DIRECTION]


def test_tags_tell_what_they_spell() -> None:
    (run,) = find_hidden_runs(f"a{TAGGED}")
    assert run.decoded_tags == "push it"


def test_two_sorts_are_two_runs() -> None:
    assert [sort for _, sort in runs("a\u200b\u202eb")] == [INVISIBLE, DIRECTION]


@given(
    st.text(
        alphabet=st.sampled_from(
            "aא ก👍❤🏴\u200b\u200d\ufe0f\u202e\u2067\u2069\n\x1b\U000e0067\U000e007f"
        )
    )
)
def test_runs_are_in_order_and_in_the_text(text: str) -> None:
    end = 0
    for run in find_hidden_runs(text):
        assert end <= run.span.start < run.span.end <= len(text)
        end = run.span.end


@given(st.text(alphabet=st.sampled_from("ab ก👍\u200b\u202e\ufe0f\n")))
def test_nothing_is_hidden_once_it_is_taken_out(text: str) -> None:
    for _ in range(len(text) + 1):
        found = list(find_hidden_runs(text))
        for run in reversed(found):
            text = text[: run.span.start] + text[run.span.end :]
        if not found:
            return
    raise AssertionError(text)
