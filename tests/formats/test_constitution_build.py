"""The constitution as it is built from its source."""

from __future__ import annotations

from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats import constitution_file, constitution_source
from synapse_ls.formats.constitution_source import (
    ADDED,
    BOTH,
    CHANGED,
    EDITED,
    REMOVED,
    STAMP,
    ConstitutionSource,
    find_differences,
    generate_constitution,
    update_article,
)
from synapse_ls.text.text_edit import apply_edits
from tests.formats.texts import hostile_texts
from tests.support import corpus

TWO = "### I. Tests (MUST)\n- MUST: a\n- MUST: b\n### II. Steps (SHOULD)\n- SHOULD: c\n"


def source(text: str) -> ConstitutionSource:
    return constitution_source.parse(dedent(text)).document


def what(text: str, changed: str) -> list[tuple[str, str]]:
    """What differs in the file ``text`` from what a changed source gives."""
    return [(one.kind, one.key) for one in find_differences(text, source(changed))]


def key(article: int, number: int) -> str:
    return f"CONSTITUTION_RULE_ART{article}_{number}"


_ARTICLES = st.lists(
    st.tuples(st.integers(1, 12), st.sampled_from(["MUST", "SHOULD"]), st.lists(hostile_texts, max_size=3)),
    max_size=4,
).map(
    lambda found: "".join(
        f"### {n}. Title (" + severity + ")\n\n" + "".join(f"- MUST: {text}\n" for text in texts) + "\n"
        for n, severity, texts in found
    )
)  # fmt: skip


@given(_ARTICLES)
def test_what_is_built_is_up_to_date_and_read_as_it_was_meant(text: str) -> None:
    given_source = source(text)
    built = generate_constitution(given_source, "x.md")
    assert find_differences(built, given_source) == ()
    assert generate_constitution(given_source, "x.md", built) == built
    numbers = {article.number for article in given_source.articles}
    assert {
        article.number for article in constitution_file.parse(built).document.articles
    } == numbers
    assert bool(STAMP.search(built)) is bool(numbers)


@given(_ARTICLES, _ARTICLES)
def test_the_edits_of_every_article_lead_to_the_source_of_today(old: str, new: str) -> None:
    text, now = generate_constitution(source(old), "x.md"), source(new)
    shared = {article.number for article in source(old).articles}
    for number in shared & {article.number for article in now.articles}:
        text = apply_edits(text, update_article(text, now, number))
    left = {one.article for one in find_differences(text, now)}
    assert left <= {a.number for s in (source(old), now) for a in s.articles} - (
        shared & {article.number for article in now.articles}
    )


@given(hostile_texts, hostile_texts)
def test_any_file_can_be_compared_with_any_source(text: str, markdown: str) -> None:
    for one in find_differences(text, source(markdown)):
        assert one.kind in (CHANGED, ADDED, REMOVED, EDITED, BOTH)


def test_missing_lines_are_lines_of_their_own_where_the_file_has_no_line_break() -> None:
    text, now = "CONSTITUTION_RULE_ART1_0=Tests (MUST)", source(TWO)
    assert apply_edits(text, update_article(text, now, 1)).splitlines() == [
        text,
        "CONSTITUTION_RULE_ART1_1=MUST: a",
        "CONSTITUTION_RULE_ART1_2=MUST: b",
    ]


def test_a_change_of_the_source_is_told_line_by_line() -> None:
    built = generate_constitution(source(TWO), "x.md")
    assert what(built, TWO.replace("b", "x")) == [(CHANGED, key(1, 2))]
    assert what(built, TWO.replace("- MUST: b\n", "")) == [(REMOVED, key(1, 2))]
    assert what(built, TWO + "- SHOULD: d\n") == [(ADDED, key(2, 2))]
    assert what(built, TWO.replace("Tests (MUST)", "Tests (NON-NEGOTIABLE)")) == [
        (CHANGED, key(1, 0))
    ]


def test_an_edit_is_told_from_a_change_and_from_both() -> None:
    edited = generate_constitution(source(TWO), "x.md").replace("=MUST: b", "=MUST: mine")
    assert what(edited, TWO) == [(EDITED, key(1, 2))]
    assert what(edited, TWO.replace(": c", ": x")) == [(EDITED, key(1, 2)), (CHANGED, key(2, 1))]
    assert what(edited, TWO.replace(": a", ": x")) == [(BOTH, key(1, 1)), (BOTH, key(1, 2))]


def test_a_line_that_somebody_deleted_is_an_edit() -> None:
    built = generate_constitution(source(TWO), "x.md")
    deleted = "".join(line for line in built.splitlines(True) if "=MUST: b" not in line)
    assert what(deleted, TWO) == [(EDITED, key(1, 2))]


def test_a_real_source_is_built_whole() -> None:
    text = (corpus() / "aiox/.aiox-core/constitution.md").read_text("utf-8")
    built = generate_constitution(source(text), "constitution.md")
    assert built.count("=GATE: ") == 6
    assert "requisito funcional (FR-*); Um requisito" in built
    assert "`npm run lint`" in built
    assert "Exclusividades: git push — @devops; " in built
