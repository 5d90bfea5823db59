from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats import constitution_file
from synapse_ls.formats.constitution_file import Article, from_roman, split_severity, to_roman
from synapse_ls.text.finding import Finding
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import corpus, mark


def articles(fixture: str) -> list[tuple[int, str, str, list[str]]]:
    found = constitution_file.parse(mark(fixture).text).document.articles
    return [(a.number, a.title, a.severity, [rule.text for rule in a.rules]) for a in found]


def loose(fixture: str) -> list[str]:
    return [rule.text for rule in constitution_file.parse(mark(fixture).text).document.loose]


def only_article(text: str) -> Article:
    (article,) = constitution_file.parse(text).document.articles
    return article


def only_problem(fixture: str) -> Finding:
    """The one problem of a fixture; it stands exactly where the fixture is marked."""
    text, spans = mark(fixture)
    (problem,) = constitution_file.parse(text).problems
    assert [problem.span] == list(spans)
    return problem


def test_keys_name_article_and_number() -> None:
    fixture = """
        # Article I
        CONSTITUTION_RULE_ART1_0=CLI First (NON-NEGOTIABLE)
        CONSTITUTION_RULE_ART1_1=MUST: one
        CONSTITUTION_RULE_ART4_0=No Invention (MUST)
        CONSTITUTION_RULE_ART1_2=MUST: two
        CONSTITUTION_RULE_0=for all
    """
    assert articles(fixture) == [
        (1, "CLI First", "NON-NEGOTIABLE", ["MUST: one", "MUST: two"]),
        (4, "No Invention", "MUST", []),
    ]
    assert loose(fixture) == ["for all"]


def test_an_article_has_its_numeral_and_the_rule_of_its_title() -> None:
    article = only_article("CONSTITUTION_RULE_ART4_0=No Invention (MUST)")
    assert article.roman == "IV"
    assert article.title_rule is not None
    assert article.title_rule.key == "CONSTITUTION_RULE_ART4_0"


def test_an_article_on_one_line_has_title_and_text() -> None:
    text, spans = mark("""
        Art. II — «Agent Authority (NON-NEGOTIABLE)»: «only @devops
          pushes»
        Art. 1: «CLI First»
    """)
    first, second = constitution_file.parse(text).document.articles
    assert (first.number, first.title, first.rules) == (1, "CLI First", ())
    assert (second.title, second.severity) == ("Agent Authority", "NON-NEGOTIABLE")
    assert [(rule.kind, rule.index, rule.text) for rule in second.rules] == [
        ("article", 1, "only @devops pushes")
    ]
    assert second.title_rule is not None
    assert (second.title_rule.text_span, second.rules[0].text_span) == spans[:2]


def test_an_article_may_be_its_severity_and_its_title() -> None:
    text, spans = mark("""
        ART I (NON-NEGOTIABLE): «CLI First»
        ART II (MUST): No invention
    """)
    document, problems = constitution_file.parse(text)
    assert [(a.number, a.title, a.severity, a.rules) for a in document.articles] == [
        (1, "CLI First", "NON-NEGOTIABLE", ()),
        (2, "No invention", "MUST", ()),
    ]
    first = document.articles[0].title_rule
    assert first is not None and first.text_span == spans[0]
    assert problems == ()


@pytest.mark.parametrize(
    "heading",
    [
        "### IV. No Invention (MUST)",
        "## Article IV: No Invention (MUST)",
        "## Artigo IV - No Invention (MUST)",
        "=== Art. 4 — No Invention (MUST) ===",
        "Art. IV No Invention (MUST)",
    ],
)
def test_the_rules_below_a_heading_belong_to_its_article(heading: str) -> None:
    fixture = f"For all.\n\n{heading}\n\n- MUST: one\n- MUST: two\n"
    assert articles(fixture) == [(4, "No Invention", "MUST", ["MUST: one", "MUST: two"])]
    assert loose(fixture) == ["For all."]


