"""Patterns of workflows: what their transitions say."""

from __future__ import annotations

from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.workflow_definition import parse, parse_patterns

TEXT = """\
    workflows:
      cycle:
        agent_sequence: [po, dev]
        key_commands: [check, build]
        trigger_threshold: 3
        transitions:
          built:
            trigger: "*Build completed"
            confidence: 1.7
            greeting_message: It is built.
            next_steps:
              - {command: last, description: Z}
              - {command: "*second", args_template: "${story_path}", priority: 2}
              - {command: first, priority: 1}
              - {description: nothing to run}
          odd: {trigger: build, confidence: .nan}
      plain: {}
    """


def test_transitions_are_read_in_order_of_priority() -> None:
    cycle, plain = parse_patterns(dedent(TEXT)).document
    built, odd = cycle.transitions
    assert (cycle.threshold, plain.threshold, plain.transitions) == (3, 2, ())
    assert (built.command, built.verb, built.confidence) == ("build", "completed", 1.0)
    assert [(n.name, n.arguments) for n in built.next] == [
        ("first", ""), ("second", "${story_path}"), ("last", ""),
    ]  # fmt: skip
    assert (odd.command, odd.verb, odd.confidence, odd.next) == ("", "build", 0.0, ())


def test_a_step_says_what_follows_and_what_it_needs() -> None:
    step, other = parse(
        "workflow:\n  id: w\n  sequence:\n"
        "    - {id: a, agent: dev, next: b, on_failure: c, requires: [x, y], optional: true, condition: if}\n"
        "    - {id: b, requires: a, optional: nonsense}\n"
    ).document.steps
    assert (step.next, step.on_failure, step.requires) == ("b", "c", ("x", "y"))
    assert (step.optional, step.condition) == (True, "if")
    assert (other.requires, other.optional) == (("a",), False)


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    for told in (text, f"workflows:\n  a:\n    transitions:\n      b: {text}"):
        for pattern in parse_patterns(told).document:
            for one in pattern.transitions:
                assert isinstance(one.command + one.verb, str)
