from __future__ import annotations

from synapse_ls.edits.domain_suggestions import suggest_domains
from tests.edits.support import MANIFEST, refusal
from tests.trees import tree_of

FILES = {
    MANIFEST: """\
        TESTING_STATE=active
        TESTING_RECALL=unit test,coverage
        TESTING_EXCLUDE=load test
        DATABASE_STATE=active
        DATABASE_RECALL=index,migration
        AGENT_DEV_STATE=active
        AGENT_DEV_AGENT_TRIGGER=dev
        """,
    ".synapse/database": "DATABASE_RULE_0=Every migration can be rolled back\n",
}


def scores(text: str) -> list[tuple[str, int]]:
    return [(found.domain, found.score) for found in suggest_domains(tree_of(FILES), text)]


def test_a_keyword_counts_three() -> None:
    assert scores("Every unit test has one assertion") == [("TESTING", 3)]


def test_a_word_of_the_name_counts_two() -> None:
    assert scores("Open one database connection per request") == [("DATABASE", 2)]


def test_the_name_of_the_agent_counts_one() -> None:
    assert scores("Tell @dev first") == [("AGENT_DEV", 3)]


def test_a_rule_much_alike_counts_one_and_is_named() -> None:
    best = suggest_domains(tree_of(FILES), "Every migration can be rolled forward")[0]
    assert (best.domain, best.score) == ("DATABASE", 4)
    assert best.reasons == ('keyword "migration"', "like DATABASE_RULE_0")


def test_the_best_comes_first() -> None:
    assert [domain for domain, _ in scores("A database migration needs a unit test")] == [
        "DATABASE",
        "TESTING",
    ]


def test_among_equals_more_keywords_win() -> None:
    assert scores("coverage of each index and migration")[0] == ("DATABASE", 3)


def test_an_excluded_text_is_not_recalled() -> None:
    assert scores("A load test is no unit test") == []


def test_what_fits_nowhere_is_suggested_nowhere() -> None:
    assert scores("Be kind") == []


def test_an_empty_text_is_refused() -> None:
    refusal(FILES, lambda t: suggest_domains(t, " "))
