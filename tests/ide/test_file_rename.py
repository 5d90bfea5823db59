"""Renaming a file changes what names it, and nothing else."""

from __future__ import annotations

import pytest

from synapse_ls.ide.file_rename import follow
from synapse_ls.manage.plan import EDIT
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
    plan, refused = follow(tree_of(FILES), moves)
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


def test_a_task_and_a_story_are_named_otherwise() -> None:
    home = ".aiox-core/development/tasks"
    assert followed((f"{home}/count.md", f"{home}/count-all.md")) == {
        ".aiox-core/development/workflows/w.yaml": ["count-all"]
    }
    assert followed(("docs/stories/login.md", "docs/stories/sign-in.md")) == {
        f"{home}/count.md": ["sign-in"]
    }


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
    plan, (reason,) = follow(tree_of(FILES), [(old, new)])
    assert not plan
    assert reason.startswith(f"{old}: ")
    assert says in reason
