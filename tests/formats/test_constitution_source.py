"""The Markdown that a constitution is made from."""

from __future__ import annotations

from textwrap import dedent

from hypothesis import given

from synapse_ls.formats import constitution_source
from synapse_ls.formats.constitution_source import SourceArticle
from synapse_ls.text.span import Span
from tests.formats.texts import hostile_texts
from tests.support import corpus, mark


def articles(text: str) -> tuple[SourceArticle, ...]:
    return constitution_source.parse(dedent(text)).document.articles


def rules(body: str) -> list[str]:
    (article,) = articles(f"### I. Tests First (MUST)\n\n{dedent(body)}")
    return [rule.plain_line for rule in article.rules]


def test_an_article_is_a_heading_with_a_numeral_and_a_severity() -> None:
    found = articles(
        """\
        # Constitution
        ## Core Principles
        ### I. CLI First (NON-NEGOTIABLE)
        ### Article 2: No Invention (should)
        ### IV. A heading without a severity
        ### Governance
        """
    )
    assert [(a.number, a.title, a.severity, a.heading) for a in found] == [
        (1, "CLI First", "NON-NEGOTIABLE", "CLI First (NON-NEGOTIABLE)"),
        (2, "No Invention", "SHOULD", "No Invention (SHOULD)"),
    ]


def test_items_with_a_level_are_rules_and_others_beside_them_are_not() -> None:
    body = """\
        Why this is so.

        **Rules:**
        - MUST: Write the `failing` test
          first
        - **SHOULD NOT:** Skip it
        - An aside
        - must: shout
        * EXCEPTION: Spikes
        """
    assert rules(body) == [
        "MUST: Write the failing test first",
        "SHOULD NOT: Skip it",
        "EXCEPTION: Spikes",
    ]


def test_tables_and_gates_are_told_besides() -> None:
    (article,) = articles(
        """\
        ### I. Authority (MUST)

        - MUST: Ask

        **Exclusive:**

        | What | Who |
        |---|---|
        | `git push` | @devops |
        | verdicts | @qa |

        ```
        | no | table |
        | a | b |
        ```

        **Gate:** `pre-push.md` - BLOCK
        """
    )
    assert [extra.markdown_line for extra in article.extras] == [
        "Exclusive: `git push` — @devops; verdicts — @qa",
        "GATE: `pre-push.md` - BLOCK",
    ]
    assert [rule.markdown_line for rule in article.rules] == ["MUST: Ask"]


def test_a_heading_without_a_severity_is_named() -> None:
    text = "## Governance\n### IV. No severity\n### V. Fine (MUST)\n### Version 2. x\n"
    found = constitution_source.parse(text).document
    assert [title.value for title in found.unrated] == ["IV. No severity"]


def test_where_no_item_has_a_level_every_item_is_a_rule() -> None:
    assert rules("- Write the test first\n- Do not skip it\n") == [
        "Write the test first",
        "Do not skip it",
    ]


def test_nested_items_are_points_of_their_rule() -> None:
    body = """\
        - MUST: Trace every statement to:
          - a need
            - or a wish
          - a limit
        - MUST: Go on
        """
    assert rules(body) == [
        "MUST: Trace every statement to: a need; or a wish; a limit",
        "MUST: Go on",
    ]


def test_points_of_what_is_no_rule_belong_to_nothing() -> None:
    assert rules("- An aside\n  - of an aside\n- MUST: Go on\n") == ["MUST: Go on"]


def test_fenced_lines_are_no_rules() -> None:
    assert rules("```\n- MUST: not this\n```\n- MUST: this\n") == ["MUST: this"]


def test_an_article_ends_where_a_heading_of_its_level_or_above_begins() -> None:
    text = "### I. A (MUST)\n#### Rules\n- MUST: a\n## Governance\n- MUST: b\n"
    (article,) = articles(text)
    assert [rule.text for rule in article.rules] == ["MUST: a"]


def test_places_are_those_of_the_heading_and_of_the_item_with_its_points() -> None:
    text, spans = mark("### «I. A (MUST)»\n- MUST: a\n«- MUST: b\n  - c»\n")
    (article,) = articles(text)
    assert [article.span, article.rules[1].span] == list(spans)


def test_a_published_source_is_read_with_its_nested_points() -> None:
    text = (corpus() / "aiox/.aiox-core/constitution.md").read_text(encoding="utf-8")
    found = articles(text)
    assert [len(article.rules) for article in found] == [4, 5, 5, 4, 7, 3]
    assert len(found[3].rules[0].points) == 4


@given(hostile_texts)
def test_any_text_is_read_and_every_place_lies_in_it(text: str) -> None:
    document, problems = constitution_source.parse(text)
    spans = [article.span for article in document.articles]
    spans += [rule.span for article in document.articles for rule in article.rules]
    assert problems == ()
    assert all(Span(0, len(text)).contains(s.start) and s.end <= len(text) for s in spans)


def test_paragraphs_are_rules_where_no_item_has_a_level() -> None:
    body = """\
        Only @devops
        may `push`.

        Rules:
        - Ask first
          - before a release

        > Nobody else.

        ---
        """
    assert rules(body) == ["Only @devops may push.", "Ask first before a release", "Nobody else."]


def test_sentences_beside_rules_with_a_level_are_told_besides() -> None:
    (article,) = articles("### I. T (MUST)\n\nOnly @devops may push.\n\n- MUST: Ask\n")
    assert [rule.text for rule in article.rules] == ["MUST: Ask"]
    assert [rule.text for rule in article.extras] == ["Only @devops may push."]
