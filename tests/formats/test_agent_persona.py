"""Who an agent is, and what lines alone tell of it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.agent_definition import parse, parse_quickly

WHOLE = """\
    # dev

    ```yaml
    agent: {name: Ines, id: dev}
    persona_profile:
      archetype: Builder
      communication:
        tone: pragmatic
        greeting_levels:
          minimal: '🔧 dev'
          named: "🔧 Ines"
          archetypal: 🔧 Ines the Builder
        signature_closing: '— Ines'
    persona:
      role: Writes code
      style: brief
      focus: one thing
    commands:
      - name: help
        visibility: [full, quick]
        description: All
      - {name: "*go", args: "{where} [when]", visibility: key}
      - build {what}: Build it
    dependencies:
      tasks: [a.md, b.md]
      tools:
        - git
      notes: none
    ```
    """


def test_a_persona_is_read() -> None:
    persona = parse(dedent(WHOLE)).document
    assert persona.role == "Writes code"
    assert (persona.archetype, persona.tone, persona.signature) == (
        "Builder", "pragmatic", "— Ines",
    )  # fmt: skip
    assert persona.greetings == (
        ("minimal", "🔧 dev"), ("named", "🔧 Ines"), ("archetypal", "🔧 Ines the Builder"),
    )  # fmt: skip
    assert persona.greeting("named") == "🔧 Ines"
    assert persona.greeting("loud") == ""


def test_commands_have_arguments_and_lists() -> None:
    commands = parse(dedent(WHOLE)).document.commands
    assert [(c.name, c.arguments, c.visibility) for c in commands] == [
        ("help", "", ("full", "quick")),
        ("go", "{where} [when]", ("key",)),
        ("build", "{what}", ()),
    ]


def test_tasks_are_those_among_the_dependencies() -> None:
    document = parse(dedent(WHOLE)).document
    assert [task.value for task in document.tasks] == ["a.md", "b.md"]


@pytest.mark.parametrize("value", ["[1, 2]", "none", "{named: [x]}", "~"])
def test_a_persona_of_another_shape_says_nothing(value: str) -> None:
    text = f"```yaml\nagent: {{id: dev}}\npersona_profile:\n  communication:\n    greeting_levels: {value}\n```\n"
    assert parse(text).document.greetings == ()


def test_lines_tell_names_commands_and_words() -> None:
    text = dedent(WHOLE).replace(
        "agent: {name: Ines, id: dev}", "agent:\n  name: Ines\n  id: dev\n  aliases: [a, 'b']"
    )
    found = parse_quickly(text)
    assert (found.id, found.name, found.aliases) == ("dev", "Ines", ("a", "b"))
    assert [c.name for c in found.commands] == ["help", "go", "build"]
    assert found.greeting("archetypal") == "🔧 Ines the Builder"


def test_lines_tell_of_a_sub_agent() -> None:
    found = parse_quickly("---\nname: reviewer\ndescription: Reviews: all\n---\nText\n")
    assert (found.id, found.description) == ("reviewer", "Reviews: all")


@given(st.text())
def test_no_text_makes_either_fail(text: str) -> None:
    for told in (text, f"```yaml\nagent:\n{text}\n```"):
        parse_quickly(told), parse(told)
