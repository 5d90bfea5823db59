"""What one agent leaves for another, however it is written."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.handoff_file import HandOff, parse


def read(text: str) -> HandOff:
    return parse(dedent(text)).document


def test_a_hand_off_is_read() -> None:
    found = read(
        """\
        handoff:
          from_agent: "@dev"
          to_agent: qa
          last_command: "*develop 1.1"
          story_context:
            story_id: "1.1"
            story_path: docs/stories/1.1.md
            story_status: Ready for Review
            current_task: none
            branch: feat/login
          decisions: [Cookies, no tokens, decision: kept]
          files_modified: [src/a.ts, {path: src/b.ts, change: new}]
          blockers: []
          next_action: Run *review
        consumed: false
        """
    )
    assert (found.from_agent, found.to_agent, found.last_command) == ("dev", "qa", "develop")
    assert (found.story, found.story_status, found.branch) == (
        "1.1", "Ready for Review", "feat/login",
    )  # fmt: skip
    assert found.decisions == ("Cookies", "no tokens", "kept")
    assert found.files == ("src/a.ts", "src/b.ts")
    assert (found.next_action, found.consumed, found.blockers) == ("Run *review", False, ())


@pytest.mark.parametrize(
    "text",
    [
        "handoff: {from_agent: dev, to_agent: qa, consumed: true}",
        "handoff: {from_agent: dev, to_agent: qa}\nconsumed: yes\n",
        "from_agent: dev\nto_agent: '@qa'\nconsumed: True\n",
    ],
)
def test_it_may_say_wherever_that_it_was_taken_over(text: str) -> None:
    found = read(text)
    assert (found.from_agent, found.to_agent, found.consumed) == ("dev", "qa", True)


def test_what_yaml_refuses_is_read_line_by_line() -> None:
    found = read('handoff:\n  from_agent: dev\n  to_agent: "qa"\n  next_action: Fix: "a": [b\n')
    assert (found.from_agent, found.to_agent, found.next_action) == ("dev", "qa", 'Fix: "a": [b')
    assert [problem.kind for problem in parse("handoff: [a").problems] == ["invalid-yaml"]


def test_one_thing_is_a_list_of_one() -> None:
    found = read("decisions: Cookies\nblockers: null\nnext_action: [First, then]\n")
    assert (found.decisions, found.blockers, found.next_action) == (
        ("Cookies",), (), "First then",
    )  # fmt: skip


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    for told in (text, f"handoff:\n  decisions: {text}", f"handoff: {{story_context: {text}}}"):
        assert isinstance(parse(told).document.next_action, str)
