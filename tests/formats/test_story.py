from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given

from synapse_ls.formats.story_file import StoryDocument, parse, story_state
from tests.formats.texts import hostile_texts
from tests.support import corpus, mark


def read(text: str) -> StoryDocument:
    return parse(dedent(text)).document


def criteria(text: str) -> list[tuple[str, bool]]:
    return [(item.text, item.checked) for item in read(text).criteria]


def files(text: str) -> list[tuple[str, str]]:
    return [(item.path, item.note) for item in read(text).files]


@pytest.mark.parametrize(
    ("heading", "story_id", "title"),
    [
        ("# Story 123.1: Sync it", "123.1", "Sync it"),
        ("# História 9.1 - Título", "9.1", "Título"),
        ("# 🚀 STORY-42 — Login", "STORY-42", "Login"),
        ("# User Story: [ACT-1] Config", "ACT-1", "Config"),
        ("# PRO-13.2: Gates", "PRO-13.2", "Gates"),
        ("# Story: No number", "", "No number"),
        ("# 2024 - a report", "", "2024 - a report"),
        ("# Story 1.2 Login", "1.2", "Login"),
        ("# Story STORY-7", "STORY-7", ""),
        ("# UTF-8 support", "", "UTF-8 support"),
        ("# Login", "", "Login"),
    ],
)
def test_the_title_names_the_story(heading: str, story_id: str, title: str) -> None:
    story = read(f"{heading}\n")
    assert (story.id, story.title) == (story_id, title)


def test_a_label_names_the_story_before_its_title() -> None:
    assert read("# Story 1.2: X\n**Story ID:** STORY-1.2\n").id == "STORY-1.2"


def test_front_matter_names_the_story() -> None:
    story = read("---\nid: ABC-7\ntitle: 'A title'\nepic: E1\nstatus: Done\n---\ntext\n")
    assert (story.id, story.title, story.epic, story.state) == ("ABC-7", "A title", "E1", "done")


@pytest.mark.parametrize(
    "header",
    [
        "**Status:** In Progress",
        "**Status**: In Progress",
        "> **Status:** In Progress",
        "- **Status:** In Progress",
        "**Epic:** E6 | **Status:** In Progress | **Points:** 3",
        "Status: In Progress",
        "| **Status** | In Progress |",
        "## Status\n\nIn Progress",
        "## 📊 Status\n**In Progress** 🚧",
        "## Status\n- [x] Draft\n- [x] In Progress\n- [ ] Done",
        "**Estado:** Em andamento",
    ],
)
def test_a_status_is_written_in_many_ways(header: str) -> None:
    assert read(f"# Story 1.1: X\n\n{header}\n").state == "in_progress"


def test_the_last_ticked_box_is_the_status_with_its_place() -> None:
    text, (place,) = mark("## Status\n\n- [x] Rascunho\n- [x] «Em revisão»\n- [ ] Concluída\n")
    story = parse(text).document
    assert (story.status, story.status_span, story.state) == ("Em revisão", place, "in_review")


def test_a_status_list_without_a_tick_says_nothing() -> None:
    assert read("## Status\n- [ ] Draft\n- [ ] Done\n").status == ""


def test_a_status_below_the_header_is_something_elses() -> None:
    story = read("# Story 1.1: X\n## Tasks\n- [ ] a\n## QA Results\n**Status:** Done\n")
    assert (story.status, story.state) == ("", "")


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("Draft", "draft"),
        ("Rascunho", "draft"),
        ("Not Started", "draft"),
        ("Ready", "ready"),
        ("✅ Approved", "ready"),
        ("Ready for Dev", "ready"),
        ("InProgress", "in_progress"),
        ("in_progress", "in_progress"),
        ("Ready for Review ✅", "in_review"),
        ("InReview", "in_review"),
        ("Em revisão", "in_review"),
        ("Done", "done"),
        ("✅ Complete (Ready for Review)", "done"),
        ("Concluída", "done"),
        ("Blocked by 1.2", "blocked"),
        ("incomplete thoughts", ""),
        ("", ""),
    ],
)
def test_a_status_means_a_state(status: str, state: str) -> None:
    assert story_state(status) == state


