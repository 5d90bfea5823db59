from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synapse_ls.formats.brainiac.short_term_edits import (
    EMPTY_MEMORY,
    add_event,
    add_item,
    change_items,
    promote_memory,
    replace_summary,
)
from synapse_ls.formats.brainiac.short_term_memory import ShortTermMemory, parse
from tests.formats.brainiac.test_short_term import MEMORY
from tests.formats.brainiac.texts import memory_texts


def read(text: str) -> ShortTermMemory:
    return parse(text).document


def test_an_event_goes_on_top_of_the_log_and_changes_nothing_else() -> None:
    text = add_event(read(MEMORY), "2026-03-13T08:00:00Z", user="Next?", ai="The flag.")
    at = MEMORY.index("### 2026-03-12")
    added = '### 2026-03-13T08:00:00Z\n**User:** "Next?"\n**AI:** "The flag."\n\n'
    assert text == MEMORY[:at] + added + MEMORY[at:]


def test_the_first_event_follows_the_note() -> None:
    text = add_event(read(EMPTY_MEMORY), "2026-03-13", thoughts="Begin.")
    assert text == EMPTY_MEMORY.rstrip() + "\n\n### 2026-03-13\n**Thoughts:** Begin.\n"


def test_a_log_that_is_missing_is_added() -> None:
    text = add_event(read("# Short-Term Memory\n\n## Summary\ns\n"), "2026-03-13", user="Hi")
    assert text == (
        '# Short-Term Memory\n\n## Summary\ns\n\n## Event Log\n\n### 2026-03-13\n**User:** "Hi"\n'
    )


def test_an_item_goes_to_the_end_of_its_list() -> None:
    text = add_item(read(MEMORY), "goals", "Delete MySQL")
    assert text == MEMORY.replace("- [x] Write twice\n", "- [x] Write twice\n- [ ] Delete MySQL\n")


def test_an_item_begins_a_list_that_is_empty_or_missing() -> None:
    assert "### Goals\n- [ ] First\n" in add_item(read(EMPTY_MEMORY), "goals", "First").replace(
        "\n\n- ", "\n- "
    )
    text = add_item(read("## Structured Data\n### Goals\n- [ ] a\n"), "facts", "It rains")
    assert (
        text == "## Structured Data\n### Goals\n- [ ] a\n\n### Key Facts & Decisions\n- It rains\n"
    )


def test_there_are_three_lists() -> None:
    with pytest.raises(ValueError, match="no list"):
        add_item(read(MEMORY), "wishes", "x")


def test_ticking_changes_one_character() -> None:
    memory = read(MEMORY)
    goal = memory.items_of("goals")[0]
    assert change_items(memory, ticked=(goal,)) == MEMORY.replace("- [ ] Switch", "- [x] Switch")
    assert change_items(memory, unticked=(goal,)) == MEMORY
    assert change_items(memory, ticked=memory.items_of("facts")[:1]) == MEMORY


def test_an_item_is_taken_out_with_its_lines() -> None:
    memory = read(MEMORY)
    task = memory.items_of("tasks")[0]
    assert change_items(memory, removed=(task,)) == MEMORY.replace(
        "- [ ] Write the flag\n  and roll it out\n", ""
    )


def test_a_summary_is_put_in_place_of_the_old_one() -> None:
    text = replace_summary(read(MEMORY), "Done.\n\n## Event Log\nforged")
    assert text == MEMORY.replace(
        "We move reservations.\nTwice.", "Done.\n\n\\## Event Log\nforged"
    )


def test_another_summary_leaves_the_parts_below_it() -> None:
    text = "# Summary\nold\n\n## Tasks\n- [ ] t\n\n## Event Log\n### 2026-01-01\nx\n"
    assert replace_summary(read(text), "new") == text.replace("old", "new")


