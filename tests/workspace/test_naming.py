"""Names of domains, files, squads and ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.workspace.naming_conventions import (
    IdMap,
    domain_of_file,
    file_stem,
    is_same_id,
    namespaced_domain,
    near_misses,
    rule_file_names,
)

DOMAINS = st.from_regex(r"[A-Z][A-Z0-9]{0,5}(_[A-Z0-9]{1,5}){0,3}", fullmatch=True)


def test_a_domain_is_served_by_the_hyphenated_file_first() -> None:
    assert rule_file_names("AGENT_DEV") == (
        "agent-dev",
        "agent_dev",
        "agent-dev.env",
        "agent_dev.env",
        "agent-dev.md",
        "agent_dev.md",
    )


def test_a_domain_of_one_word_has_no_second_spelling() -> None:
    assert rule_file_names("GLOBAL") == ("global", "global.env", "global.md")


@given(DOMAINS)
def test_every_candidate_is_named_after_its_domain(domain: str) -> None:
    assert {domain_of_file(f".synapse/{name}") for name in rule_file_names(domain)} == {domain}


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/b/dev.md", "dev"), ("dev", "dev"), ("x/.env", ".env"), ("a.b.yaml", "a.b")],
)
def test_a_stem_is_the_name_without_its_last_extension(path: str, expected: str) -> None:
    assert file_stem(path) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("story_development", "story-development"),
        ("Story-Development", "STORY_DEVELOPMENT"),
        ("dev", "dev"),
    ],
)
def test_ids_are_one_in_kebab_and_in_snake_case(a: str, b: str) -> None:
    assert is_same_id(a, b)


def test_ids_with_other_words_differ() -> None:
    assert not is_same_id("story-development", "story-development-cycle")


@pytest.mark.parametrize(
    ("folder", "domain", "expected"),
    [
        ("etl-squad", "PIPELINE", "ETL_PIPELINE"),
        ("etl-squad", "ETL_PIPELINE", "ETL_PIPELINE"),
        ("etl-squad", "ETL", "ETL"),
        ("etl-squad", "ETLX", "ETL_ETLX"),
        ("data_science", "MODELS", "DATA_SCIENCE_MODELS"),
        ("squad", "RULES", "SQUAD_RULES"),
        ("claude-code.mastery", "HOOKS", "CLAUDE_CODE_MASTERY_HOOKS"),
    ],
)
def test_a_squads_domain_carries_the_squads_prefix_once(
    folder: str, domain: str, expected: str
) -> None:
    assert namespaced_domain(folder, domain) == expected


@given(st.from_regex(r"[a-z]{1,6}(-[a-z]{1,6}){0,2}", fullmatch=True), DOMAINS)
def test_a_namespace_is_not_added_twice(folder: str, domain: str) -> None:
    once = namespaced_domain(folder, domain)
    assert namespaced_domain(folder, once) == once


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("agent-dev", "Agent_Dev"),
        ("agent-dev", "agent-devs"),
        ("policies", "policy"),
        ("dev", "agent-dev"),
        ("agent-data-engineer", "agent-data-enginer.md"),
        ("testing", "tesing"),
    ],
)
def test_a_likely_slip_is_a_near_miss(name: str, expected: str) -> None:
    assert near_misses(name, ["global", expected, "workflow-arch-review"]) == (expected,)


def test_the_likeliest_near_miss_comes_first() -> None:
    found = near_misses("agent-tests", ["tests", "agent-test", "AGENT_TESTS"])
    assert found == ("AGENT_TESTS", "agent-test", "tests")


def test_a_misspelling_with_fewer_slips_comes_first() -> None:
    assert near_misses("testing", ["tesring", "global", "testnig", "tstig"]) == (
        "tesring",
        "testnig",
    )


def test_a_misspelling_is_not_looked_for_beside_another_spelling() -> None:
    assert near_misses("tests", ["texts", "Tests"]) == ("Tests",)


def test_a_name_is_no_near_miss_of_itself() -> None:
    assert near_misses("global", ["global", "constitution"]) == ()


@given(st.text(max_size=8), st.lists(st.text(max_size=8), max_size=5))
def test_near_misses_are_chosen_from_what_is_there(name: str, names: list[str]) -> None:
    assert set(near_misses(name, names)) <= set(names) - {name}


def test_an_id_map_is_asked_in_any_spelling_and_keeps_the_written_one() -> None:
    ids = IdMap([("Story_Development", 1), ("qa-loop", 2)])
    assert (ids["story-development"], ids.get("QA_LOOP"), list(ids)) == (
        1,
        2,
        ["Story_Development", "qa-loop"],
    )


def test_the_first_of_two_equal_ids_counts() -> None:
    assert dict(IdMap([("dev", "root"), ("DEV", "squad")])) == {"dev": "root"}
