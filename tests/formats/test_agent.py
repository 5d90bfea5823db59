from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given

from synapse_ls.formats.agent_definition import AgentDefinition, parse
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import corpus, mark

BLOCK = """\
    # dev

    ```yaml
    activation-instructions:
      - Read all
    agent:
      name: Dex
      id: dev
      title: Developer
      icon: 💻
      aliases: [coder, "dex"]
      whenToUse: 'For code'
    {commands}
    ```
"""


def block(commands: str) -> str:
    return dedent(BLOCK).replace("{commands}", dedent(commands).strip())


def read(text: str) -> AgentDefinition:
    agent, problems = parse(text)
    assert not problems
    return agent


def names(text: str) -> list[str]:
    return [command.name for command in parse(text).document.commands]


def test_the_yaml_block_is_the_definition() -> None:
    agent = read(block("commands: []"))
    assert (agent.id, agent.name, agent.title, agent.icon) == ("dev", "Dex", "Developer", "💻")
    assert (agent.aliases, agent.description) == (("coder", "dex"), "For code")


def test_the_definition_has_the_place_of_its_id() -> None:
    text, (place,) = mark("```yml\nagent:\n  id: «dev»\n```\n")
    assert parse(text).document.span == place


def test_the_first_block_about_an_agent_counts() -> None:
    text = "```yaml\nexample: 1\n```\n```yaml\nagent: {id: a}\n```\n```yaml\nagent: {id: b}\n```\n"
    assert read(text).id == "a"


LISTED = """\
    commands:
      # a note
      - name: help
        visibility: [full]
        description: 'Show commands'
      - {name: "*build", args: '{story}', description: Build}
    """
COMPACT = """\
    commands:
      - help: Show commands
      - build {story}: Build
    """
MAPPING = """\
    commands:
      help: 'Show commands'
      build {story}: Build
    """


@pytest.mark.parametrize("commands", [LISTED, COMPACT, MAPPING])
def test_commands_come_in_three_shapes(commands: str) -> None:
    assert [(c.name, c.description) for c in read(block(commands)).commands] == [
        ("help", "Show commands"),
        ("build", "Build"),
    ]


@pytest.mark.parametrize("commands", [LISTED, COMPACT, MAPPING])
def test_a_command_has_the_place_of_its_name(commands: str) -> None:
    text = block(commands)
    assert [command.span.cut(text) for command in read(text).commands] == ["help", "build"]


def test_a_plain_list_of_commands_is_read() -> None:
    assert names(block("commands:\n  - '*help'\n  - build {x}\n")) == ["help", "build"]


@pytest.mark.parametrize("commands", [LISTED, COMPACT, MAPPING])
def test_a_block_that_is_not_yaml_still_has_its_id_and_commands(commands: str) -> None:
    text = block(commands + "\n    broken: [\n")
    agent, problems = parse(text)
    assert [problem.kind for problem in problems] == ["invalid-yaml"]
    assert (agent.id, agent.name) == ("dev", "Dex")
    assert [command.name for command in agent.commands] == ["help", "build"]
    assert [command.span.cut(text) for command in agent.commands] == ["help", "build"]


def test_a_problem_of_the_block_has_its_place_in_the_file() -> None:
    text, (place,) = mark("# x\n```yaml\nagent:\n  id: dev\nbroken: «[»\n```\n")
    (problem,) = parse(text).problems
    assert problem.span == place


def test_a_claude_code_agent_is_front_matter() -> None:
    text, (place,) = mark("---\nname: «reviewer»\ndescription: Reviews code\n---\nYou review.\n")
    agent = read(text)
    assert (agent.id, agent.name, agent.description) == ("reviewer", "reviewer", "Reviews code")
    assert agent.span == place


def test_front_matter_that_is_not_yaml_is_read_by_lines() -> None:
    text = "---\nname: reviewer\ndescription: Use it: always\n---\n"
    agent, problems = parse(text)
    assert [problem.kind for problem in problems] == ["invalid-yaml"]
    assert (agent.id, agent.description) == ("reviewer", "Use it: always")


def test_a_file_without_a_definition_has_its_title_and_no_id() -> None:
    agent = read("# Dev Agent\n\n```yaml\nstate: idle\n```\n")
    assert (agent.id, agent.name, agent.commands) == ("", "Dev Agent", ())


@given(hostile_texts)
def test_any_text_gives_places_inside_it(text: str) -> None:
    agent, problems = parse(text)
    assert_inside(text, problems)
    assert 0 <= agent.span.start <= agent.span.end <= len(text)


@given(hostile_texts)
def test_any_block_gives_commands_with_their_places(content: str) -> None:
    text = block(f"commands:\n  - name: help\n{content}")
    for command in parse(text).document.commands:
        assert command.span.cut(text) == command.name


REAL = {
    "aiox-master": ("Orion", 41),
    "analyst": ("Atlas", 14),
    "architect": ("Aria", 21),
    "data-engineer": ("Dara", 28),
    "dev": ("Dex", 35),
    "devops": ("Gage", 43),
    "pm": ("Morgan", 16),
    "po": ("Pax", 18),
    "qa": ("Quinn", 25),
    "sm": ("River", 7),
    "squad-creator": ("Craft", 14),
    "ux-design-expert": ("Uma", 27),
}


@pytest.mark.parametrize("stem", REAL)
def test_real_agents_have_their_names_and_commands(stem: str) -> None:
    path = corpus() / f"aiox/.aiox-core/development/agents/{stem}.md"
    text = path.read_text(encoding="utf-8")
    agent = read(text)
    assert (agent.id, agent.name, len(agent.commands)) == (stem, *REAL[stem])
    assert all(command.span.cut(text) == command.name for command in agent.commands)


@pytest.mark.parametrize("stem", REAL)
def test_real_agents_are_read_alike_by_lines(stem: str) -> None:
    path = corpus() / f"aiox/.aiox-core/development/agents/{stem}.md"
    text = path.read_text(encoding="utf-8")
    end = text.index("\n```", text.index("```yaml") + 1)
    broken = parse(f"{text[:end]}\nbroken: [{text[end:]}").document
    agent = read(text)
    assert (broken.id, broken.name) == (agent.id, agent.name)
    assert [c.span for c in broken.commands] == [c.span for c in agent.commands]


def test_real_agents_of_squads_have_ids_and_commands() -> None:
    paths = sorted((corpus() / "aiox/squads-examples").glob("*/agents/*.md"))
    assert paths
    for path in paths:
        agent = read(path.read_text(encoding="utf-8"))
        assert agent.id, path
        assert len(agent.commands) >= 4, path
