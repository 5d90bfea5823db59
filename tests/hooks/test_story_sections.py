"""An agent that may change some sections of stories is held to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hooks.hook_clients import Claude, told
from tests.trees import TEAM, write_tree

STORY = """\
# Story 1.1

## Acceptance Criteria

- [ ] It works

## QA Results

None yet.

### Gate

Open.

## File List

- a.py
"""
PATH = "docs/stories/1.1.story.md"
ONLY = 'AGENT_QA_AUTH_0=ONLY modify "QA Results" section in stories\n'


def qa(root: Path, mode: str = "enforce", rules: str = ONLY) -> Claude:
    files = {
        **TEAM,
        ".synapse/config.toml": f"[guard]\nmode = '{mode}'\n",
        ".synapse/agent-dev": rules.replace("AGENT_QA", "AGENT_DEV"),
        PATH: STORY,
    }
    agent = Claude(write_tree(root, files))
    agent.prompt("@dev go on")
    return agent


def use(agent: Claude, name: str, **given: Any) -> dict[str, Any]:
    return agent.send("PreToolUse", tool_name=name, tool_input={"file_path": PATH, **given})


def decision(reply: dict[str, Any]) -> str:
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", "allow"))


INSIDE = [
    ("Edit", {"old_string": "None yet.", "new_string": "PASS\n\n### Notes\n\nGood."}),
    ("Edit", {"old_string": "Open.\n", "new_string": "Closed.\n"}),
    ("Write", {"content": STORY.replace("None yet.", "PASS")}),
    ("Write", {"content": STORY.replace("None yet.", "PASS").replace("\n", "\r\n")}),
    ("MultiEdit", {"edits": [{"old_string": "Open.", "new_string": "a"},
                             {"old_string": "None yet.", "new_string": "b"}]}),
    ("str_replace_based_edit_tool", {"command": "insert", "insert_line": 8, "insert_text": "PASS"}),
    ("Write", {"content": STORY}),
]  # fmt: skip
OUTSIDE = [
    ("Edit", {"old_string": "It works", "new_string": "It may work"}),
    ("Edit", {"old_string": "- [ ] It", "new_string": "- [x] It"}),
    ("Edit", {"old_string": "## QA Results\n\nNone yet.", "new_string": "## Other\n\nPASS"}),
    ("Edit", {"old_string": "# Story 1.1\n", "new_string": "# Story 1.1\n\n# QA Results\n"}),
    ("Edit", {"old_string": "None yet.", "new_string": "```\nPASS"}),
    ("Edit", {"old_string": "None yet.", "new_string": "PASS\n\n## Verdict\n\nx"}),
    ("Write", {"content": "## QA Results\n\nPASS\n"}),
    ("MultiEdit", {"edits": [{"old_string": "Open.", "new_string": "a"},
                             {"old_string": "It works", "new_string": "b"}]}),
]  # fmt: skip
UNKNOWN = [
    ("Edit", {"old_string": "not in it", "new_string": "x"}),
    ("Edit", {"old_string": "## ", "new_string": "# "}),
    ("Edit", {"instructions": "make it pass"}),
    ("Write", {"content": 3}),
    ("MultiEdit", {"edits": ["x"]}),
]


@pytest.mark.parametrize(("name", "given"), INSIDE)
def test_the_section_may_be_changed(name: str, given: dict[str, Any], tmp_path: Path) -> None:
    assert use(qa(tmp_path), name, **given) == {}


@pytest.mark.parametrize(("name", "given"), OUTSIDE)
def test_the_rest_may_not(name: str, given: dict[str, Any], tmp_path: Path) -> None:
    reply = use(qa(tmp_path), name, **given)
    assert decision(reply) == "deny"
    assert "QA Results" in reply["hookSpecificOutput"]["permissionDecisionReason"]


@pytest.mark.parametrize(("name", "given"), UNKNOWN)
def test_what_cannot_be_told_is_asked(name: str, given: dict[str, Any], tmp_path: Path) -> None:
    assert decision(use(qa(tmp_path), name, **given)) == "ask"


def test_where_it_warns_the_agent_is_told(tmp_path: Path) -> None:
    agent = qa(tmp_path, "warn")
    reply = use(agent, "Edit", old_string="None yet.", new_string="PASS")
    assert reply == {}
    reply = use(agent, "Edit", old_string="It works", new_string="x")
    assert decision(reply) == "allow"
    reply.pop("systemMessage")
    assert "AGENT_DEV_AUTH_0" in told(reply)


def test_where_it_is_off_nothing_is_said(tmp_path: Path) -> None:
    assert use(qa(tmp_path, "off"), "Edit", old_string="It works", new_string="x") == {}


def test_a_story_is_neither_made_nor_removed(tmp_path: Path) -> None:
    agent = qa(tmp_path)
    tool = {"file_path": "docs/stories/2.1.story.md", "content": STORY}
    assert decision(agent.send("PreToolUse", tool_name="Write", tool_input=tool)) == "deny"
    for command, said in (
        (f"rm {PATH}", "deny"),
        (f"sed -i s/a/b/ {PATH}", "ask"),
        (f"cat {PATH}", "allow"),
    ):
        tool = {"command": command}
        assert decision(agent.send("PreToolUse", tool_name="Bash", tool_input=tool)) == said


def test_other_files_are_as_free_as_before(tmp_path: Path) -> None:
    agent = qa(tmp_path)
    for path in ("docs/guide.md", "src/a.py", "docs/stories/data.yaml"):
        tool = {"file_path": path, "content": "x"}
        assert agent.send("PreToolUse", tool_name="Write", tool_input=tool) == {}


def test_sections_of_several_boundaries_and_check_boxes(tmp_path: Path) -> None:
    agent = qa(
        tmp_path,
        rules="AGENT_QA_AUTH_0=ALLOWED: Story file updates (File List, checkboxes, Dev Agent Record sections only)\n"
        "AGENT_QA_AUTH_1=BLOCKED: Story file updates (AC, scope, title) — @po only\n",
    )
    assert use(agent, "Edit", old_string="- [ ] It", new_string="- [x] It") == {}
    assert use(agent, "Edit", old_string="- a.py", new_string="- a.py\n- b.py") == {}
    reply = use(agent, "Edit", old_string="It works", new_string="x")
    assert decision(reply) == "deny"


def test_a_rule_may_name_files_and_sections_itself(tmp_path: Path) -> None:
    agent = qa(
        tmp_path, rules='AGENT_QA_DENY_0=write docs/**/*.md outside "QA Results", "File List"\n'
    )
    assert use(agent, "Edit", old_string="- a.py", new_string="- b.py") == {}
    reply = use(agent, "Edit", old_string="It works", new_string="x")
    assert decision(reply) == "deny"
    said = reply["hookSpecificOutput"]["permissionDecisionReason"]
    assert "lets @dev change only “QA Results”, “File List” in docs/**/*.md" in said


@pytest.mark.parametrize(
    ("hunk", "said"),
    [
        ("@@\n-None yet.\n+PASS", "allow"),
        ("@@\n-- [ ] It works\n+- [x] It", "deny"),
        ("@@\n-x\n+y", "ask"),
    ],
)
def test_a_patch_is_read(hunk: str, said: str, tmp_path: Path) -> None:
    agent = qa(tmp_path)
    patch = f"*** Begin Patch\n*** Update File: {PATH}\n{hunk}\n*** End Patch"
    reply = agent.send("PreToolUse", tool_name="apply_patch", tool_input={"input": patch})
    assert decision(reply) == said


def test_what_may_be_changed_among_other_things_forbids_nothing(tmp_path: Path) -> None:
    agent = qa(
        tmp_path, rules="AGENT_QA_AUTH_0=ALLOWED: Story updates (QA Results section) — @po only\n"
    )
    assert use(agent, "Edit", old_string="It works", new_string="x") == {}
