"""The continuation file: written, read, and read as people leave it."""

from __future__ import annotations

from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.continuation_file import (
    REASONS,
    SECTIONS,
    Continuation,
    parse,
    render_continuation,
)

TEXT = st.text(max_size=60)
LISTS = {name: st.lists(TEXT, max_size=4).map(tuple) for name in SECTIONS.values()}
ANY = st.builds(
    Continuation,
    session=TEXT,
    created=TEXT,
    reason=st.sampled_from(REASONS),
    bracket=TEXT,
    project=TEXT,
    state=TEXT,
    client=TEXT,
    agent=TEXT,
    workflow=TEXT,
    step=TEXT,
    task=TEXT,
    story=TEXT,
    last_handoff=TEXT,
    remaining=st.none() | st.floats(0, 100).map(lambda value: round(value, 1)),
    compactions=st.integers(0, 99),
    **LISTS,
)

WRITTEN = dedent(
    """\
    ---
    version: "1.0"
    session_id: 5f0c
    created_at: 2026-11-20T09:30:00.000Z
    reason: compact
    bracket: FRESH
    remaining: 88.5
    compactions: 1
    agent: dev
    ---

    ## Resume

    Go on as @dev.

    Next: write the example.

    ## Decisions

    - Keep the webhook synchronous.

    ## Open items

    - The README needs an example.
    """
)


def test_a_continuation_is_read() -> None:
    found = parse(WRITTEN)
    assert (found.session, found.reason, found.agent) == ("5f0c", "compact", "dev")
    assert (found.remaining, found.compactions) == (88.5, 1)
    assert found.resume == ("Go on as @dev.", "Next: write the example.")
    assert found.decisions == ("Keep the webhook synchronous.",)
    assert found.open_items == ("The README needs an example.",)


def test_what_is_written_is_what_was_read() -> None:
    assert render_continuation(parse(WRITTEN)) == WRITTEN


@given(ANY)
def test_every_continuation_comes_back(continuation: Continuation) -> None:
    text = render_continuation(continuation)
    text.encode()
    found = parse(text)
    assert found == continuation
    assert render_continuation(found) == text


@given(st.text(max_size=400))
def test_any_text_is_read_and_settles(text: str) -> None:
    found = parse(text)
    assert parse(render_continuation(found)) == found


def test_what_a_person_has_added_stays() -> None:
    own = (
        WRITTEN.replace("agent: dev\n", "agent: dev\nticket: OPS-7\n")
        + "\n## My notes\n\nCall Ana.\n"
    )
    found = parse(own)
    assert found.more == (("ticket", "OPS-7"),)
    assert found.others == (("My notes", ("", "Call Ana.")),)
    assert render_continuation(found) == own


def test_headings_are_known_however_they_are_written_and_items_go_on_below() -> None:
    text = WRITTEN.replace("## Open items", "## OPEN ITEMS").replace(
        "- The README needs an example.", "* The README needs\n  an example."
    )
    assert parse(text).open_items == ("The README needs an example.",)


def test_line_ends_of_windows_are_line_ends() -> None:
    assert parse(WRITTEN.replace("\n", "\r\n")) == parse(WRITTEN)


def test_what_is_missing_or_wrong_counts_as_not_given() -> None:
    assert parse("# Notes\n").session == ""
    text = WRITTEN.replace("session_id: 5f0c\n", "").replace("88.5", "lots")
    assert parse(text).session == ""
    assert parse(text).agent == "dev"
    assert parse(text).remaining is None
