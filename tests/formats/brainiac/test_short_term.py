from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given

from synapse_ls.formats.brainiac.short_term_memory import ShortTermMemory, parse
from synapse_ls.text.iso_time import parse_instant
from tests.formats.brainiac.texts import memory_texts
from tests.formats.texts import assert_inside, hostile_texts

MEMORY = """\
# Short-Term Memory Scratchpad

## Summary
We move reservations.
Twice.

---

## Structured Data

### Goals
- [ ] Switch reads
- [x] Write twice

### Key Facts & Decisions
- Ids stay integers.

### Tasks
- [ ] Write the flag
  and roll it out

---

## Event Log

Newest entries first.

### 2026-03-12T16:40:00Z
**User:** "Why do
four differ?"
**AI:** "They were cancelled."
**Thoughts:** Move the write.

### 2026-03-11T14:20:00.123456789Z
**User:** Plan it
"""


def read(text: str) -> ShortTermMemory:
    return parse(dedent(text)).document


def kinds(text: str) -> list[str]:
    return [problem.kind for problem in parse(dedent(text)).problems]


def test_the_parts_are_found() -> None:
    found = read(MEMORY)
    assert [part.kind for part in found.parts] == [
        "summary", "data", "goals", "facts", "tasks", "events",
    ]  # fmt: skip
    assert found.title
    assert found.title.value == "Short-Term Memory Scratchpad"
    assert parse(MEMORY).problems == ()


def test_the_summary_is_without_the_rule_below_it() -> None:
    summary = read(MEMORY).summary
    assert summary
    assert summary.value == "We move reservations.\nTwice."


def test_items_have_their_boxes_and_further_lines() -> None:
    found = read(MEMORY)
    assert [(item.text, item.checked) for item in found.items_of("goals")] == [
        ("Switch reads", False),
        ("Write twice", True),
    ]
    assert [item.text for item in found.items_of("tasks")] == ["Write the flag\n  and roll it out"]
    assert [item.checked for item in found.items_of("facts")] == [None]


def test_events_have_times_and_fields_of_several_lines() -> None:
    newest, oldest = read(MEMORY).events
    assert newest.time == parse_instant("2026-03-12T16:40:00+00:00")
    assert newest.field_value("user") == "Why do\nfour differ?"
    assert newest.field_value("ai") == "They were cancelled."
    assert newest.field_value("thoughts") == "Move the write."
    assert oldest.time == parse_instant("2026-03-11T14:20:00.123456Z")
    assert oldest.field_value("user") == "Plan it"


def test_the_line_above_the_events_is_a_note() -> None:
    note = read(MEMORY).note
    assert note
    assert note.value == "Newest entries first."


def test_events_without_a_time_are_as_old_as_those_above() -> None:
    text = """\
        ## Event Log
        ### 2026-01-03
        a
        ### yesterday
        b
        ### 2026-01-01
        c
        ### 2026-01-02
        d
        """
    ages = [event.heading.value for event in read(text).events_by_time]
    assert ages == ["2026-01-01", "2026-01-02", "yesterday", "2026-01-03"]
    assert kinds(text) == ["unreadable-event"]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("## summary", "summary"),
        ("# SUMMARY", "summary"),
        ("### **Goals**", "goals"),
        ("## Key Facts and Decisions", "facts"),
        ("### Fatos e decisões", "facts"),
        ("### Tarefas", "tasks"),
        ("## Registro de eventos", "events"),
    ],
)
def test_parts_go_by_name_at_any_level(heading: str, kind: str) -> None:
    assert [part.kind for part in read(f"## Other\n\n{heading}\n").parts] == ["", kind]


def test_a_summary_ends_where_the_next_part_begins_at_any_level() -> None:
    found = read(
        "# Summary\ns\n## Structured Data\n### Goals\n- [ ] g\n## Other\no\n## Event Log\n"
    )
    assert found.summary is not None
    assert found.summary.value == "s"
    assert [part.kind for part in found.parts] == ["summary", "data", "goals", "", "events"]