@pytest.mark.parametrize(
    "heading",
    [
        "## Acceptance Criteria",
        "### ✅ Acceptance Criteria (AC)",
        "## 🎯 Critérios de Aceitação",
        "## 4. Acceptance Criteria",
        "**Acceptance Criteria:**",
    ],
)
def test_criteria_stand_below_many_headings(heading: str) -> None:
    assert criteria(f"{heading}\n\n- [x] AC1. One\n- [ ] Two\n") == [
        ("AC1. One", True),
        ("Two", False),
    ]


def test_criteria_may_be_numbered() -> None:
    assert criteria("## Acceptance Criteria\n1. One\n   goes on\n   - detail\n2. **Two**\n") == [
        ("One goes on", False),
        ("Two", False),
    ]


def test_check_boxes_below_sub_headings_are_all_criteria() -> None:
    text = "## Acceptance Criteria\n### Must\n- [x] a\n### Should\n- [ ] b\n**Notes:**\n- c\n"
    assert criteria(text) == [("a", True), ("b", False)]


def test_check_boxes_below_a_numbered_heading_carry_its_label() -> None:
    text = "## Acceptance Criteria\n### AC1: Login\n- [x] token\n- [ ] AC1b. expiry\n"
    assert criteria(text)[0] == ("AC1: token", True)


def test_a_numbered_heading_without_check_boxes_is_a_criterion() -> None:
    text = (
        "## Acceptance Criteria\n### AC1: Login works\n- detail\n### AC2: Logout works ✅\nText.\n"
    )
    assert criteria(text) == [("AC1: Login works", False), ("AC2: Logout works ✅", True)]


def test_labelled_paragraphs_are_criteria() -> None:
    text = "## Acceptance Criteria\n\n**AC1:** One\n\n**AC2:** Two\n"
    assert criteria(text) == [("AC1: One", False), ("AC2: Two", False)]


def test_a_scenario_is_one_criterion() -> None:
    text = """\
        ## Acceptance Criteria
        ```gherkin
        Background:
          Given a database

        Scenario: Bad password
          Given a user
          When the password
            is wrong
          Then the answer is 401
          And it is logged
        ```
        """
    assert criteria(text) == [
        (
            "Bad password: Given a user, When the password is wrong, "
            "Then the answer is 401, And it is logged",
            False,
        )
    ]


def test_scenarios_without_headers_begin_at_each_given() -> None:
    text = """\
        ## Critérios de Aceitação
        - **Dado** um usuário
        - **Quando** entra
        - **Então** vê a lista
        - **Dado** um convidado
        - **Então** vê o login
        """
    assert [text for text, _ in criteria(text)] == [
        "Dado um usuário, Quando entra, Então vê a lista",
        "Dado um convidado, Então vê o login",
    ]


def test_a_heading_may_name_the_scenario() -> None:
    text = "## Acceptance Criteria\n### Scenario 1: Login\nGiven a\nWhen b\nThen c\n"
    assert [text for text, _ in criteria(text)] == ["Login: Given a, When b, Then c"]


def test_criteria_may_be_a_table() -> None:
    text = """\
        ## Acceptance Criteria
        | # | Criterion | Done |
        |---|-----------|------|
        | AC1 | Works | ✅ |
        | AC2 | Is fast | |
        """
    assert criteria(text) == [("AC1: Works", True), ("AC2: Is fast", False)]


def test_placeholders_are_no_criteria() -> None:
    assert criteria("## Acceptance Criteria\n- [ ] {criterion}\n- [ ] [AC 2]\n- [ ] Real\n") == [
        ("Real", False)
    ]


def test_a_criterion_has_the_place_of_its_item() -> None:
    text, (place,) = mark("## Acceptance Criteria\n\n«- [ ] One\n  goes on»\n\ntext\n")
    assert parse(text).document.criteria[0].span == place


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- src/a.ts", ("src/a.ts", "")),
        ("- `src/a.ts` (new)", ("src/a.ts", "new")),
        ("- `src/a.ts` - what it does", ("src/a.ts", "what it does")),
        ("- [docs/a.md](../docs/a.md)", ("docs/a.md", "")),
        ("- [the guide](docs/a.md) (modify)", ("docs/a.md", "modify")),
        ("- [pro](../../../pro)", ("pro", "")),
        ("- [x] `a.py` – done", ("a.py", "done")),
        ("- Created: `a.py`", ("a.py", "new")),
        ("- NEW src/a.py", ("src/a.py", "new")),
        ("1. a.py", ("a.py", "")),
        ("- Makefile", ("Makefile", "")),
        ("- .gitignore (modified)", (".gitignore", "modified")),
    ],
)
def test_a_file_is_written_in_many_ways(line: str, expected: tuple[str, str]) -> None:
    assert files(f"## File List\n\n{line}\n") == [expected]


