"""CARL v2 keeps everything in one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.setup.migrate import migration_run
from synapse_ls.setup.migrate.carl_conversion import convert_tree
from synapse_ls.setup.migrate.migration_plan import plan_migration
from synapse_ls.setup.migrate.migration_rollback import roll_back_migration
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG
from synapse_ls.workspace.tree_loader import load_tree
from tests.setup.migrate.trees import everything, write

NOW = 1_795_000_000.0
TREE: dict[str, Any] = {
    "version": 1,
    "config": {
        "devmode": True,
        "post_compact_gate": True,
        "global_exclude": ["just chatting"],
        "context_brackets": {
            "FRESH": {"enabled": True, "rules": ["Be brief"]},
            "DEPLETED": {"enabled": False, "rules": ["Sum up"]},
        },
        "commands": {"BRIEF": ["Three sentences"], "dev-mode": {"rules": ["Code first"]}},
    },
    "domains": {
        "GLOBAL": {"state": True, "always_on": True, "recall": [], "rules": [
            {"id": "rule-001", "text": "Read\nfirst", "added": "2026-01-02", "source": "manual"}]},
        "api": {"state": True, "recall": ["endpoint"], "exclude": ["frontend"], "rules": [
            {"id": "rule-007", "text": "Version every route"}], "decisions": [
            {"id": "d-1", "decision": "Use REST", "rationale": "simpler", "date": "2026-02-01", "status": "active"},
            {"id": "d-2", "decision": "Use SOAP", "status": "superseded"}]},
        "IDLE": {"state": False, "recall": ["idle"], "rules": ["Never told"]},
    },
    "staging": [{"id": "stg-001", "domain": "api", "text": "Maybe GraphQL"}],
}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "shop", ".carl/carl.json", json.dumps(TREE, indent=2).encode())
    return tmp_path / "shop"


def test_every_part_becomes_a_file(root: Path) -> None:
    texts = {path: found.text for path, found in convert_tree(root).texts.items()}
    assert texts[".synapse/manifest"] == (
        "# Domains, from .carl/carl.json\n\nDEVMODE=true\n\nGLOBAL_EXCLUDE=just chatting\n\n"
        "GLOBAL_STATE=active\n\nAPI_STATE=active\nAPI_RECALL=endpoint\nAPI_EXCLUDE=frontend\n\n"
        "IDLE_STATE=inactive\nIDLE_RECALL=idle\n"
    )
    assert "\nDEPLETED_RULES=false\nCONTEXT_RULE_DEPLETED_0=Sum up\n" in texts[".synapse/context"]
    assert "\nCRITICAL_RULES=false\nCONTEXT_RULE_CRITICAL_0=Sum up\n" in texts[".synapse/context"]
    assert "\nCOMMANDS_RULE_DEV_MODE_0=Code first\n" in texts[".synapse/commands"]


def test_what_is_known_of_a_rule_stands_above_it_and_decisions_become_rules(root: Path) -> None:
    texts = convert_tree(root).texts
    assert "# id rule-001, added 2026-01-02, source manual\nGLOBAL_RULE_0=Read first\n" in (
        texts[".synapse/global"].text
    )
    assert texts[".synapse/api"].text.endswith(
        "# decided 2026-02-01: d-1\nAPI_RULE_1=Use REST (simpler)\n"
    )


def test_what_has_no_counterpart_is_kept_to_be_read(root: Path) -> None:
    kept = {change.path: (change.after or b"").decode() for change in convert_tree(root).kept}
    assert (
        "## api: Use SOAP\n\n- id: d-2\n- status: superseded\n"
        in kept[".synapse/carl/decisions.md"]
    )
    assert "- stg-001 for api: Maybe GraphQL\n" in kept[".synapse/carl/staging.md"]
    assert json.loads(kept[".synapse/carl/carl.json"]) == TREE


def test_agents_are_told_the_same(root: Path) -> None:
    assert plan_migration(root).parity.differences == ()


def test_brackets_change_where_they_did(root: Path) -> None:
    migration_run.migrate_tree(root, NOW)
    tree = Tree(load_tree(str(root), LoadScope.ALL).index.snapshot())
    profile = compile_plan(tree, str(root)).profile
    assert [(b.name, b.floor) for b in profile.brackets] == [
        ("FRESH", 70),
        ("MODERATE", 40),
        ("DEPLETED", 15),
        ("CRITICAL", 0),
    ]
    facts = tree.snapshot.facts(CONFIG)
    assert facts is not None
    assert facts.problems == ()


def test_there_and_back(root: Path) -> None:
    before = everything(root)
    migration_run.migrate_tree(root, NOW)
    migration_run.finish_migration(root, NOW)
    roll_back_migration(root)
    assert everything(root) == before


def test_a_file_that_is_not_json_is_refused_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, ".carl/carl.json", b'{\n  "version": }\n')
    with pytest.raises(UserError, match=r"\.carl/carl\.json:2:14 "):
        convert_tree(tmp_path)
