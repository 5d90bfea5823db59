from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given

from synapse_ls.formats.task_file import TaskDocument, executor_type, parse
from tests.formats.texts import hostile_texts
from tests.support import corpus, mark

DEFINITION = """\
    # Build Login Task

    ## Task Definition

    ```yaml
    task: buildLogin()
    responsável: Dex (Builder)
    responsavel_type: Agente
    atomic_layer: Organism

    **Entrada:**
    - campo: story_id
      tipo: string
      obrigatório: true

    **Saída:**
    - campo: report
      tipo: object
    ```
"""


def read(text: str) -> TaskDocument:
    return parse(dedent(text)).document


def test_the_definition_is_read_although_it_is_not_yaml() -> None:
    task = read(DEFINITION)
    assert task.title == "Build Login Task"
    assert task.task is not None
    assert task.task.value == "buildLogin()"
    assert task.responsible is not None
    assert task.responsible.value == "Dex (Builder)"
    assert task.executor == "Agente"


def test_the_executor_type_keeps_its_spelling_and_place() -> None:
    text, (place,) = mark("```yaml\ntask: t()\nresponsável_type: «agent»\n```\n")
    task = parse(text).document
    assert task.executor_type is not None
    assert (task.executor_type.value, task.executor_type.span) == ("agent", place)
    assert task.executor == "Agente"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Agente", "Agente"),
        ("agent", "Agente"),
        ("Worker", "Worker"),
        ("System", "Worker"),
        ("HUMANO", "Humano"),
        ("User", "Humano"),
        ("Human", "Humano"),
        ("Clone (Dex)", "Clone"),
        ("hybrid", "Agente"),
        ("Híbrido", "Agente"),
        ("robot", ""),
        ("", ""),
    ],
)
def test_executor_types_have_many_spellings(raw: str, expected: str) -> None:
    assert executor_type(raw) == expected


@pytest.mark.parametrize(
    "key", ["responsavel_type", "responsável_type", "executor", "executor_type", "Responsavel-Type"]
)
def test_the_key_of_the_executor_has_many_spellings(key: str) -> None:
    assert read(f"```yaml\ntask: t()\n{key}: Humano\n```\n").executor == "Humano"


def test_all_checklists_may_stand_in_the_definition() -> None:
    task = read("""\
        ```yaml
        task: t()

        **Checklist:**
          pre-conditions:
            - [x] Story is ready
              tipo: pre-condition
              blocker: true
              validação: |
                Look at the story: - [ ] no item
          post-conditions:
            - [ ] Tests pass
              blocker: false
          acceptance-criteria:
            - [ ] It works
        ```
        """)
    assert [(i.text, i.checked) for i in task.preconditions] == [("Story is ready", True)]
    assert [i.text for i in task.postconditions] == ["Tests pass"]
    assert [(i.text, i.checked) for i in task.acceptance] == [("It works", False)]


def test_each_checklist_may_have_a_section_with_a_fence() -> None:
    task = read("""\
        ## Pre-Conditions

        **Purpose:** Validate first

        **Checklist:**

        ```yaml
        pre-conditions:
          - [ ] One
            blocker: true

          - [x] Two
        ```

        ## Acceptance Criteria

        ```yaml
        acceptance-criteria:
          - [ ] Three
            story: STORY-7
        ```
        """)
    assert [item.text for item in task.preconditions] == ["One", "Two"]
    assert [item.text for item in task.acceptance] == ["Three"]
    assert task.story == "STORY-7"


def test_a_section_may_hold_a_markdown_list() -> None:
    task = read("""\
        ## ✅ Pré-Condições
        Some prose.
        - [x] Node 20
          is installed
        - not a condition

        ## Post-Conditions
        1. Nothing is broken
           - a detail
        """)
    assert [(i.text, i.checked) for i in task.preconditions] == [("Node 20 is installed", True)]
    assert [item.text for item in task.postconditions] == ["Nothing is broken"]


