"""What a person can choose a situation from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from synapse_ls.live.disk_queries import query_choices
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.queries.report_model import to_json

SHOWCASE = Path(__file__).parent.parent / "workspaces" / "showcase"


def choices(root: Path) -> dict[str, Any]:
    tree = LiveTree(str(root))
    tree.load()
    found: dict[str, Any] = to_json(query_choices(tree))
    return found


def tree(folder: Path, **files: str) -> Path:
    for name, text in {"manifest": "", **files}.items():
        path = folder / ".synapse" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_the_brackets_come_with_what_they_allow() -> None:
    rows = choices(SHOWCASE)["brackets"]
    assert [row["name"] for row in rows] == ["FRESH", "MODERATE", "DEPLETED", "CRITICAL"]
    assert [row["floor"] for row in rows] == [60.0, 40.0, 25.0, 0.0]
    assert rows[0]["budget"] < rows[-1]["budget"]


def test_agents_come_with_their_titles() -> None:
    assert {"id": "qa", "title": "Quality Engineer"} in choices(SHOWCASE)["agents"]


def test_a_workflow_has_the_phases_that_its_rules_can_be_for() -> None:
    (workflow,) = choices(SHOWCASE)["workflows"]
    assert workflow["id"] == "story-development"
    assert "qa_review" in workflow["phases"]


def test_tasks_stories_and_squads_are_known_by_their_ids() -> None:
    found = choices(SHOWCASE)
    assert {one["id"] for one in found["tasks"]} == {"implement-refund-webhook", "reconcile-day"}
    assert found["stories"] == [{"id": "STORY-42", "title": "Refund webhook"}]
    assert [one["id"] for one in found["squads"]] == [
        "card-data-squad", "partner-squad", "settlement-squad",
    ]  # fmt: skip


def test_what_only_a_trigger_names_can_be_chosen_too(tmp_path: Path) -> None:
    found = choices(
        tree(
            tmp_path,
            manifest="OPS_AGENT_TRIGGER=ops\nSHIP_WORKFLOW_TRIGGER=ship_it\n",
            ops="OPS_RULE_0=Watch the graphs",
            ship="SHIP_RULE_0=Tag the release",
        )
    )
    assert found["agents"] == [{"id": "ops", "title": ""}]
    assert [one["id"] for one in found["workflows"]] == ["ship_it"]


def test_one_that_is_spelled_in_two_ways_is_one() -> None:
    ids = [one["id"] for one in choices(SHOWCASE)["workflows"]]
    assert ids == ["story-development"]


def test_a_new_rule_can_belong_to_a_command_or_an_article() -> None:
    found = choices(SHOWCASE)
    assert [one["id"] for one in found["commands"]][:2] == ["brief", "plan"]
    assert found["articles"][0] == {"id": "1", "title": "CLI First (NON-NEGOTIABLE)"}


def test_a_tree_without_a_constitution_has_no_articles(tmp_path: Path) -> None:
    found = choices(tree(tmp_path))
    assert found["commands"] == found["articles"] == []
