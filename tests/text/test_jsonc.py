from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.fast_json import JsonError
from synapse_ls.text.jsonc_tree import MAX_DEPTH, JsonNode, parse_jsonc

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(values, st.sampled_from([None, 2]))
def test_json_means_what_it_means_elsewhere(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    found = parse_jsonc(text)
    assert found.root.value == value
    assert found.comments == () and found.trailing_commas == ()


@given(st.text() | st.text('{}[],:"/*\\ \n0-e.tfn1'))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    try:
        found = parse_jsonc(text)
    except JsonError as error:
        assert 0 <= error.offset <= len(text)
    else:
        assert found.text == text


def leaves(node: JsonNode) -> list[JsonNode]:
    if not node.elements:
        return [node]
    return [leaf for element in node.elements for leaf in leaves(element.node)]


@given(values)
def test_every_value_has_its_place(value: Any) -> None:
    text = json.dumps(value, indent=1)
    for leaf in leaves(parse_jsonc(text).root):
        assert json.loads(text[leaf.span.start : leaf.span.end]) == leaf.value


def test_comments_and_trailing_commas_have_their_places() -> None:
    text = '// a\n{"x": [1, /* b */ 2,], "//": "/*",}'
    found = parse_jsonc(text)
    assert found.root.value == {"x": [1, 2], "//": "/*"}
    assert [text[c.start : c.end] for c in found.comments] == ["// a", "/* b */"]
    assert found.trailing_commas == (text.index(",]"), text.index(",}"))


def test_the_last_of_two_members_counts() -> None:
    found = parse_jsonc('{"a": 1, "a": 2}')
    member = found.root.get("a")
    assert found.root.value == {"a": 2} and member is not None and member.node.value == 2


@pytest.mark.parametrize(
    ("text", "offset", "said"),
    [
        ("", 0, "expected a value"),
        ("{", 1, "expected a name"),
        ('{"a" 1}', 5, "expected a colon"),
        ("[1 2]", 3, "expected a comma or ]"),
        ("[,]", 1, "expected a value"),
        ("{} {}", 3, "unexpected text"),
        ("/* x", 0, "a comment that does not end"),
        ('"x', 0, "an unclosed string"),
        ('"x\n"', 2, "a control character inside of a string"),
        ("nullx", 0, "expected a value"),
        ("[" * (MAX_DEPTH + 1), MAX_DEPTH, "nested too deeply"),
        ("1" * 5000, 0, "too many digits"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, offset: int, said: str) -> None:
    with pytest.raises(JsonError, match=said.replace("]", r"\]")) as caught:
        parse_jsonc(text)
    assert caught.value.offset == offset
    assert str(caught.value) == f"{caught.value.what} at character {offset}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" + "1," * 300_001 + "1]", "more than 300,000 values"),
        ("// x\n" * 300_001 + "1", "more than 300,000 values"),
        ("/**/" * 300_001 + "1", "more than 300,000 values"),
        ("[" * 201 + "]" * 201, "nested too deeply"),
        ('{"a":' * 201 + "1" + "}" * 201, "nested too deeply"),
    ],
)
def test_a_bomb_is_refused_before_it_costs_anything(text: str, said: str) -> None:
    with pytest.raises(JsonError, match=said):
        parse_jsonc(text)


def test_settings_of_an_ordinary_depth_and_length_are_read() -> None:
    text = "[" * 100 + ", ".join(["1"] * 10_000) + "]" * 100
    assert parse_jsonc(f"// x\n{text}").root.elements
