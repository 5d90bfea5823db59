"""The active task and its story, from their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.engine.active_task import TaskFacts, find_story_path
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.task_cache import load_task_facts
from tests.trees import TEAM, write_tree

TASK = """\
    # Build the login

    ```yaml
    task: buildLogin()
    responsável: Dex
    responsavel_type: Humano
    story: STORY-42

    **Checklist:**
      pre-conditions:
        - [x] Story is ready
          blocker: true
      acceptance-criteria:
        - [ ] It works
    ```
    """
STORY = """\
    # Story 42: Login

    **Status:** In Progress

    ## Acceptance Criteria

    - [x] AC1. A token is returned
    - [ ] AC2. It expires

    ## File List

    - `src/login.ts` (new)
    """
FILES = {
    **TEAM,
    ".aiox-core/development/tasks/build-login.md": TASK,
    "docs/stories/epic-1/STORY-42-login.md": STORY,
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "tree", FILES)


def plan(root: Path) -> Plan:
    return load_plan(str(root)).plan


def told(root: Path, task: str, story: str = "") -> TaskFacts:
    return load_task_facts(plan(root), task, story)


def test_a_task_brings_the_story_it_names(root: Path) -> None:
    facts = told(root, "build-login")
    assert facts.executor == "Humano"
    assert facts.preconditions == (("Story is ready", True),)
    assert [ticked for _, ticked in facts.criteria] == [True, False]
    assert facts.files == (("src/login.ts", "new"),)
    assert facts.story_path == "docs/stories/epic-1/STORY-42-login.md"


def test_a_story_alone_is_enough(root: Path) -> None:
    assert told(root, "", "STORY-42").files == (("src/login.ts", "new"),)
    assert told(root, "STORY-42").files == (("src/login.ts", "new"),)


def test_a_task_nobody_has_a_file_for_is_told_about(root: Path) -> None:
    facts = told(root, "unheard-of")
    assert (facts.id, facts.path, bool(facts.problem)) == ("unheard-of", "", True)


def test_an_edited_story_is_read_again(root: Path) -> None:
    told(root, "build-login")
    story = root / "docs" / "stories" / "epic-1" / "STORY-42-login.md"
    story.write_text(story.read_text().replace("- [ ] AC2", "- [x] AC2"))
    assert [ticked for _, ticked in told(root, "build-login").criteria] == [True, True]


def test_a_story_that_is_written_later_is_found(root: Path) -> None:
    story = root / "docs" / "stories" / "epic-1" / "STORY-42-login.md"
    text = story.read_text()
    story.unlink()
    assert told(root, "build-login").story_path == ""
    story.write_text(text)
    assert told(root, "build-login").story_path


def test_a_link_out_of_the_workspace_is_not_read(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("# Story 42: x\n\n## Acceptance Criteria\n\n- [ ] secret\n")
    story = root / "docs" / "stories" / "epic-1" / "STORY-42-login.md"
    story.unlink()
    story.symlink_to(secret)
    assert "secret" not in str(told(root, "build-login", "STORY-42").criteria)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("STORY-123.1", "docs/STORY-123.1-sync.md"),
        ("123.1", "docs/STORY-123.1-sync.md"),
        ("story_123_1", "docs/STORY-123.1-sync.md"),
        ("docs/STORY-123.1-sync.md", "docs/STORY-123.1-sync.md"),
        ("./docs/STORY-123.1-sync.md", "docs/STORY-123.1-sync.md"),
        ("STORY-123.10", "docs/STORY-123.10-other.md"),
        ("123", ""),
        ("", ""),
    ],
)
def test_a_name_means_one_file(written: str, path: str) -> None:
    known = {
        "STORY-123.1-sync": "docs/STORY-123.1-sync.md",
        "STORY-123.10-other": "docs/STORY-123.10-other.md",
    }
    assert find_story_path(known, written) == path
