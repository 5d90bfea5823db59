"""Renaming a file changes what names it, and nothing else."""

from __future__ import annotations

import pytest

from synapse_ls.ide.rename import plan_file_renames
from synapse_ls.workspace.edit_plan import EDIT, MOVE
from tests.ide.views import STATE
from tests.trees import TEAM, Files, tree_of

SQUAD = "squads/web-squad"
FILES: Files = {
    **TEAM,
    ".synapse/global": "GLOBAL_RULE_0=Ask @dev, see .synapse/testing\n",
    ".claude/agents/dev.md": "---\nname: dev\n---\n",
    ".aiox-core/development/tasks/count.md": "---\ntask: Count\nstory: login\n---\n",
    ".aiox-core/development/workflows/w.yaml": (
        "workflow:\n  id: w\n  sequence:\n    - {step: a, agent: dev, task: count.md}\n"
    ),
    "docs/stories/login.md": "# Login\n",
    ".synapse/config.toml": '[paths]\nstories = ["docs/stories"]\n',
    f"{SQUAD}/squad.yaml": (
        "name: web-squad\nversion: 1.0.0\ncomponents:\n  agents: [lead.md]\n  checklists: [ship.md]\n"
    ),
    f"{SQUAD}/.synapse/manifest": "WEB_EXTENDS=extend\nPAGES_STATE=active\n",
    f"{SQUAD}/agents/lead.md": "```yaml\nagent:\n  id: team-lead\n```\n",
    f"{SQUAD}/checklists/ship.md": "# Ship\n",
}


def followed(*moves: tuple[str, str]) -> dict[str, list[str]]:
    """Path -> the texts that are put in; every change is an edit at the old path."""
    plan, refused = plan_file_renames(tree_of(FILES), moves)
    assert not refused
    assert all(change.action == EDIT for change in plan.edits)
    return {change.path: [edit.new_text for edit in change.edits] for change in plan.edits}


def test_a_rule_file_renames_its_domain() -> None:
    assert followed((".synapse/testing", ".synapse/checks")) == {
        ".synapse/manifest": ["CHECKS"] * 3,
        ".synapse/testing": ["CHECKS"] * 2,
        ".synapse/global": [".synapse/checks"],
    }


def test_another_ending_or_spelling_is_no_other_domain() -> None:
    assert followed((".synapse/agent-dev", ".synapse/agent_dev.md")) == {}


def test_an_agents_file_renames_the_agent() -> None:
    found = followed((".claude/agents/dev.md", ".claude/agents/builder.md"))
    assert found == {
        ".aiox-core/development/workflows/w.yaml": ["builder"],
        ".claude/agents/dev.md": ["builder"],
        ".synapse/global": ["builder"],
        ".synapse/manifest": ["builder"],
    }


def test_a_file_that_is_not_the_agents_name_is_only_listed_otherwise() -> None:
    found = followed((f"{SQUAD}/agents/lead.md", f"{SQUAD}/agents/head.md"))
    assert found == {f"{SQUAD}/squad.yaml": ["head.md"]}


def test_a_component_is_listed_under_its_new_name() -> None:
    found = followed((f"{SQUAD}/checklists/ship.md", f"{SQUAD}/checklists/go.md"))
    assert found == {f"{SQUAD}/squad.yaml": ["go.md"]}


def test_a_squads_folder_renames_the_squad() -> None:
    assert followed((SQUAD, "squads/site-squad")) == {
        f"{SQUAD}/.synapse/manifest": ["SITE"],
        f"{SQUAD}/squad.yaml": ["site-squad"],
    }


