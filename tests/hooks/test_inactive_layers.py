"""What a prompt asks for and its layer cannot give in this bracket: a line says so, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations import hook_event
from tests.hooks.hook_clients import Scripted
from tests.hooks.test_work_of_a_session import FILES, PATTERNS
from tests.trees import TEAM, write_tree

TREE = {
    **TEAM,
    **{path: text for path, text in FILES.items() if not path.startswith(".synapse/")},
    ".synapse/manifest": f"{TEAM['.synapse/manifest']}        API_STATE=active\n        API_PATHS=src/**\n",
    ".synapse/api": "API_RULE_0=Version it\n",
    ".aiox-core/data/workflow-patterns.yaml": PATTERNS,
    "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
    "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=One step after the other\n",
    "src/app.py": "",
}
LIVE = "`synapse profile use synapse-live` makes it active"
WORKER = "# Task\n\n```yaml\ntask: work()\nresponsável: build\nresponsavel_type: Worker\n```\n"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Scripted(write_tree(tmp_path / "tree", TREE))


def about_inactive(text: str) -> list[str]:
    """The lines of a reply that are about inactive layers."""
    return [line.strip() for line in text.splitlines() if "not in context" in line]


@pytest.mark.parametrize(
    ("prompt", "name", "layer"),
    [
        ("write a unit test", 'TESTING ("unit test")', "L6"),
        ("fix the pipeline", 'ETL_PIPELINE ("pipeline")', "L5"),
        ("look at src/app.py", 'API ("src/app.py")', "L6"),
        ("@dev *develop 1.1", "the task dev-develop-story of story 1.1", "L4"),
    ],
)
def test_what_a_prompt_asks_for_in_vain_is_named_with_its_remedy(
    client: Scripted, prompt: str, name: str, layer: str
) -> None:
    assert about_inactive(client.prompt(prompt)) == [
        f"{name}: not in context, since {layer} is inactive in FRESH until MODERATE "
        f"(40–60% of the window left); {LIVE}"
    ]


def test_a_workflow_of_typed_commands_is_named(client: Scripted) -> None:
    client.prompt("@dev *validate 1.1")
    (line, _) = about_inactive(client.prompt("*develop 1.1"))
    assert line.startswith("the workflow story_development: not in context, since L3 is inactive")


def test_several_domains_of_a_layer_share_a_line(client: Scripted) -> None:
    (line,) = about_inactive(client.prompt("a unit test for the readme"))
    assert line.startswith('TESTING ("unit test") and DOCS ("readme"): not in context, since L6')


def test_each_of_them_is_named_once_in_a_window(client: Scripted) -> None:
    assert len(about_inactive(client.prompt("write a unit test"))) == 1
    assert client.prompt("another unit test") == ""
    (line,) = about_inactive(client.prompt("a unit test for the readme"))
    assert line.startswith('DOCS ("readme"): ')
    assert client.prompt("go on") == ""


def test_a_window_that_begins_anew_names_them_again(client: Scripted) -> None:
    client.prompt("write a unit test")
    client.send(hook_event.SESSION_START, source="clear")
    assert len(about_inactive(client.prompt("another unit test"))) == 1


def test_what_comes_into_context_later_takes_nothing_back(client: Scripted) -> None:
    client.prompt("write a unit test")
    client.figures = {"used": 110_000, "window": 200_000}
    text = client.prompt("another unit test")
    assert "Arrange, act, assert" in text
    assert "WITHDRAWN" not in text or "NOTICE" not in text


def test_what_came_while_its_layer_was_active_is_in_context(client: Scripted) -> None:
    own = (
        '[profiles.ours]\nextends = "synapse"\n[profiles.ours.brackets.DEPLETED]\nlayers = ["L0"]\n'
    )
    write_tree(client.root, {".synapse/config.toml": f'profile = "ours"\n\n{own}'})
    client.figures = {"used": 90_000, "window": 200_000}
    assert "Arrange, act, assert" in client.prompt("write a unit test")
    client.figures = {"used": 130_000, "window": 200_000}
    assert about_inactive(client.prompt("another unit test")) == []
    (line,) = about_inactive(client.prompt("the readme"))
    assert line.startswith('DOCS ("readme"): not in context, since L6 is inactive in DEPLETED')


def test_what_is_active_is_not_named(client: Scripted) -> None:
    write_tree(client.root, {".synapse/config.toml": 'profile = "synapse-live"\n'})
    assert about_inactive(client.prompt("@dev *develop 1.1 with a unit test")) == []


def test_what_no_word_of_the_prompt_asks_for_is_not_named(client: Scripted) -> None:
    client.tool("src/app.py")
    assert about_inactive(client.prompt("hello")) == []


def test_a_command_that_the_executor_does_not_get_is_named(client: Scripted) -> None:
    write_tree(client.root, {".aiox-core/development/tasks/dev-develop-story.md": WORKER})
    client.prompt("@dev *develop 1.1")
    (line,) = about_inactive(client.prompt("*brief me"))
    assert line == "*brief: not in context, since L7 is inactive for an executor of type Worker"


def test_a_profile_of_the_tree_names_its_own_setting(client: Scripted) -> None:
    own = '[profiles.ours]\nextends = "synapse"\n'
    write_tree(client.root, {".synapse/config.toml": f'profile = "ours"\n\n{own}'})
    (line,) = about_inactive(client.prompt("write a unit test"))
    assert line.endswith(
        '"L6" in the layers of [profiles.ours.brackets.FRESH] of .synapse/config.toml makes it active'
    )
