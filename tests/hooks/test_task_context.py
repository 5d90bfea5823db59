"""A task comes into context with what its own file asks for beside what its story does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.hooks.hook_clients import Claude, Scripted
from tests.hooks.test_work_of_a_session import FILES
from tests.support import corpus
from tests.trees import write_tree

TASK = """\
    # Develop

    ```yaml
    task: develop()
    responsável: Dex
    responsavel_type: Agente
    ```

    ## Pre-Conditions

    ```yaml
    pre-conditions:
      - [x] A story is there
        tipo: pre-condition
    ```

    ## Post-Conditions

    ```yaml
    post-conditions:
      - [ ] The suite passes
        tipo: post-condition
        error_message: "Post-condition failed"
    ```

    ## Acceptance Criteria

    ```yaml
    acceptance-criteria:
      - [ ] Sync works
        tipo: acceptance-criterion
      - [ ] Side effects are documented
        tipo: acceptance-criterion
    ```

    ## File List

    - CHANGELOG.md (modify)
    - src/sync.py
    """
STORY = """\
    # Story 1.1: Sync

    **Status:** In Progress

    ## Acceptance Criteria

    - [x] Sync works

    ## File List

    - src/sync.py (new)
    """
TREE = {
    **FILES,
    ".aiox-core/development/tasks/dev-develop-story.md": TASK,
    "docs/stories/STORY-1.1-sync.md": STORY,
}
CONTEXT = """\
[TASK CONTEXT]
  Active Task: dev-develop-story
  Story: 1.1
  Executor: @dev (Agente)
  Pre-conditions:
    [x] A story is there
  Post-conditions:
    [ ] The suite passes
  Acceptance Criteria:
    - [x] Sync works
    - [ ] Side effects are documented
  File List:
    - src/sync.py (new)
    - CHANGELOG.md (modify)
"""


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Scripted(write_tree(tmp_path / "tree", TREE))


def test_conditions_criteria_and_files_of_the_task_stand_beside_those_of_its_story(
    client: Scripted,
) -> None:
    assert CONTEXT in client.prompt("@dev *develop 1.1")


def test_a_story_without_lists_leaves_those_of_the_task(client: Scripted) -> None:
    write_tree(client.root, {"docs/stories/STORY-1.1-sync.md": "# Story 1.1: Sync\n"})
    text = client.prompt("@dev *develop 1.1")
    assert "    - [ ] Sync works\n    - [ ] Side effects are documented\n" in text
    assert "    - CHANGELOG.md (modify)\n    - src/sync.py\n" in text


def test_a_condition_that_goes_is_revoked_by_its_words(client: Scripted) -> None:
    client.prompt("@dev *develop 1.1")
    changed = TASK.replace("The suite passes", "The suite is green")
    write_tree(client.root, {".aiox-core/development/tasks/dev-develop-story.md": changed})
    text = client.prompt("go on")
    assert "TASK CONTEXT: no longer applies: “[ ] The suite passes”" in text
    assert "  Post-conditions:\n    [ ] The suite is green" in text


def test_conditions_that_all_go_are_revoked_as_such(client: Scripted) -> None:
    client.prompt("@dev *develop 1.1")
    left = TASK[: TASK.index("    ## Pre-Conditions")]
    write_tree(client.root, {".aiox-core/development/tasks/dev-develop-story.md": left})
    text = client.prompt("go on")
    assert "the conditions" in text
    assert "src/sync.py" not in text


def test_a_real_task_and_its_story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "aiox"
    shutil.copytree(corpus() / "aiox", root, copy_function=shutil.copyfile)
    shutil.rmtree(root / ".aiox")
    write_tree(root, {".synapse/config.toml": 'profile = "synapse-live"\n'})
    claude = Claude(root)
    claude.uses(110_000)
    text = claude.prompt("@dev *develop 123.1")
    text += told(claude, text)
    assert "  Post-conditions:\n    [ ] Task completed; exit code 0; expected outputs" in text
    assert "    - [ ] Task completed as expected; side effects documented" in text
    assert text.index("  Acceptance Criteria:") < text.index("side effects documented")


def told(claude: Claude, text: str) -> str:
    """What the tool events of the turn bring of a block that was too large."""
    if "more follow" not in text:
        return ""
    reply = claude.send("PostToolUse", tool_name="Read", tool_input={}, tool_response={})
    return str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))
