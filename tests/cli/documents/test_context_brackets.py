"""What SYNAPSE Context Brackets says, from the top to the end, as somebody sees it who has a tree, the
command line and the hook.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Synapse
from tests.cli.documents.conftest import MakePlace, sections_of
from tests.hooks.hook_clients import Claude
from tests.setup.migrate.trees import project
from tests.trees import TEAM

STORY_TASK = {
    ".aios-core/development/tasks/log-in.md": """\
        ---
        id: log-in
        agent: dev
        criteria: [It opens]
        ---
        # Log in
        """,
}
ETL = {
    "squads/etl-squad/squad.yaml": "name: etl-squad\nversion: 1.0.0\n",
    "squads/etl-squad/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
    "squads/etl-squad/.synapse/pipeline": "PIPELINE_RULE_0=Validate on both sides\n",
}
WORK = (
    *("cover the pipeline with a unit test", "--agent", "dev", "--task", "log-in"),
    *("--workflow", "story-development-cycle"),
)


def asked(synapse: Synapse, *arguments: str) -> Any:
    """The answer of ``synapse context`` as data."""
    done = synapse("context", "--format", "json", *arguments)
    assert done.code == 0, done.err
    return done.json


@pytest.mark.parametrize(
    ("remaining", "bracket", "budget"),
    [
        ("100", "FRESH", 800), ("60", "FRESH", 800), ("59.9", "MODERATE", 1500),
        ("40", "MODERATE", 1500), ("39.9", "DEPLETED", 2000), ("25", "DEPLETED", 2000),
        ("24.9", "CRITICAL", 2500), ("0", "CRITICAL", 2500),
    ],
)  # fmt: skip
def test_each_bracket_has_its_share_and_its_budget(
    synapse: Synapse, place: MakePlace, remaining: str, bracket: str, budget: int
) -> None:
    place(TEAM)
    found = asked(synapse, "--remaining", remaining)
    assert (found["bracket"], found["budget"]) == (bracket, budget)


def left_after(synapse: Synapse, root: Path, prompts: int) -> tuple[str, float]:
    """The bracket and the percent left in a session of so many prompts."""
    client = Claude(root)
    for number in range(prompts):
        client.prompt(f"step {number}")
    found = asked(synapse, "--session", client.session)
    assert found["usage"]["source"] == "estimated"
    return found["bracket"], found["usage"]["remaining"]


def test_prompts_are_1500_tokens_of_200000(synapse: Synapse, place: MakePlace) -> None:
    assert left_after(synapse, place(TEAM), 54) == ("MODERATE", 100 - 54 * 1500 / 200_000 * 100)


def test_the_constants_of_the_estimate_are_settings(synapse: Synapse, place: MakePlace) -> None:
    own = "[usage]\navg_tokens_per_prompt = 4000\nmax_context = 100000\n"
    root = place(TEAM, {".synapse/config.toml": own})
    assert left_after(synapse, root, 11) == ("MODERATE", 56.0)


@pytest.mark.parametrize("figure", ['"fifty"', "true", "[]"])
def test_a_figure_that_is_no_number_is_critical(
    synapse: Synapse, place: MakePlace, figure: str
) -> None:
    client = Claude(place(TEAM))
    client.prompt("begin")
    document = client.document()
    document["context"]["usage"] = {"reported": json.loads(figure), "origin": "a client"}
    path = client.root / ".synapse/sessions" / f"{client.session}.json"
    path.write_text(json.dumps(document))
    found = asked(synapse, "--session", client.session)
    assert (found["bracket"], found["usage"]["source"]) == ("CRITICAL", "invalid")


def test_fresh_has_the_core_layers_and_the_others_have_all(
    synapse: Synapse, place: MakePlace
) -> None:
    place(TEAM, STORY_TASK, ETL, {".synapse/config.toml": 'profile = "synapse"\n'})
    core = ["CONSTITUTION", "GLOBAL", "ACTIVE AGENT", "CONTEXT BRACKET", "STAR-COMMANDS", "NOTICE"]
    fresh = synapse("context", "--bracket", "FRESH", f"{WORK[0]} *brief", *WORK[1:])
    assert [name for name in sections_of(fresh.out) if "SUMMARY" not in name] == core
    for bracket in ("MODERATE", "DEPLETED", "CRITICAL"):
        found = asked(synapse, "--bracket", bracket, f"{WORK[0]} *brief", *WORK[1:])
        layers = {section["layer"] for section in found["sections"]}
        assert layers >= {"L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7"}


def test_in_a_session_memories_come_in_depleted_and_critical(
    synapse: Synapse, place: MakePlace
) -> None:
    client = Claude(place(TEAM))
    client.prompt("begin")
    synapse("memory", "add", "--correction", "Use tabs in makefiles.")
    ask = ("context", "--session", client.session, "--bracket")
    told = {
        bracket: "Use tabs in makefiles" in synapse(*ask, bracket, "change the makefiles").out
        for bracket in ("FRESH", "MODERATE", "DEPLETED", "CRITICAL")
    }
    assert told == {"FRESH": False, "MODERATE": False, "DEPLETED": True, "CRITICAL": True}


def test_a_hand_off_is_advised_in_critical_alone(synapse: Synapse, place: MakePlace) -> None:
    place(TEAM)
    warned = {
        bracket: "HANDOFF WARNING" in sections_of(synapse("context", "--bracket", bracket).out)
        for bracket in ("FRESH", "MODERATE", "DEPLETED", "CRITICAL")
    }
    assert warned == {"FRESH": False, "MODERATE": False, "DEPLETED": False, "CRITICAL": True}


def test_the_hook_tells_the_rules_of_the_bracket_and_takes_the_last_ones_back(
    place: MakePlace,
) -> None:
    client = Claude(place(TEAM))
    assert "Read before you write" in client.prompt("begin")
    client.uses(150_000)
    told = client.prompt("go on")
    assert "[CRITICAL]" not in told
    assert "[DEPLETED]" in told and "Summarise before each step" in told
    assert "Prefer short answers" not in told
    client.uses(190_000)
    told = client.prompt("go on")
    assert "[HANDOFF WARNING]" in told and "Write down what is open" in told


def test_rules_of_a_bracket_that_contradict_the_table_change_nothing_and_are_pointed_out(
    synapse: Synapse, place: MakePlace
) -> None:
    context = """\
        CONTEXT_RULE_DEPLETED_0=Skip optional layers (L6 keyword domains) to conserve
        CONTEXT_RULE_CRITICAL_0=Only inject L0 Constitution and L1 Global rules - skip other layers
        """
    place(TEAM, {".synapse/context": context})
    for bracket in ("DEPLETED", "CRITICAL"):
        assert "KEYWORD MATCHES" in sections_of(
            synapse("context", "--bracket", bracket, "unit test").out
        )
    checked = synapse("check").out
    assert ".synapse/context:1:" in checked and ".synapse/context:2:" in checked
    assert "contradicting-bracket-prose" in checked


def test_sections_come_in_the_order_of_the_layers(synapse: Synapse, place: MakePlace) -> None:
    place(TEAM, STORY_TASK, ETL)
    out = synapse("context", "--bracket", "MODERATE", f"{WORK[0]} *brief", *WORK[1:]).out
    assert sections_of(out) == [
        *("CONSTITUTION", "GLOBAL", "ACTIVE AGENT", "ACTIVE WORKFLOW", "SQUAD", "TASK CONTEXT"),
        *("KEYWORD MATCHES", "CONTEXT BRACKET", "STAR-COMMANDS", "LOADED DOMAINS SUMMARY"),
    ]


def test_sections_go_in_the_order_of_the_document_and_the_constitution_never(
    synapse: Synapse, place: MakePlace
) -> None:
    names = {
        "LOADED DOMAINS SUMMARY": "SUMMARY", "KEYWORD MATCHES": "KEYWORD", "SQUAD": "SQUAD",
        "TASK CONTEXT": "TASK", "ACTIVE WORKFLOW": "WORKFLOW",
    }  # fmt: skip
    gone: list[str] = []
    root = place(TEAM, STORY_TASK, ETL)
    for budget in range(420, 0, -12):
        table = f"[profiles.small]\n[profiles.small.brackets.MODERATE]\nbudget = {budget}\n"
        (root / ".synapse/config.toml").write_text(f'profile = "small"\n{table}')
        found = asked(synapse, "--bracket", "MODERATE", *WORK)
        there = sections_of(found["block"])
        assert found["over_budget"] or found["tokens"] <= budget
        gone += [name for head, name in names.items() if head not in there and name not in gone]
        if "Implement, test, tick the box" not in found["block"] and "AGENT" not in gone:
            gone.append("AGENT")
        assert "MUST: everything works from the command line" in found["block"]
    assert gone == ["SUMMARY", "KEYWORD", "SQUAD", "TASK", "WORKFLOW", "AGENT"]


def test_rules_that_carl_told_in_depleted_are_told_in_critical_after_a_migration(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(project(tmp_path / "shop"))
    assert synapse("migrate").code == 0
    for bracket in ("DEPLETED", "CRITICAL"):
        assert "Sum up first" in synapse("context", "--bracket", bracket).out


def test_the_warning_of_critical_comes_with_memories_and_says_where_the_work_is(
    synapse: Synapse, place: MakePlace
) -> None:
    place(TEAM, STORY_TASK)
    synapse("memory", "add", "--correction", "Use tabs in makefiles.")
    found = asked(synapse, "--bracket", "CRITICAL", *WORK)
    (warning,) = (section for section in found["sections"] if section["id"] == "HANDOFF")
    assert "Use tabs in makefiles" in found["block"]
    assert "log-in" in " ".join(entry["text"] for entry in warning["entries"])
