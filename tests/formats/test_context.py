from __future__ import annotations

import pytest
from hypothesis import given

from synapse_ls.formats import context_file
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.rule_syntax import BRACKETS
from synapse_ls.text.finding import Finding
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import corpus, mark


def parse(fixture: str) -> ContextDocument:
    return context_file.parse(mark(fixture).text).document


def read(fixture: str) -> dict[str, list[str]]:
    """The texts by bracket, the general ones under ""."""
    document = parse(fixture)
    found = {name: [rule.text for rule in rules] for name, rules in document.brackets.items()}
    found[""] = [rule.text for rule in document.general]
    return {name: texts for name, texts in found.items() if texts}


def only_problem(fixture: str) -> Finding:
    """The one problem of a fixture; it stands exactly where the fixture is marked."""
    text, spans = mark(fixture)
    (problem,) = context_file.parse(text).problems
    assert [problem.span] == list(spans)
    return problem


def suggestion(problem: Finding) -> str | None:
    return dict(problem.data).get("suggestion")


def test_keys_name_the_bracket() -> None:
    fixture = """
        # FRESH
        CONTEXT_RULE_FRESH_0=a
        CONTEXT_RULE_CRITICAL_0=b
        CONTEXT_RULE_0=always
    """
    assert read(fixture) == {"FRESH": ["a"], "CRITICAL": ["b"], "": ["always"]}


def test_carl_keys_and_switches_are_read() -> None:
    fixture = "FRESH_RULES=true\nDEPLETED_RULES=false\nFRESH_RULE_0=a\nDEPLETED_RULE_0=b\n"
    assert read(fixture) == {"FRESH": ["a"], "DEPLETED": ["b"]}
    assert dict(parse(fixture).switches) == {"FRESH": True, "DEPLETED": False}


def test_all_brackets_are_there_even_if_empty() -> None:
    assert tuple(parse("").brackets) == BRACKETS
    assert parse("").rules.mode == "empty"


def test_labels_in_plain_text_name_the_bracket() -> None:
    fixture = """
        When context is FRESH: be brief
        When context is depleted or critical: save tokens
        - **CRITICAL**: hand off
        Seja breve
        Quando o contexto está MODERATE: resuma

        Be kind: always
    """
    assert read(fixture) == {
        "FRESH": ["When context is FRESH: be brief"],
        "MODERATE": ["Quando o contexto está MODERATE: resuma"],
        "DEPLETED": ["When context is depleted or critical: save tokens"],
        "CRITICAL": [
            "When context is depleted or critical: save tokens",
            "**CRITICAL**: hand off",
        ],
        "": ["Seja breve", "Be kind: always"],
    }


@pytest.mark.parametrize(
    "heading",
    ["## FRESH (60-100%)", "## Fresh", "### fresh bracket", "=== FRESH ===", "FRESH_RULES:"],
)
def test_headings_in_plain_text_name_the_bracket(heading: str) -> None:
    assert read(f"{heading}\n\n- be brief\n") == {"FRESH": ["be brief"]}


@pytest.mark.parametrize("heading", ["## Critical rules", "## Be critical", "## Freshness"])
def test_a_heading_with_a_like_word_names_no_bracket(heading: str) -> None:
    assert read(f"{heading}\n\n- be brief\n") == {"": ["be brief"]}


def test_a_rule_of_a_bracket_says_so() -> None:
    (rule,) = parse("## FRESH\n\n- x\n").brackets["FRESH"]
    assert (rule.kind, rule.qualifier) == ("bracket", "FRESH")


@pytest.mark.parametrize(
    ("fixture", "meant"),
    [
        ("CONTEXT_RULE_«FRSH»_0=x", "FRESH"),
        ("CONTEXT_RULE_«CRITCAL»_1=x", "CRITICAL"),
        ("CONTEXT_RULE_«LOW»_1=x", None),
        ("«MODRATE»_RULE_0=x", "MODERATE"),
    ],
)
def test_an_unknown_bracket_is_reported_and_its_rule_holds_always(
    fixture: str, meant: str | None
) -> None:
    problem = only_problem(fixture)
    assert (problem.kind, suggestion(problem)) == ("unknown-bracket-key", meant)
    assert read(fixture) == {"": ["x"]}


def test_other_keys_are_reported_as_in_every_rule_file() -> None:
    assert only_problem("CONTEXT_RULE_0=x\n«CONTEXT_FRAMEWORK»=React").kind == "odd-key"


@given(hostile_texts)
def test_any_text_gives_a_context_that_keeps_every_rule(text: str) -> None:
    document, found = context_file.parse(text)
    assert_inside(text, found)
    sorted_in = [rule for rules in document.brackets.values() for rule in rules]
    places = {rule.span for rule in (*sorted_in, *document.general)}
    assert places == {rule.span for rule in document.rules.rules}


def test_context_files_of_real_trees_are_clean() -> None:
    for path in [*corpus().glob("*/.synapse/context"), *corpus().glob("*/.carl/context")]:
        document, found = context_file.parse(path.read_text("utf-8"))
        assert document.brackets["DEPLETED"]
        assert (document.general, found) == ((), ())