@pytest.mark.parametrize("line", ["- None", "- TBD", "- No files were changed", "text a.py"])
def test_what_is_no_file(line: str) -> None:
    assert files(f"## File List\n\n{line}\n") == []


@pytest.mark.parametrize(
    "heading",
    [
        "## File List",
        "## 📁 File List",
        "## 📁 Files Modified",
        "### Files Modified",
        "## Dev Agent Record\n### File List",
        "**File List:**",
        "## Lista de Arquivos",
    ],
)
def test_file_lists_stand_below_many_headings(heading: str) -> None:
    assert files(f"{heading}\n- a.py\n") == [("a.py", "")]


def test_a_sub_heading_says_what_happened_to_files_without_a_note() -> None:
    text = """\
        ### File List
        #### Created
        - a.py
        - b.py (with tests)
        **Modified:**
        - c.py

        Deleted:
        - d.py
        """
    assert files(text) == [
        ("a.py", "new"),
        ("b.py", "with tests"),
        ("c.py", "modified"),
        ("d.py", "deleted"),
    ]


def test_files_may_be_a_table() -> None:
    text = """\
        ## Files Modified
        | # | File | Note | Action |
        |---|------|------|--------|
        | 1 | `a.py` | big | New |
        | 2 | b.py | | |
        """
    assert files(text) == [("a.py", "New"), ("b.py", "")]


def test_several_lists_name_each_file_once() -> None:
    text = "## File List\n- a.py\n- b.py\n## Files Modified\n- a.py (new)\n- c.py\n"
    assert files(text) == [("b.py", ""), ("a.py", "new"), ("c.py", "")]


def test_a_file_has_the_place_of_its_path() -> None:
    text, (place,) = mark("## File List\n- [`«src/a.ts»`](../src/a.ts) (new)\n")
    assert parse(text).document.files[0].span == place


def test_the_assignment_names_executor_and_quality_gate() -> None:
    story = read("""\
        ## Executor Assignment
        ```yaml
        executor: "@dev"
        quality_gate: "@architect"
        quality_gate_tools: [code_review]
        ```
        """)
    assert [agent.value for agent in story.agent_mentions] == ["dev", "architect"]


def test_a_label_names_epic_and_executor() -> None:
    story = read("# Story 1.1: X\n**Epic:** E6 - Foo | **Executor:** @qa\n")
    assert (story.epic, story.executor) == ("E6 - Foo", "qa")


@given(hostile_texts)
def test_any_text_gives_items_inside_it(text: str) -> None:
    story, problems = parse(text)
    assert not problems
    for item in story.criteria:
        assert 0 <= item.span.start <= item.span.end <= len(text)
    for file in story.files:
        assert file.span.cut(text) == file.path


@pytest.mark.parametrize(
    ("name", "state", "criteria_count", "file_count"),
    [
        ("STORY-123.1-pro-sync-automation.md", "in_review", 4, 8),
        ("STORY-123.2-aiox-pro-alignment-and-update-flow.md", "in_review", 4, 21),
        ("STORY-123.5-installer-update-recovery-and-brownfield-safety.md", "done", 6, 16),
    ],
)
def test_real_stories_are_read_whole(
    name: str, state: str, criteria_count: int, file_count: int
) -> None:
    text = (corpus() / "aiox/docs/stories/epic-123" / name).read_text(encoding="utf-8")
    story = parse(text).document
    assert story.id == name[6:11]
    assert (story.state, len(story.criteria), len(story.files)) == (
        state,
        criteria_count,
        file_count,
    )
    assert all(item.checked for item in story.criteria)
    assert not any(file.path.startswith(("/", "../", "[")) for file in story.files)
