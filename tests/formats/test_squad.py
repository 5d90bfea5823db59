from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given

from synapse_ls.formats.squad_manifest import SquadDocument, parse
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import corpus, mark

MINIMAL = "name: etl-squad\nversion: 1.0.0\n"


def read(text: str) -> SquadDocument:
    squad, problems = parse(dedent(text))
    assert not problems
    return squad


def problems(text: str) -> list[tuple[str, str]]:
    """Field and source text of each problem, all of which are about the squad."""
    found = parse(text).problems
    assert {problem.kind for problem in found} <= {"invalid-squad"}
    return [(dict(problem.data)["field"], problem.span.cut(text)) for problem in found]


def test_a_squad_has_its_fields() -> None:
    squad = read("""\
        name: etl-squad
        version: 1.0.0
        description: Loads things
        slashPrefix: etl
        license: MIT
        tags: [data]
        aiox: {minVersion: "2.1.0", type: squad}
        components:
          agents: [etl-agent.md]
          tasks: [load.md, "check.md"]
          workflows: []
        config: {extends: override}
        dependencies: {squads: [base-squad]}
        """)
    assert squad.name is not None
    assert squad.version is not None
    assert squad.extends is not None
    assert (squad.name.value, squad.version.value) == ("etl-squad", "1.0.0")
    assert squad.extends.value == "override"
    assert [agent.value for agent in squad.agents] == ["etl-agent.md"]
    assert [task.value for task in squad.components["tasks"]] == ["load.md", "check.md"]
    assert squad.components["workflows"] == ()
    assert [other.value for other in squad.dependencies] == ["base-squad"]


def test_a_squad_that_does_not_extend_says_nothing() -> None:
    assert read(MINIMAL).extends is None


def test_components_have_places() -> None:
    text, (place,) = mark(f"{MINIMAL}components:\n  agents:\n    - «a.md» # note\n")
    assert parse(text).document.agents[0].span == place


def test_further_fields_are_allowed() -> None:
    assert read(f"{MINIMAL}theirs: {{a: 1}}\ncomponents: {{theirs: []}}\n").agents == ()


@pytest.mark.parametrize(
    ("line", "field", "place"),
    [
        ("name: ETL_Squad", "name", "ETL_Squad"),
        ("name: x", "name", "x"),
        ("version: 1.0", "version", "1.0"),
        ("license: BSD", "license", "BSD"),
        ("slashPrefix: E T", "slashPrefix", "E T"),
        ("aiox: squad", "aiox", "squad"),
        ("aiox: {minVersion: '2'}", "aiox.minVersion", "'2'"),
        ("components: [a]", "components", "[a]"),
        ("components: {tasks: a.md}", "components.tasks", "a.md"),
        ("components: {tasks: [{a: 1}]}", "components.tasks", "{a: 1}"),
        ("config: {extends: merge}", "config.extends", "merge"),
        ("dependencies: []", "dependencies", "[]"),
        ("description: [a]", "description", "[a]"),
    ],
)
def test_an_ill_formed_field_is_named_and_placed(line: str, field: str, place: str) -> None:
    key = line.partition(":")[0]
    kept = [other for other in MINIMAL.splitlines() if not other.startswith(f"{key}:")]
    text = "\n".join([*kept, line, ""])
    assert problems(text) == [(field, place)]


def test_a_missing_field_is_reported() -> None:
    assert problems("version: 1.0.0\n") == [("name", "version: 1.0.0")]
    assert problems("name:\nversion: 1.0.0\n") == [("name", "name")]


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}", "[a]", "text"])
def test_an_empty_manifest_is_reported(text: str) -> None:
    assert [field for field, _ in problems(text)] == ["name"]


def test_a_long_description_is_reported() -> None:
    assert problems(f"{MINIMAL}description: {'x' * 501}\n")[0][0] == "description"


def test_a_near_miss_is_suggested() -> None:
    (problem,) = parse(f"{MINIMAL}config: {{extends: overide}}\n").problems
    assert dict(problem.data)["near"] == "override"
    assert "override" in problem.remedy


def test_fields_nested_below_squad_are_read_and_reported() -> None:
    text, (place,) = mark("«squad»:\n  name: etl-squad\n  version: 1.0.0\n")
    squad, (problem,) = parse(text)
    assert squad.name is not None
    assert (squad.name.value, problem.span) == ("etl-squad", place)


def test_a_file_that_is_not_yaml_has_that_problem_only() -> None:
    squad, (problem,) = parse("name: [x\n")
    assert (squad.name, problem.kind) == (None, "invalid-yaml")


@given(hostile_texts)
def test_any_text_gives_places_inside_it(text: str) -> None:
    assert_inside(text, parse(text).problems)


def test_real_squads_are_valid() -> None:
    paths = sorted((corpus() / "aiox/squads-examples").glob("*/squad.yaml"))
    assert len(paths) == 3
    for path in paths:
        squad = read(path.read_text(encoding="utf-8"))
        assert squad.name is not None
        assert squad.name.value == path.parent.name
        assert squad.agents
        assert squad.extends is not None


def test_a_misspelt_field_is_reported_where_the_one_that_is_meant_is_missing() -> None:
    text = "name: a-b\nversion: 1.0.0\ncomponets: {}\ncomponents:\n  taskz: [a.md]\nhooks: {}\n"
    found = [(p.span.cut(text), p.remedy) for p in parse(text).problems]
    assert found == [("taskz", "Write `tasks`.")]
    text = text.replace("components:", "config:")
    found = [(p.span.cut(text), p.remedy) for p in parse(text).problems]
    assert found == [("componets", "Write `components`.")]


def test_an_empty_name_is_no_spelling_of_a_name() -> None:
    (problem,) = parse('name: ""\nversion: 1.0.0\n').problems
    assert problem.own_severity is None