def test_an_item_has_the_place_of_its_line() -> None:
    text, (place,) = mark(
        "## Pre-Conditions\n```yaml\n  «- [ ] One thing»\n    blocker: true\n```\n"
    )
    (item,) = parse(text).document.preconditions
    assert item.span == place


def test_examples_and_templates_add_no_criteria() -> None:
    task = read("""\
        ```yaml
        task: t()
        ```
        ## Acceptance Criteria
        - [ ] Real

        ## Story Template
        ### Acceptance Criteria
        - [ ] Template

        ```markdown
        ## Acceptance Criteria
        - [ ] Example
        ```
        ```yaml
        task: other()
        acceptance-criteria:
          - [ ] Second
        ```
        """)
    assert [item.text for item in task.acceptance] == ["Real"]


def test_a_template_alone_adds_no_criteria() -> None:
    assert read("## Example\n### Acceptance Criteria\n- [ ] x\n").acceptance == ()


def test_placeholders_are_no_conditions() -> None:
    task = read("## Pre-Conditions\n- [ ] {condition}\n- [ ] [Condition 2]\n- [ ] Real\n")
    assert [item.text for item in task.preconditions] == ["Real"]


@pytest.mark.parametrize("story", ["N/A", "{story}", "TBD", ""])
def test_a_placeholder_is_no_story(story: str) -> None:
    assert read(f"## Metadata\n```yaml\nstory: {story}\nversion: 1.0.0\n```\n").story == ""


def test_the_story_stands_in_the_metadata() -> None:
    assert read("## Metadata\n```yaml\nstory: STORY-42\n```\n").story == "STORY-42"


def test_a_squads_task_is_front_matter() -> None:
    task = read("""\
        ---
        task: Greet User
        responsavel: "@greeter"
        responsavel_type: agent
        Entrada: |
          - name: Name to greet
        Checklist:
          - "[ ] Receive name"
          - "[x] Greet"
        ---
        # *greet
        """)
    assert task.task is not None
    assert (task.task.value, task.executor) == ("Greet User", "Agente")
    assert [(i.text, i.checked) for i in task.checklist] == [
        ("Receive name", False),
        ("Greet", True),
    ]


def test_prose_has_no_task() -> None:
    task = read("Just prose.\n")
    assert (task.task, task.executor, task.preconditions, task.story) == (None, "", (), "")


@given(hostile_texts)
def test_any_text_gives_items_inside_it(text: str) -> None:
    task, problems = parse(text)
    assert not problems
    for item in (*task.preconditions, *task.postconditions, *task.acceptance, *task.checklist):
        assert 0 <= item.span.start <= item.span.end <= len(text)


def test_real_tasks_have_a_definition_and_conditions() -> None:
    paths = sorted((corpus() / "aiox/.aiox-core/development/tasks").glob("*.md"))
    assert paths
    for path in paths:
        task = parse(path.read_text(encoding="utf-8")).document
        assert task.title, path
        assert task.task is not None, path
        assert task.executor == "Agente", path
        assert task.story == "", path
        for items in (task.preconditions, task.postconditions, task.acceptance):
            assert items, path
            assert not any(item.checked for item in items), path


def test_real_squads_have_tasks_with_a_checklist() -> None:
    paths = sorted((corpus() / "aiox/squads-examples").glob("*/tasks/*.md"))
    assert paths
    for path in paths:
        task = parse(path.read_text(encoding="utf-8")).document
        assert task.executor == "Agente", path
        assert len(task.checklist) >= 3, path


@pytest.mark.parametrize("written", ["1.2", "'1.2'", "42", "STORY-42"])
def test_a_story_may_go_by_a_bare_number(written: str) -> None:
    text = f"---\ntask: Refund\nstory: {written}\n---\n"
    document = parse(text).document
    assert document.story == written.strip("'")
    assert document.story_span is not None
    assert document.story_span.cut(text) == document.story