def test_headings_inside_an_event_belong_to_it() -> None:
    text = "## Event Log\n### 2026-01-01\n#### Summary\n**AI:** x\n"
    found = read(text)
    assert [part.kind for part in found.parts] == ["events"]
    assert found.events[0].body.cut(text) == "#### Summary\n**AI:** x"


def test_what_has_another_name_is_kept() -> None:
    text = "before\n\n## Summary\ns\n\n## Scratch\nnotes\n\n## Structured Data\nloose\n\n### Risks\nr\n"
    found = read(text)
    assert [place.cut(text) for place in found.loose] == [
        "before",
        "## Scratch\nnotes",
        "### Risks\nr",
    ]
    assert [item.text for item in found.items_of("data")] == ["loose"]


def test_a_slip_in_a_name_is_reported_with_what_was_meant() -> None:
    (problem,) = parse("## Structured Data\n### Taks\n- a\n").problems
    assert (problem.kind, dict(problem.data)) == ("unknown-memory-part", {"near": "Tasks"})


def test_lists_that_stand_twice_are_joined_and_reported() -> None:
    text = "## Structured Data\n### Goals\n- a\n### Goals\n- b\n"
    assert [item.text for item in read(text).items_of("goals")] == ["a", "b"]
    assert kinds(text) == ["repeated-memory-part"]


def test_a_second_summary_is_not_lost() -> None:
    text = "## Summary\na\n## Summary\nb\n"
    assert [place.cut(text) for place in read(text).loose] == ["## Summary\nb"]
    assert kinds(text) == ["repeated-memory-part"]


def test_headings_in_fences_are_text() -> None:
    found = read("## Summary\n```\n## Event Log\n### 2026-01-01\n```\nend\n")
    assert [part.kind for part in found.parts] == ["summary"]


@given(memory_texts | hostile_texts)
def test_any_text_is_read_with_places_inside(text: str) -> None:
    document, problems = parse(text)
    assert document.text == text
    assert_inside(text, problems)
    for part in document.parts:
        assert 0 <= part.span.start <= part.own.start <= part.own.end <= part.body.end <= len(text)
    for item in document.items:
        assert 0 <= item.span.start <= item.span.end <= len(text)
    for event in document.events:
        assert event.span.start <= event.body.start <= event.body.end <= len(text)


@given(memory_texts)
def test_every_word_of_a_memory_belongs_to_something(text: str) -> None:
    """Nothing that somebody wrote is passed over: parts, items, events, notes and the rest hold all."""
    found = read_whole(text)
    held = [found.title.span] if found.title else []
    held += [part.title.span for part in found.parts]
    held += [item.span for item in found.items] + [event.span for event in found.events]
    held += [*found.loose, *(said.span for said in (found.summary, found.note) if said)]
    left = list(found.text)
    for span in held:
        left[span.start : span.end] = " " * span.length
    assert not any(char.isalnum() for char in "".join(left))


def read_whole(text: str) -> ShortTermMemory:
    return parse(text).document


def test_a_long_memory_is_read_in_linear_time() -> None:
    event = "### 2026-01-01T10:00:00Z\n**User:** x\n"
    text = "## Event Log\n" + event * 20_000
    assert len(parse(text).document.events) == 20_000


LISTED = """\
## Event Log
Newest entries first.

- 2026-03-12T16:40:00Z The comparison found four
  that differ.
- [2026-03-12 09:05] **User:** "Why?"
  - nobody knows
- **2026-03-11**: Planned the switch
* wrote the first note
"""


def test_items_of_the_event_log_are_events() -> None:
    found = read(LISTED)
    assert [event.heading.value for event in found.events_by_time] == [
        "wrote the first note", "2026-03-11", "2026-03-12 09:05", "2026-03-12T16:40:00Z",
    ]  # fmt: skip
    assert found.events[0].body.cut(found.text) == "The comparison found four\n  that differ."
    assert found.events[1].field_value("user").startswith('"Why?"')
    assert found.note
    assert found.note.value == "Newest entries first."
    assert kinds(LISTED) == []


def test_items_above_headings_are_events_if_they_begin_with_a_time() -> None:
    text = "## Event Log\n- {}a\n### 2026-01-01\nb\n"
    assert len(read(text.format("2026-01-02 ")).events) == 2
    assert len(read(text.format("")).events) == 1