@pytest.mark.parametrize("text", ["Article 5 applies to all.", "## Core Principles\n\n- Be kind."])
def test_a_sentence_or_another_heading_is_no_article(text: str) -> None:
    assert articles(text) == []
    assert len(loose(text)) == 1


def test_an_article_without_title_is_reported() -> None:
    problem = only_problem("«CONSTITUTION_RULE_ART2_1»=MUST: x")
    assert problem.kind == "article-without-title"


@pytest.mark.parametrize(
    ("word", "meant"),
    [("NON NEGOTIABLE", "NON-NEGOTIABLE"), ("Shuold", "SHOULD"), ("INEGOCIÁVEL", None)],
)
def test_an_unknown_severity_is_reported(word: str, meant: str | None) -> None:
    problem = only_problem(f"CONSTITUTION_RULE_ART2_0=Title («{word}»)")
    assert problem.kind == "unknown-severity"
    assert dict(problem.data).get("suggestion") == meant


def test_many_unknown_severities_are_one_problem() -> None:
    words = ("BLOQUEIO ABSOLUTO", "INFO", "INFO", "OBRIGATÓRIO")
    text = "".join(f"CONSTITUTION_RULE_ART{n}_0=T{n} ({word})\n" for n, word in enumerate(words, 1))
    (problem,) = constitution_file.parse(text).problems
    assert problem.span.cut(text) == "BLOQUEIO ABSOLUTO"
    assert problem.message == (
        "4 articles have a severity that is none, so they count as neither blocking nor advisory: "
        "`BLOQUEIO ABSOLUTO`, `INFO`, `OBRIGATÓRIO`."
    )


def test_words_in_brackets_may_be_part_of_a_title() -> None:
    fixture = "CONSTITUTION_RULE_ART2_0=Imports (all of them)"
    assert constitution_file.parse(fixture).problems == ()
    assert articles(fixture) == [(2, "Imports (all of them)", "", [])]


def test_severities_are_read_in_any_case() -> None:
    assert split_severity("Title (must)") == ("Title", "MUST")


def test_a_second_title_is_kept_as_a_rule_and_reported() -> None:
    text = "C_RULE_ART1_0=One (MUST)\nC_RULE_ART1_0=Two (MUST)"
    assert articles(text) == [(1, "One", "MUST", ["Two (MUST)"])]
    assert [p.kind for p in constitution_file.parse(text).problems] == ["duplicate-index"]


@given(st.integers(1, 3999))
def test_numerals_are_read_as_they_are_written(number: int) -> None:
    assert from_roman(to_roman(number)) == number


@pytest.mark.parametrize(("numeral", "number"), [("IIII", 4), ("12", 12), ("XC", 90)])
def test_numerals_are_read_in_other_spellings(numeral: str, number: int) -> None:
    assert from_roman(numeral) == number


def test_a_number_without_numeral_stays_decimal() -> None:
    assert [to_roman(number) for number in (0, 4000)] == ["0", "4000"]


@given(hostile_texts)
def test_any_text_gives_articles_that_keep_every_rule(text: str) -> None:
    document, found = constitution_file.parse(text)
    assert_inside(text, found)
    kept = [rule for article in document.articles for rule in article.rules] + list(document.loose)
    kept += [article.title_rule for article in document.articles if article.title_rule]
    assert {rule.span for rule in kept} == {rule.span for rule in document.rules.rules}
    for rule in kept:
        assert rule.span.start <= rule.text_span.start <= rule.text_span.end <= rule.span.end


def test_constitutions_of_real_trees_are_clean() -> None:
    for path in corpus().glob("*/.synapse/constitution"):
        document, found = constitution_file.parse(path.read_text("utf-8"))
        assert [article.roman for article in document.articles][:2] == ["I", "II"]
        assert all(article.severity for article in document.articles)
        assert (document.loose, found) == ((), ())
