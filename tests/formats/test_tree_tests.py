from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.tree_tests import OPTIONS, parse
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import mark

PIECES = (
    *("[[case]]\n", "[case]\n", "name = ", "domains = ", "agent = ", "max_tokens = ", "case = "),
    *('"a"\n', "['b', \"c\"]\n", '"""d"""\n', "3\n", "[1]\n", "[[case.x]]\n", "# e\n", "\r\n"),
)
TOML = st.lists(st.sampled_from(PIECES)).map("".join)


def test_a_case_says_what_it_meets_and_what_it_expects() -> None:
    text = """\
        [[case]]
        name = "tests"
        prompt = "a unit test"
        agent = "@dev"
        remaining = 45
        domains = ["TESTING"]
        max_tokens = 900
    """
    document, problems = parse(mark(text).text)
    [case] = document.cases
    assert not problems
    assert case.name.value == "tests"
    assert case.state == {"prompt": "a unit test", "agent": "@dev", "remaining": 45}
    assert case.references["agent"].value == "dev"
    assert [item.value for item in case.lists["domains"]] == ["TESTING"]
    assert case.max_tokens is not None
    assert case.max_tokens.value == "900"


def test_places_are_those_inside_the_quotes() -> None:
    text, spans = mark(
        """
        [[case]]
        name = "«one»"
        texts = ['«a»', "«b»"]
        [[case]]
        name = "two"
        no_rules = ["«X_RULE_0»"]
        """
    )
    one, two = parse(text).document.cases
    found = [one.name, *one.lists["texts"], *two.lists["no_rules"]]
    assert [item.span for item in found] == list(spans)


def test_a_case_reaches_to_its_last_value() -> None:
    text = '[[case]]\nname = "a"\ndomains = ["A"]\n\n[[case]]\nname = "b"\ndomains = ["B"]\n'
    cases = parse(text).document.cases
    offsets = text.index('["B"]'), text.index("\n\n") + 1
    at = [[case.name.value for case in cases if case.span.touches(offset)] for offset in offsets]
    assert at == [["b"], []]


@pytest.mark.parametrize(
    ("fixture", "message"),
    [
        ('«cases» = ["x"]', "`cases` is no list of cases"),
        ("«case» = 3", "`case` is no list of cases"),
        ('[[case]]\nname = "a"\n«domain» = []\nmax_tokens = 1', "no setting `domain`"),
        ('[[case]]\nname = "a"\ndomains = «"A"»', "`domains` is not a list"),
        ('[[case]]\nname = "a"\nmax_tokens = «-1»', "`max_tokens` is less than 0"),
        ('[[case]]\nname = "a"\nremaining = «400»', "`remaining` is more than 100"),
        ("[[«case»]]\nmax_tokens = 1", "has no name"),
        ('[[«case»]]\nname = "a"\nagent = "dev"', "expects nothing"),
        ('[[case]]\nname = "a"\nmax_tokens = 1\n[[case]]\nname = "«a»"\nmax_tokens = 1', "too"),
    ],
)
def test_what_is_wrong_has_its_place(fixture: str, message: str) -> None:
    text, [span] = mark(fixture)
    [problem] = parse(text).problems
    assert problem.kind == "bad-case"
    assert problem.span == span
    assert message in problem.message


def test_a_case_that_cannot_be_read_whole_is_not_sound() -> None:
    [case] = parse('[[case]]\nname = "a"\ndomain = ["A"]\nmax_tokens = 9\n').document.cases
    assert not case.is_readable


def test_a_file_that_is_no_toml_has_no_cases() -> None:
    document, [problem] = parse("[[case]\n")
    assert not document.cases
    assert problem.kind == "invalid-toml"


def test_every_field_is_explained() -> None:
    assert all(option.about.endswith(".") for option in OPTIONS)


@given(hostile_texts | TOML)
def test_any_text_is_read(text: str) -> None:
    document, problems = parse(text)
    assert_inside(text, problems)
    for case in document.cases:
        assert 0 <= case.span.start <= case.span.end <= len(text)
