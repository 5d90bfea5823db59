from __future__ import annotations

import pytest
from hypothesis import given

from synapse_ls.formats.brainiac.long_term_memory import LongTermMemory, parse
from tests.formats.brainiac.texts import memory_texts
from tests.formats.texts import assert_inside

SNAKE = """\
---
uuid: 91f0a3c4
created_at: 2025-06-02T11:20:00Z
updated_at: 2026-01-20
tags: [postgresql, "data base"]
reinforcement_count: 11
---
# Migrations

Expand, then contract. See [the outage](../events/outage.md#lag) and [docs](https://example.org/a).
"""


def read(text: str) -> LongTermMemory:
    return parse(text).document


def kinds(text: str) -> list[str]:
    return [problem.kind for problem in parse(text).problems]


def test_fields_go_by_snake_case() -> None:
    found = read(SNAKE)
    assert (found.uuid, found.created, found.updated) == (
        "91f0a3c4",
        "2025-06-02T11:20:00Z",
        "2026-01-20",
    )
    assert (found.tags, found.reinforcement) == (("postgresql", "data base"), 11)
    assert found.title == "Migrations"
    assert parse(SNAKE).problems == ()


def test_fields_go_by_camel_case() -> None:
    found = read("---\ncreatedAt: 2025-01-01\nreinforcementCount: 2\ntags:\n  - a\n  - b\n---\nx\n")
    assert (found.created, found.reinforcement, found.tags) == ("2025-01-01", 2, ("a", "b"))


def test_the_body_is_what_is_not_front_matter() -> None:
    assert read(SNAKE).body_text.startswith("# Migrations\n\nExpand")


def test_line_ends_of_windows_are_read() -> None:
    found = read(SNAKE.replace("\n", "\r\n"))
    assert (found.uuid, found.reinforcement, found.title) == ("91f0a3c4", 11, "Migrations")


def test_what_stands_before_the_front_matter_is_kept_and_reported() -> None:
    found = parse("Written by hand.\n" + SNAKE)
    assert found.document.body_text.startswith("Written by hand.\n\n# Migrations")
    assert found.document.uuid == "91f0a3c4"
    assert [problem.kind for problem in found.problems] == ["text-before-front-matter"]


def test_a_fence_that_is_glued_to_the_last_field_closes_it() -> None:
    found = read("---\nuuid: a\nreinforcementCount: 3---\nbody\n")
    assert (found.uuid, found.reinforcement, found.body_text) == ("a", 3, "body")


def test_a_rule_in_the_text_is_no_front_matter() -> None:
    text = "# Plan\n\nOne\n\n---\n\nTwo: three\n\n---\n"
    assert read(text).body_text == text.strip()
    assert kinds(text) == ["memory-without-front-matter"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("body\n", "memory-without-front-matter"),
        ("---\nuuid: a\nbody\n", "broken-front-matter"),
        ("---\nuuid: a\nnonsense\n---\n", "broken-front-matter"),
        ("---\nreinforcement_count: many\n---\n", "bad-memory-field"),
        ("---\ncreated_at: soon\n---\n", "bad-memory-field"),
        ("---\ncreated_at: 2025-01-01\ncreatedAt: 2025-01-02\n---\n", "bad-memory-field"),
        ("---\nuuid: a\ntag: x\n---\n", "unknown-memory-field"),
        ("---\nuuid: a\n---\n## User Prompt\n", "forged-heading"),
    ],
)
def test_what_is_wrong_is_reported(text: str, kind: str) -> None:
    assert kind in kinds(text)


def test_links_are_paths_without_fragments() -> None:
    assert [link.value for link in read(SNAKE).links] == ["../events/outage.md"]


def test_links_in_code_are_none() -> None:
    assert read("---\nuuid: a\n---\n`[x](y.md)`\n```\n[x](y.md)\n```\n").links == ()


@given(memory_texts)
def test_any_text_is_read_with_places_inside(text: str) -> None:
    document, problems = parse(text)
    assert_inside(text, problems)
    assert sum(place.length for place in document.body) <= len(text)