def test_a_list_that_is_missing_is_added_before_an_event_log_that_is_below_the_data() -> None:
    text = "# Structured Data\n## Goals\n- [ ] g\n\n## Event Log\n### 2026-01-01\nx\n"
    added = add_item(read(text), "facts", "It rains")
    assert added.index("It rains") < added.index("## Event Log")
    assert [item.text for item in read(added).items_of("facts")] == ["It rains"]


def test_a_promotion_leaves_summary_open_items_and_no_events() -> None:
    after = read(promote_memory(read(MEMORY), "All moved."))
    assert after.summary
    assert after.summary.value == "All moved."
    assert [item.text.partition("\n")[0] for item in after.items] == [
        "Switch reads",
        "Write the flag",
    ]
    assert after.events == ()
    assert after.note


def test_line_ends_of_the_file_are_kept() -> None:
    text = MEMORY.replace("\n", "\r\n")
    changed = add_item(read(add_event(read(text), "2026-03-13", user="a\nb")), "facts", "c")
    assert "\n" not in changed.replace("\r\n", "")


@example("", "", "```\n### Tarefas")
@example("", "", "```\n## Summary")
@example("## Structured Data\n  more ", "", "")
@example("## Summary\n### 2026-01-02T10:00:00Z ", "", "")
@given(memory_texts, memory_texts, memory_texts)
def test_an_event_is_read_back_and_the_rest_is_as_before(text: str, user: str, ai: str) -> None:
    before = read(text)
    after = read(add_event(before, "2026-03-13T08:00:00Z", user=user, ai=ai))
    assert len(after.events) == len(before.events) + 1
    assert after.events[0].heading.value == "2026-03-13T08:00:00Z"
    assert [e.heading.value for e in after.events[1:]] == [e.heading.value for e in before.events]
    assert [item.text for item in after.items] == [item.text for item in before.items]
    said = [part.value for part in (before.summary,) if part]
    assert [part.value for part in (after.summary,) if part] == said


@given(memory_texts, st.sampled_from(["goals", "facts", "tasks"]), st.text(min_size=1))
def test_an_item_is_read_back_and_the_rest_is_as_before(text: str, kind: str, item: str) -> None:
    before = read(text)
    after = read(add_item(before, kind, item))
    assert len(after.items_of(kind)) >= len(before.items_of(kind))
    assert [e.heading.value for e in after.events] == [e.heading.value for e in before.events]


@given(memory_texts)
def test_an_edit_only_adds(text: str) -> None:
    changed = add_event(read(text), "2026-03-13", user="x")
    kept = iter(changed)
    assert all(char in kept for char in text.rstrip())


@given(memory_texts, st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_several_items_change_and_nothing_else(text: str, ticks: set[int], drops: set[int]) -> None:
    memory = read(text)
    items = memory.items[:10]
    boxed = [item for n, item in enumerate(items) if n in ticks and item.box is not None]
    gone = [item for n, item in enumerate(items) if n in drops]
    changed = change_items(memory, ticked=boxed, removed=gone)
    kept = set(range(len(text)))
    for item in gone:
        kept -= set(range(item.span.start, item.span.end))
    boxes = {item.box.start for item in boxed if item.box is not None}
    wanted = "".join("x" if n in boxes else text[n] for n in sorted(kept))
    assert changed.replace("\n", "").replace("\r", "") == wanted.replace("\n", "").replace("\r", "")


def test_nothing_asked_for_changes_nothing() -> None:
    memory = read("## Goals\n- [ ] a\n")
    assert change_items(memory) == memory.text


def test_an_event_joins_a_log_that_is_a_list() -> None:
    text = "## Event Log\n  - 2026-01-01 a\n  - b\n"
    changed = add_event(parse(text).document, "2026-02-01", user="- one\n- two", ai="yes")
    assert changed == (
        "## Event Log\n"
        '  - 2026-02-01\n    **User:** "- one\n    - two"\n    **AI:** "yes"\n'
        "  - 2026-01-01 a\n  - b\n"
    )
    event = parse(changed).document.events[0]
    assert (event.heading.value, event.field_value("ai")) == ("2026-02-01", "yes")
    assert len(parse(changed).document.events) == 3