def test_a_file_that_carries_its_squads_prefix_gets_the_new_one_where_it_still_is() -> None:
    home = f"{SQUAD}/.synapse"
    files = {
        **FILES,
        f"{home}/manifest": "WEB_PAGES_STATE=active\n",
        f"{home}/web-pages": "WEB_PAGES_RULE_0=Title each page\n",
    }
    plan, refused = plan_file_renames(tree_of(files), [(SQUAD, "squads/site-squad")])
    assert not refused
    found = {change.path: change for change in plan.edits}
    assert found[f"{home}/web-pages"].target == f"{home}/site-pages"
    assert found[f"{home}/web-pages"].after.startswith("SITE_PAGES_RULE_0")
    assert found[f"{home}/manifest"].action == EDIT
    assert all(change.action != MOVE for change in plan.edits)


def test_a_task_and_a_story_are_named_otherwise() -> None:
    home = ".aiox-core/development/tasks"
    assert followed((f"{home}/count.md", f"{home}/count-all.md")) == {
        ".aiox-core/development/workflows/w.yaml": ["count-all"]
    }
    assert followed(("docs/stories/login.md", "docs/stories/sign-in.md")) == {
        f"{home}/count.md": ["sign-in"]
    }


def test_a_story_under_another_number_is_found_by_it() -> None:
    task, state = ".aiox-core/development/tasks/refund.md", ".aiox/s-state.yaml"
    old, new = "docs/stories/STORY-42-refund.md", "docs/stories/STORY-43-refund.md"
    files = {
        **FILES,
        task: "---\ntask: Refund\nstory: STORY-42\n---\n\nSTORY-42 is still a draft\n",
        state: f"{STATE}artifacts:\n  - {old}\n  - docs/stories/STORY-42-refund.md.bak\n",
        old: "# STORY-42: Refund\n\nSee STORY-42\n",
    }
    plan, refused = plan_file_renames(tree_of(files), [(old, new)])
    assert not refused
    assert {change.path: change.after for change in plan.edits} == {
        task: files[task].replace("story: STORY-42", "story: STORY-43"),
        state: files[state].replace(f"{old}\n", f"{new}\n"),
        old: files[old].replace("# STORY-42", "# STORY-43"),
    }


def test_a_story_that_gives_its_number_up_goes_by_its_file() -> None:
    task = ".aiox-core/development/tasks/refund.md"
    files = {
        **FILES,
        task: "---\ntask: Refund\nstory: '1.2'\n---\n",
        "docs/stories/1.2.story.md": "# Story 1.2: Refund\n",
    }
    plan, _ = plan_file_renames(
        tree_of(files), [("docs/stories/1.2.story.md", "docs/stories/refund.md")]
    )
    assert [(c.path, e.new_text) for c in plan.edits for e in c.edits] == [(task, "refund")]


def test_a_story_does_not_take_the_number_of_another() -> None:
    files = {
        **FILES,
        "docs/stories/7-a.md": "# Story 7: A\n",
        "docs/stories/8-b.md": "# Story 8: B\n",
    }
    plan, (reason,) = plan_file_renames(
        tree_of(files), [("docs/stories/7-a.md", "docs/stories/8-a.md")]
    )
    assert not plan
    assert "docs/stories/8-b.md is already the story 8" in reason


def test_a_folder_that_the_configuration_names_is_named_otherwise() -> None:
    assert followed(("docs/stories", "docs/tales")) == {".synapse/config.toml": ["docs/tales"]}


def test_several_at_once_make_one_change_of_each_file() -> None:
    found = followed(
        (".synapse/testing", ".synapse/checks"),
        (".claude/agents/dev.md", ".claude/agents/builder.md"),
    )
    assert sorted(found[".synapse/manifest"]) == ["CHECKS"] * 3 + ["builder"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (".synapse/testing", ".synapse/global", "fixed meaning"),
        (".synapse/testing", ".synapse/docs", "already declares DOCS"),
        (".claude/agents/dev.md", ".claude/agents/The Dev.md", "cannot name an agent"),
    ],
)
def test_what_cannot_be_followed_changes_nothing_and_says_why(
    old: str, new: str, says: str
) -> None:
    plan, (reason,) = plan_file_renames(tree_of(FILES), [(old, new)])
    assert not plan
    assert reason.startswith(f"{old}: ")
    assert says in reason
