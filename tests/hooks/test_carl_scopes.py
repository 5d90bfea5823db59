"""CARL v2 merges the ``carl.json`` of a tree with those of the folders above it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.session_file import SessionState
from synapse_ls.integrations.instruction_files import TARGETS, always_topics
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.lsp.convert import path_to_uri, uri_below
from synapse_ls.queries.context_question import Question, answer_question
from synapse_ls.setup.migrate.migration_plan import plan_migration
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.workspace.file_watching import linked_folders
from tests.lint.clean import check_disk
from tests.queries.test_same_bytes import Case, command_line, editor_panel, hook_of_claude, mcp_tool

OLD = 1_700_000_000


def carl(**said: Any) -> str:
    return json.dumps({"version": 1, **said}, indent=1) + "\n"


def always(*rules: str) -> dict[str, Any]:
    return {"state": "active", "always_on": True, "rules": [{"text": rule} for rule in rules]}


def waiting(word: str, *rules: str) -> dict[str, Any]:
    return {"state": "active", "recall": [word], "rules": list(rules)}


OWN = carl(
    config={
        "context_brackets": {"FRESH": {"rules": ["Own fresh"]}},
        "commands": {"ENCORE": ["Own encore"]},
    },
    domains={"GLOBAL": always("Own global"), "MIX": waiting("mix", "Own mix")},
)
HOUSE = carl(
    config={
        "devmode": True,
        "global_exclude": ["off the record"],
        "context_brackets": {
            "FRESH": {"rules": ["House fresh"]},
            "DEPLETED": {"rules": ["House depleted"]},
        },
        "commands": {"ENCORE": ["House encore"], "BRIEF": ["House brief"]},
    },
    domains={
        "HOUSE": always("House rule"),
        "GLOBAL": always("House global", "More of it"),
        "TOUR": waiting("venue", "House tour"),
    },
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def put(folder: Path, text: str) -> Path:
    """A ``carl.json`` that is old enough for a cached plan to hold."""
    file = folder / ".carl/carl.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (OLD, OLD))
    return folder


@pytest.fixture
def root(home: Path) -> Path:
    put(home, HOUSE)
    return put(home / "band", OWN)


def block(root: Path, prompt: str = "", **situation: Any) -> str:
    return answer_question(Question(str(root), prompt, **situation)).assembly.text


def test_domains_of_a_folder_above_are_told(root: Path) -> None:
    text = block(root, "at the venue")
    assert "House rule" in text
    assert "House tour" in text


def test_the_nearer_scope_replaces_a_whole_domain(root: Path) -> None:
    text = block(root)
    assert "Own global" in text
    assert "House global" not in text
    assert "More of it" not in text


def test_domains_come_in_the_order_of_the_outermost_scope(root: Path) -> None:
    labels = [domain.label for domain in load_plan(str(root)).plan.domains()]
    assert labels[:4] == ["HOUSE", "GLOBAL", "TOUR", "MIX"]


def test_the_nearest_of_several_counts(home: Path) -> None:
    put(home, carl(domains={"A": always("far"), "B": always("farthest")}))
    put(home / "code", carl(domains={"A": always("near")}))
    root = put(home / "code/band", carl(domains={"C": always("own")}))
    text = block(root)
    assert all(rule in text for rule in ("near", "farthest", "own"))
    assert "0. far\n" not in text


def test_a_bracket_is_replaced_as_a_whole_and_the_others_stay(root: Path) -> None:
    assert "Own fresh" in block(root)
    assert "House fresh" not in block(root)
    assert "1. House depleted" in block(root, remaining=20)


def test_the_bracket_is_told_once(root: Path) -> None:
    assert block(root).count("CONTEXT BRACKET:") == 1


def test_a_star_command_is_that_of_the_nearest_scope(root: Path) -> None:
    text = block(root, "*encore and *brief")
    assert "Own encore" in text
    assert "House encore" not in text
    assert text.count("House brief") == 1


def test_switches_are_those_of_the_nearest_scope_that_has_them(root: Path) -> None:
    assert "DEVMODE=true" in block(root)
    assert "GLOBAL EXCLUSION ACTIVE" in block(root, "off the record")
    put(root, OWN.replace('"config": {', '"config": {\n  "devmode": false,', 1))
    assert "DEVMODE=false" in block(root)


def test_every_rule_is_shown_with_its_own_file(root: Path) -> None:
    files = {domain.label: domain.file for domain in load_plan(str(root)).plan.domains()}
    assert files == {
        "HOUSE": "../.carl/carl.json",
        "GLOBAL": ".carl/carl.json",
        "TOUR": "../.carl/carl.json",
        "MIX": ".carl/carl.json",
        "COMMANDS": ".carl/carl.json",
        "COMMANDS (../.carl/carl.json)": "../.carl/carl.json",
        "CONTEXT": ".carl/carl.json",
        "CONTEXT (../.carl/carl.json)": "../.carl/carl.json",
    }


def test_everybody_gives_the_same_bytes(root: Path) -> None:
    case = Case("*brief at the venue", used=190_000)
    (text,) = {ask(root, case) for ask in (command_line, hook_of_claude, editor_panel, mcp_tool)}
    assert "House tour" in text


def test_a_tree_of_v1_takes_nothing_from_above(home: Path) -> None:
    put(home, HOUSE)
    folder = home / "old/.carl"
    folder.mkdir(parents=True)
    (folder / "manifest").write_text("GLOBAL_STATE=active\n")
    (folder / "global").write_text("GLOBAL_RULE_0=Own\n")
    assert "House" not in block(home / "old")


def test_a_plan_holds_while_no_scope_changes(root: Path) -> None:
    os.utime(root / ".carl", (OLD, OLD))
    load_plan(str(root))
    assert load_plan(str(root)).cached is not None


@pytest.mark.parametrize("change", ["edit", "remove", "appear"])
def test_a_change_above_makes_another_plan(root: Path, home: Path, change: str) -> None:
    os.utime(root / ".carl", (OLD, OLD))
    deep = root
    if change == "appear":
        deep = put(root / "stage", carl(domains={"DEEP": always("deep")}))
        (root / ".carl/carl.json").unlink()
    before = block(deep)
    if change == "edit":
        (home / ".carl/carl.json").write_text(HOUSE.replace("House rule", "Another rule"))
    elif change == "remove":
        (home / ".carl/carl.json").unlink()
    else:
        put(root, OWN)
    assert block(deep) != before


def test_what_is_refused_is_said(root: Path, home: Path) -> None:
    (home / ".carl/carl.json").chmod(0o666)
    found = load_plan(str(root))
    assert "House rule" not in block(root)
    remedy = "Run `chmod o-w ../.carl/carl.json` if it is yours and says what you want."
    assert any(
        note.startswith("../.carl/carl.json: Its domains take no part") and note.endswith(remedy)
        for note in found.notes
    )
    (refused,) = (d for d in check_disk(root) if d.path == "../.carl/carl.json")
    assert (refused.code, refused.remedy) == ("SYN802", remedy)


def test_what_is_no_longer_refused_is_told_again(root: Path, home: Path) -> None:
    os.utime(root / ".carl", (OLD, OLD))
    (home / ".carl/carl.json").chmod(0o666)
    assert "House rule" not in block(root)
    (home / ".carl/carl.json").chmod(0o600)
    assert "House rule" in block(root)


def test_a_file_above_that_is_no_json_takes_nothing_from_the_tree(root: Path, home: Path) -> None:
    (home / ".carl/carl.json").write_text("{")
    plan = load_plan(str(root)).plan
    assert "Own global" in block(root)
    assert plan.notices == ("../.carl/carl.json is no valid JSON: what it says is missing",)


def test_a_tree_whose_own_file_is_no_json_just_now_keeps_its_rules(root: Path) -> None:
    block(root)
    (root / ".carl/carl.json").write_text("{")
    assert "Own global" in block(root)


def live(root: Path) -> LiveTree:
    tree = LiveTree(str(root))
    tree.load()
    return tree


def test_an_editor_sees_a_change_above(root: Path, home: Path) -> None:
    tree = live(root)
    (home / ".carl/carl.json").write_text(HOUSE.replace("House rule", "Another rule"))
    assert tree.update_from_disk(["../.carl/carl.json"]).context
    assert "Another rule" in tree.disk_view().assembly.text


def test_a_buffer_of_the_tree_does_not_hide_a_change_above(root: Path, home: Path) -> None:
    tree = live(root)
    tree.open(".carl/carl.json", OWN.replace("Own global", "Typed global"))
    (home / ".carl/carl.json").write_text(HOUSE.replace("House rule", "Another rule"))
    tree.update_from_disk(["../.carl/carl.json"])
    assert "Another rule" in tree.view().assembly.text
    assert "Typed global" in tree.view().assembly.text


def test_what_is_above_is_linted_where_it_lives(root: Path, home: Path) -> None:
    put(home, HOUSE.replace('"venue"', '"venue", ""'))
    tree = live(root)
    tree.update_from_disk(["../.carl/carl.json"])
    assert "../.carl/carl.json" not in tree.paths_with_diagnostics()
    assert ".carl/carl.json" in live(home).paths_with_diagnostics()


def test_folders_above_are_watched_under_the_path_that_leads_there(root: Path, home: Path) -> None:
    assert linked_folders(str(root)) == ((str(home / ".carl"), "../.carl"),)


def test_a_place_above_has_the_uri_of_the_file_itself(root: Path, home: Path) -> None:
    assert uri_below(str(root), "../.carl/carl.json") == path_to_uri(str(home / ".carl/carl.json"))


def test_a_test_of_the_tree_may_name_what_is_above(root: Path) -> None:
    tests = root / ".synapse/tests"
    tests.mkdir(parents=True)
    (tests / "a.toml").write_text(
        '[[case]]\nname = "x"\nprompt = "venue"\ndomains = ["TOUR"]\nrules = ["TOUR_RULE_0"]\n'
    )
    assert ".synapse/tests/a.toml" not in live(root).paths_with_diagnostics()


def test_a_migration_says_what_stays_above(root: Path) -> None:
    plan = plan_migration(root)
    remark = next(one for one in plan.remarks if one.path == "../.carl/carl.json")
    assert remark.sentence.startswith("CARL injects its domains here too")
    differences = plan.parity.differences
    (outer,) = (one for one in differences if one.question.way == "" and "House rule" in one.carl)
    assert outer.why.startswith("It is of a file above the tree")


def test_a_session_switches_brackets_off_wherever_they_are_from(root: Path) -> None:
    session = SessionState({"overrides": {"CONTEXT_STATE": False}})
    told = load_plan(str(root)).plan
    request = Request("", session=session)
    text = assemble_block(told, resolve_situation(told, request, measure_usage(reported=20))).text
    assert "House depleted" not in text
    assert "CONTEXT BRACKET" not in text


def test_files_for_agents_hold_nothing_of_what_is_above(root: Path) -> None:
    rules = [
        rule
        for topic in always_topics(load_plan(str(root)).plan, TARGETS["claude"])
        for g in topic.groups
        for rule in g.rules
    ]
    assert rules == ["Own global"]
