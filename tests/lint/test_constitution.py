"""A constitution and the Markdown that it was made from."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Finding
from synapse_ls.text.text_edit import apply_edits
from tests.lint.clean import check_disk, place, write
from tests.support import corpus
from tests.trees import tree_of

SOURCE = ".aiox-core/constitution.md"
FILE = ".synapse/constitution"
ARTICLES = """\
    ### I. Tests First (NON-NEGOTIABLE)
    - MUST: Write the test first
    - MUST NOT: Skip `a` test

    ### II. Imports (SHOULD)
    - SHOULD: Import absolutely
    """
MADE = """\
    # Made from the source
    CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
    CONSTITUTION_RULE_ART1_1=MUST: Write the test first
    CONSTITUTION_RULE_ART1_2=MUST NOT: Skip a test

    CONSTITUTION_RULE_ART2_0=Imports (SHOULD)
    CONSTITUTION_RULE_ART2_1=SHOULD: Import absolutely
    """


def stale(own: str, source: str = ARTICLES) -> list[tuple[Finding, str]]:
    """What is found, and the text that it marks."""
    tree = tree_of({FILE: own, SOURCE: source})
    return [(found, place(tree, found)) for found in lint_tree(tree, select=["SYN203"])]


def marked(own: str, source: str = ARTICLES) -> list[str]:
    return [text for _, text in stale(own, source)]


def mended(own: str, source: str = ARTICLES) -> str:
    """The constitution after the fixes of one round; nothing is found in it any more."""
    edits = [e for found, _ in stale(own, source) if found.fix for _, e in found.fix.edits]
    text = apply_edits(dedent(own), edits)
    assert marked(text, source) == []
    return text


def test_what_says_the_same_in_other_marks_is_up_to_date() -> None:
    assert marked(MADE) == []
    assert marked(MADE.replace("a test\n", "**a** test.\n")) == []


def test_points_may_stand_behind_their_rule_or_as_rules_of_their_own() -> None:
    source = "### I. Trace (MUST)\n- MUST: Trace to:\n  - a need\n  - a limit\n"
    key = "CONSTITUTION_RULE_ART1"
    head = f"{key}_0=Trace (MUST)\n{key}_1=MUST: Trace to:"
    assert marked(f"{head} a need; a limit\n", source) == []
    assert marked(f"{head}\n{key}_2=a need\n{key}_3=a limit\n", source) == []


def test_lost_points_are_reported_at_their_rule() -> None:
    source = "### I. Trace (MUST)\n- MUST: Trace to:\n  - a need\n  - a limit\n"
    own = "CONSTITUTION_RULE_ART1_0=Trace (MUST)\nCONSTITUTION_RULE_ART1_1=MUST: Trace to:\n"
    ((found, text),) = stale(own, source)
    assert text == "MUST: Trace to:"
    assert found.message == (
        f"{SOURCE} has 2 points below this rule that are missing here, so the block does not have them."
    )
    assert mended(own, source).endswith("=MUST: Trace to: a need; a limit\n")


def test_a_generator_that_loses_points_is_not_what_the_remedy_asks_for() -> None:
    source = "### I. Trace (MUST)\n- MUST: Trace to:\n  - a need\n"
    own = (
        "# DO NOT EDIT MANUALLY — re-run generate-constitution.js\n"
        "CONSTITUTION_RULE_ART1_0=Trace (MUST)\nCONSTITUTION_RULE_ART1_1=MUST: Trace to:\n"
    )
    ((found, _),) = stale(own, source)
    assert "has 1 point below this rule that is missing here" in found.message
    assert found.remedy == (
        "Bring the article up to date with its source, but not with `generate-constitution.js`, which "
        "loses such points."
    )


def test_a_rule_that_was_changed_is_reported_where_it_stands() -> None:
    assert marked(MADE.replace("Write the test", "Write tests")) == ["MUST: Write tests first"]


def test_a_rule_that_was_added_is_reported_at_the_article_and_put_last() -> None:
    source = ARTICLES.replace("Skip `a` test\n", "Skip `a` test\n    - SHOULD: Go on\n")
    assert marked(MADE, source) == ["Tests First (NON-NEGOTIABLE)"]
    assert "ART1_2=MUST NOT: Skip a test\nCONSTITUTION_RULE_ART1_3=SHOULD: Go on\n\n" in mended(
        MADE, source
    )


def test_a_rule_that_was_taken_out_is_deleted_with_its_line() -> None:
    source = ARTICLES.replace("    - MUST NOT: Skip `a` test\n", "")
    assert "first\n\nCONSTITUTION_RULE_ART2_0" in mended(MADE, source)


def test_a_title_that_was_changed_is_reported_at_the_title() -> None:
    source = ARTICLES.replace("Imports (SHOULD)", "Imports (MUST)")
    assert marked(MADE, source) == ["Imports (SHOULD)"]
    assert "ART2_0=Imports (MUST)\n" in mended(MADE, source)


def test_an_article_that_is_missing_is_reported_at_the_first_line_and_added_last() -> None:
    source = f"{ARTICLES}\n    ### III. Words (MUST)\n    - MUST: Be brief\n"
    assert marked(MADE, source) == ["# Made from the source"]
    assert mended(MADE, source).endswith(
        "absolutely\n"
        "CONSTITUTION_RULE_ART3_0=Words (MUST)\n"
        "CONSTITUTION_RULE_ART3_1=MUST: Be brief\n"
    )


def test_an_article_that_the_source_lacks_is_reported_and_left_to_its_author() -> None:
    own = f"{MADE}\n    CONSTITUTION_RULE_ART3_0=Words (MUST)\n"
    ((found, text),) = stale(own)
    assert (text, found.fix) == ("Words (MUST)", None)


def test_a_constitution_of_ones_own_is_left_alone() -> None:
    assert marked("CONSTITUTION_RULE_ART1_0=Be Kind (MUST)\n") == []
    assert marked("- Be kind.\n") == []


def test_without_a_source_nothing_is_out_of_date() -> None:
    assert lint_tree(tree_of({FILE: MADE}), select=["SYN203"]) == ()
    assert marked(MADE, "# Nothing that looks like an article\n") == []


def test_a_constitution_in_plain_text_is_compared_and_not_rewritten() -> None:
    own = "### I. Tests First (NON-NEGOTIABLE)\n- MUST: Write tests\n"
    found = stale(own)
    assert [(text, d.fix) for d, text in found] == [
        ("### I. Tests First (NON-NEGOTIABLE)", None),
        ("MUST: Write tests", None),
    ]


def test_line_breaks_stay_what_they_are(tmp_path: Path) -> None:
    source = "### I. Tests First (MUST)\r\n- MUST: a\r\n- MUST: b\r\n"
    own = "CONSTITUTION_RULE_ART1_0=Tests First (MUST)\r\nCONSTITUTION_RULE_ART1_1=MUST: a\r\n"
    (found,) = check_disk(write(tmp_path, {FILE: own.encode(), SOURCE: source.encode()}))
    assert found.fix
    assert apply_edits(own, [edit for _, edit in found.fix.edits]) == (
        own + "CONSTITUTION_RULE_ART1_2=MUST: b\r\n"
    )


def test_the_only_loss_of_the_published_one_is_found() -> None:
    root = corpus() / "aiox"
    files = {path: (root / path).read_text(encoding="utf-8") for path in (FILE, SOURCE)}
    (text,) = marked(files[FILE], files[SOURCE])
    assert text.endswith("rastrear para:")
    assert mended(files[FILE], files[SOURCE]).count("\n") == files[FILE].count("\n")


def test_articles_in_words_of_their_own_are_nobodys_copy() -> None:
    own = (
        "Art. I — Tests First (NON-NEGOTIABLE): Nothing is built before its failure is seen.\n"
        "Art. II — Imports (SHOULD): Paths begin at the root of the package.\n"
    )
    assert marked(own) == []


def test_a_part_of_an_article_that_is_missing_is_named() -> None:
    source = f"{ARTICLES}\n    ### II-A. Exports (MUST)\n    - MUST: Export by name\n"
    ((found, text),) = stale(MADE, source)
    assert text == "Imports (SHOULD)"
    assert found.message == (
        f"“II-A. Exports (MUST)” of {SOURCE} is missing, so the block does not have it."
    )
    assert "CONSTITUTION_RULE_ART2_3=MUST: Export by name" in mended(MADE, source)


def test_points_and_a_part_that_are_missing_are_both_named() -> None:
    source = ARTICLES.replace(
        "Import absolutely\n", "Import absolutely\n      - always\n\n    ### II-A. Exports (MUST)\n"
    )
    ((found, _),) = stale(MADE, source)
    assert found.message == (
        f"{SOURCE} has 1 point below this rule that is missing here, so the block does not have it. "
        "Also missing: “II-A. Exports (MUST)”."
    )


def test_a_sentence_beside_the_rules_that_demands_something_is_missed_and_added() -> None:
    source = ARTICLES.replace("### II.", "Only @devops may push.\n\n    ### II.")
    ((found, text),) = stale(MADE, source)
    assert text == "Tests First (NON-NEGOTIABLE)"
    assert "Only @devops may push." in found.message
    assert "CONSTITUTION_RULE_ART1_3=Only @devops may push." in mended(MADE, source)


def test_a_sentence_beside_the_rules_that_explains_them_is_not_missed() -> None:
    assert marked(MADE, ARTICLES.replace("### II.", "Tests are cheap.\n\n    ### II.")) == []


def test_two_articles_of_one_number_are_both_named_and_not_written() -> None:
    two = (
        f"{ARTICLES}\n    ### VII. Good Portuguese (NON-NEGOTIABLE)\n    - MUST: Spell well\n"
        "\n    ### VII. Clear Words (SHOULD)\n    - SHOULD: Be clear\n"
    )
    ((found, _),) = stale(MADE, two)
    assert "Good Portuguese (NON-NEGOTIABLE), Clear Words (SHOULD)" in found.message
    assert found.fix is None
    assert found.remedy == (
        f"Give each article of {SOURCE} a number of its own, and add what is missing."
    )
    one = f"{MADE}    CONSTITUTION_RULE_ART7_0=Clear Words (SHOULD)\n    CONSTITUTION_RULE_ART7_1=SHOULD: Be clear\n"
    ((found, _),) = stale(one, two)
    assert "Good Portuguese" in found.message
    assert "Clear Words" not in found.message
