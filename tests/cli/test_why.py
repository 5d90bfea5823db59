from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse


def test_a_rule_that_is_in(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "GLOBAL_RULE_1")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "GLOBAL_RULE_1 is in: it holds for every prompt.\n  .synapse/global:2: Name things well\n"
    )


def test_a_rule_that_is_out_has_a_remedy(synapse: Synapse, team: Path) -> None:
    assert synapse("why", "AGENT_QA_RULE_0").out == (
        "AGENT_QA_RULE_0 is out: no agent is active, not @qa.\n"
        "  remedy: activate @qa\n"
        "  .synapse/agent-qa:2: Check every acceptance criterion\n"
    )


@pytest.mark.parametrize(
    "wanted",
    [
        "TESTING_RULE_0",
        "testing_rule_0",
        ".synapse/testing:1",
        "./.synapse/testing:1",
        "testing:1",
        "arrange,  ACT",
    ],
)
def test_a_rule_is_found_by(synapse: Synapse, team: Path, wanted: str) -> None:
    [found] = synapse("why", wanted, "--format", "json").json
    assert found["name"] == "TESTING_RULE_0"


def test_a_rule_is_found_by_an_absolute_path(synapse: Synapse, team: Path) -> None:
    [found] = synapse("why", f"{team}/.synapse/testing:2", "--format", "json").json
    assert found["name"] == "TESTING_RULE_1"


@pytest.mark.parametrize("wanted", ["AGENT_DEV", "agent-dev", ".synapse/manifest:5"])
def test_a_domain_is_found_by(synapse: Synapse, team: Path, wanted: str) -> None:
    [found] = synapse("why", wanted, "--agent", "dev", "--format", "json").json
    assert found == {
        "name": "AGENT_DEV",
        "domain": "AGENT_DEV",
        "rendered": True,
        "reason": "agent @dev is active",
        "because": [{"code": "agent", "values": ["dev"]}],
        "remedy": "",
        "change": None,
        "attempt": None,
        "file": ".synapse/agent-dev",
        "line": None,
        "text": None,
    }


def test_a_star_command_is_all_of_its_rules(synapse: Synapse, team: Path) -> None:
    assert synapse("why", "*brief", "please *brief").out == (
        "COMMANDS_RULE_BRIEF_0–1 are in: the prompt asks for the command.\n"
        "  .synapse/commands:2: Use bullet points only\n"
        "  .synapse/commands:3: Five items at most\n"
    )


def test_several_hits_are_all_listed(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "BLOCKED", "--agent", "dev")
    assert "AGENT_DEV_AUTH_0 is in: " in done.out
    assert "\n\nAGENT_QA_AUTH_0 is out: " in done.out


def test_nothing_that_fits_has_near_misses(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "TESTING_RULE_O")
    assert (done.code, done.out) == (2, "")
    assert "Did you mean TESTING_RULE_0" in done.err


def test_a_line_without_a_rule_names_the_nearest(synapse: Synapse, team: Path) -> None:
    done = synapse("why", ".synapse/commands:1")
    assert done.err == (
        "error: No rule stands on line 1 of .synapse/commands.\n"
        "  remedy: The nearest is COMMANDS_RULE_BRIEF_0 on line 2.\n"
    )


def test_a_domain_that_sleeps_says_until_when(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "TESTING", "more coverage")
    assert done.out.startswith("TESTING is out: L6 sleeps in FRESH until MODERATE")


def test_a_bracket_rule_names_its_bracket(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "CONTEXT_RULE_CRITICAL_0")
    assert "it is for CRITICAL; the bracket is FRESH" in done.out
    assert synapse("why", "CONTEXT_RULE_CRITICAL_0", "--bracket", "critical").out.startswith(
        "CONTEXT_RULE_CRITICAL_0 is in"
    )


def test_one_key_on_two_lines_is_one_rule(synapse: Synapse, team: Path) -> None:
    with (team / ".synapse/docs").open("a") as file:
        file.write("DOCS_RULE_0=Twice\n")
    assert synapse("why", "DOCS_RULE_0").out.startswith("DOCS_RULE_0 is out: ")
