"""A record and its file: what is read, what is written, and what stays as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.memory.memory_record import Record, parse_record, render_record
from synapse_ls.text.front_matter import parse_front_matter, update_front_matter
from tests.formats.texts import hostile_texts
from tests.memory.records import files, records

CHATI = """\
---
id: mem-2026-02-12-001
type: gotcha
agent: dev
tags:
  - database
  - 'soft, deletes'
confidence: 0.85   # measured
sector: procedural
tier: hot
created_at: 2026-02-12T10:00:00Z
access_count: 4
evidence_count: 6
storage_tier: durable
related_memories: [mem-2026-02-11-003]
---

# Deletes are soft

Rows are never removed.
"""
PLACE = ".synapse/memory/shared/durable/mem-2026-02-12-001.md"


def without_place(record: Record) -> Record:
    return record.with_fields(path="", line=0)


@given(records(scope="shared"))
def test_a_record_comes_back_from_its_file(record: Record) -> None:
    assert without_place(parse_record(render_record(record))) == record


@given(st.one_of(files(), hostile_texts))
def test_what_is_not_changed_is_not_touched(text: str) -> None:
    assert render_record(parse_record(text, PLACE), text) == text


@given(files(), records(scope="shared"))
def test_a_file_says_what_a_change_made_of_it(text: str, other: Record) -> None:
    before = parse_record(text, PLACE)
    after = before.with_fields(
        tags=other.tags,
        confidence=other.confidence,
        evidence=other.evidence,
        sector=other.sector,
        expires=other.expires,
        source=other.source,
    )
    assert without_place(parse_record(render_record(after, text), PLACE)) == without_place(after)


@given(hostile_texts)
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    record = parse_record(text, "anything/at/all.md")
    assert Record(*record.values()) == record


def test_the_schema_of_chati_is_read_with_lists_in_lines_and_comments() -> None:
    record = parse_record(CHATI, PLACE)
    assert record.title == "Deletes are soft"
    assert record.text == "Rows are never removed."
    assert record.tags == ("database", "soft, deletes")
    assert (record.confidence, record.evidence, record.access_count) == (0.85, 6, 4)
    assert (record.sector, record.storage, record.tier) == ("procedural", "durable", "hot")
    assert record.created == "2026-02-12T10:00:00Z"


def test_windows_line_ends_hide_no_front_matter() -> None:
    record = parse_record(CHATI.replace("\n", "\r\n"), PLACE)
    assert record.tags == ("database", "soft, deletes")
    assert record.text == "Rows are never removed."


def test_the_tier_of_the_mis_is_a_storage() -> None:
    record = parse_record("---\ntier: daily\ntype: semantic\n---\n# A\n", "x.md")
    assert (record.storage, record.sector, record.tier) == ("daily", "semantic", "")
    assert "tier: session" in render_record(
        record.with_fields(storage="session"), "---\ntier: daily\n---\n# A\n"
    )


def test_a_change_keeps_comments_order_unknown_keys_and_line_ends() -> None:
    text = CHATI.replace("\n", "\r\n")
    changed = render_record(
        parse_record(text, PLACE).with_fields(confidence=0.9, tags=("a", "b: c")), text
    )
    expected = text.replace("0.85   #", "0.9   #").replace(
        "  - database\r\n  - 'soft, deletes'", '  - a\r\n  - "b: c"'
    )
    assert changed == expected


def test_the_names_that_a_file_uses_are_kept() -> None:
    changed = render_record(parse_record(CHATI, PLACE).with_fields(evidence=7), CHATI)
    assert "evidence_count: 7" in changed
    assert "evidence: 7" not in changed


def test_a_new_text_takes_the_place_of_the_old_one_and_nothing_else() -> None:
    changed = render_record(parse_record(CHATI, PLACE).with_fields(text="Ask first."), CHATI)
    assert changed == CHATI.replace("Rows are never removed.", "Ask first.")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("No. Use date-fns here. Always.", "No. Use date-fns here"),
        (
            "No that's wrong. Don't use moment, use date-fns.",
            "No that's wrong. Don't use moment, use date-fns",
        ),
        ("---\nKeep it.", "Keep it"),
        ("Yes.", "Yes"),
    ],
)
def test_a_title_says_what_it_is_about(text: str, title: str) -> None:
    assert Record(text=text).title == title


def test_bytes_that_are_no_text_are_marked_and_stay_in_the_file() -> None:
    source = b"N\xe3o fa\xe7a deploy\n".decode("utf-8", "surrogateescape")
    record = parse_record(source, PLACE)
    assert (record.title, record.text) == ("N\ufffdo fa\ufffda deploy",) * 2
    assert render_record(record.with_fields(evidence=2), source).endswith(source)


def test_a_text_without_front_matter_is_a_memory() -> None:
    record = parse_record("Deploys wait for QA. Always.\n\nMore.\n", PLACE)
    assert record.id == "mem-2026-02-12-001"
    assert record.title == "Deploys wait for QA"
    changed = render_record(
        record.with_fields(tags=("deploy",)), "Deploys wait for QA. Always.\n\nMore.\n"
    )
    assert changed == "---\ntags: [deploy]\n---\n\nDeploys wait for QA. Always.\n\nMore.\n"


def test_the_folder_of_an_agent_is_stricter_than_the_file() -> None:
    path = ".synapse/memory/agents/qa/durable/mem-2026-02-12-001.md"
    record = parse_record("---\nscope: shared\nagent: dev\n---\n# A\n", path)
    assert (record.scope, record.agent) == ("private", "qa")


def test_a_record_never_changes() -> None:
    with pytest.raises(AttributeError):
        Record(title="A").title = "B"  # type: ignore[misc]


@given(st.text(max_size=30), st.lists(st.text(max_size=12), max_size=3), files())
def test_what_is_written_into_front_matter_is_read_from_it(
    value: str, items: list[str], text: str
) -> None:
    changed = update_front_matter(text, {"one": value, "two": tuple(items)})
    head = parse_front_matter(changed)
    assert head is not None
    one, two = head.by_key["one"], head.by_key["two"]
    assert (one.value if one.kind == "scalar" else "") == value
    assert tuple(text for text, _, _ in two.items) == tuple(items)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("a: 'it''s'", "it's"),
        ('a: "tab\\there"', "tab\there"),
        ("a: # nothing", ""),
        ("a: null", ""),
        ("a: x # why", "x"),
        ("a: x#y", "x#y"),
        ("a: http://b:c", "http://b:c"),
        ("a: |\n  two\n  lines", "two\nlines"),
        ("a: >\n  one\n  line", "one line"),
        ("a: one\n  goes on", "one goes on"),
    ],
)
def test_scalars_are_read_as_yaml_reads_them(line: str, value: str) -> None:
    head = parse_front_matter(f"---\n{line}\n---\n")
    assert head is not None
    assert head.by_key["a"].value == value


def test_a_line_that_says_nothing_is_kept_and_told_of() -> None:
    head: Any = parse_front_matter("---\nnonsense\na: 1\n---\nbody")
    assert [head.text[start:end] for start, end in head.malformed_lines] == ["nonsense"]
    assert head.text[head.body :] == "body"
