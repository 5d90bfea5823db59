from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Synapse

WRITING = [
    ["new", "api-design", "--recall", "api, endpoint", "--rule", "Version every route"],
    ["toggle", "testing"],
    ["rename", "testing", "quality"],
    ["rule", "add", "testing", "Control the clock"],
    ["rule", "edit", "testing", "1", "One reason to fail"],
    ["rule", "remove", "testing", "TESTING_RULE_0"],
]


def texts(root: Path) -> dict[str, str]:
    return {str(p.relative_to(root)): p.read_text() for p in root.rglob("*") if p.is_file()}


@pytest.mark.parametrize("arguments", WRITING, ids=" ".join)
def test_a_dry_run_is_a_diff_and_writes_nothing(
    synapse: Synapse, team: Path, snapshot: SnapshotAssertion, arguments: list[str]
) -> None:
    before = texts(team)
    done = synapse("domain", *arguments, "--dry-run")
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot
    assert texts(team) == before


@pytest.mark.parametrize("arguments", WRITING, ids=" ".join)
def test_what_is_written_is_named(synapse: Synapse, team: Path, arguments: list[str]) -> None:
    before = texts(team)
    done = synapse("domain", *arguments)
    assert done.code == 0
    written = {name for name, text in texts(team).items() if before.get(name) != text}
    assert written
    assert all(name in done.out for name in written)


def test_the_lines_that_changed_are_shown(synapse: Synapse, team: Path) -> None:
    assert synapse("domain", "rule", "edit", "testing", "1", "One reason to fail").out == (
        "changed  .synapse/testing\n"
        "  -TESTING_RULE_1=One behaviour per test\n"
        "  +TESTING_RULE_1=One reason to fail\n"
    )


def test_a_change_that_is_there_already_is_nothing(synapse: Synapse, team: Path) -> None:
    assert synapse("domain", "toggle", "testing", "on").out == "Nothing to change.\n"
    assert "TESTING_STATE=inactive" in synapse("domain", "toggle", "testing", "off").out
    assert synapse("domain", "toggle", "testing", "off").out == "Nothing to change.\n"


def test_a_new_domain_takes_part_at_once(synapse: Synapse, team: Path) -> None:
    synapse("domain", "new", "api-design", "--always-on", "--rule", "Version every route")
    assert "Version every route" in synapse("context").out


def test_a_diff_keeps_the_white_space_of_the_file(synapse: Synapse, team: Path) -> None:
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write("\n\nLAST_STATE=active  \n")
    assert "\n \n" in synapse("domain", "toggle", "last", "--dry-run").out


@pytest.mark.parametrize(
    ("option", "domain", "line"),
    [
        ("--auth", "agent-dev", "AGENT_DEV_AUTH_1=x y"),
        ("--deny", "agent-dev", "AGENT_DEV_DENY_0=x y"),
        ("--bracket=critical", "context", "CONTEXT_RULE_CRITICAL_1=x y"),
        ("--command=*brief", "commands", "COMMANDS_RULE_BRIEF_2=x y"),
        ("--article=1", "constitution", "CONSTITUTION_RULE_ART1_2=x y"),
    ],
)
def test_rules_come_in_kinds(
    synapse: Synapse, team: Path, option: str, domain: str, line: str
) -> None:
    assert synapse("domain", "rule", "add", domain, "x y", option).code == 0
    assert line in (team / ".synapse" / domain).read_text()


def test_a_kind_needs_what_it_is_for(synapse: Synapse, team: Path) -> None:
    done = synapse("domain", "rule", "add", "commands", "x y", "--command=")
    assert done.code == 2
    assert done.err.startswith("error: --command is empty.")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["constitution", "x"], "--article: 1 (CLI First (NON-NEGOTIABLE)), 2 (Absolute Imports"),
        (["context", "x"], "Name FRESH, MODERATE, DEPLETED or CRITICAL with --bracket;"),
        (["commands", "x"], "Name a star-command with --command: *brief, or a new one."),
        (
            ["context", "x", "--bracket", "foo"],
            '"foo" is not a bracket, so the rule would be injected',
        ),
    ],
)
def test_a_rule_that_has_to_belong_somewhere_is_refused_with_the_choices(
    synapse: Synapse, team: Path, arguments: list[str], told: str
) -> None:
    done = synapse("domain", "rule", "add", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_a_domain_that_nothing_could_wake_is_refused(synapse: Synapse, team: Path) -> None:
    done = synapse("domain", "new", "payments", "--recall", "")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: Nothing could activate PAYMENTS:")


@pytest.mark.parametrize(
    "arguments",
    [["toggle", "testng"], ["show", "testng"], ["rename", "testng", "x"], ["rule", "remove", "testng", "0"]],
)  # fmt: skip
def test_a_domain_that_does_not_exist_has_near_misses(
    synapse: Synapse, team: Path, arguments: list[str]
) -> None:
    done = synapse("domain", *arguments)
    assert (done.code, done.out) == (2, "")
    assert "Did you mean TESTING?" in done.err


def test_a_refusal_is_one_sentence(synapse: Synapse, team: Path) -> None:
    done = synapse("domain", "toggle", "constitution", "off")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: The constitution cannot be switched off")


def test_show_has_settings_and_rules(
    synapse: Synapse, team: Path, snapshot: SnapshotAssertion
) -> None:
    assert synapse("domain", "show", "testing").out == snapshot


def test_show_as_json(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    assert synapse("domain", "show", "agent-dev", "--format", "json").json == snapshot


def test_a_rule_text_finds_its_domain(synapse: Synapse, team: Path) -> None:
    done = synapse("domain", "suggest", "Mock the clock in every unit test")
    assert done.out.startswith('TESTING  3  keyword "unit test"')


def test_suggestions_as_json(synapse: Synapse, team: Path) -> None:
    [best, *_] = synapse("domain", "suggest", "more coverage", "--format", "json").json
    assert best == {"domain": "TESTING", "score": 3, "reasons": ['keyword "coverage"']}


def test_a_text_without_a_domain_says_so(synapse: Synapse, team: Path) -> None:
    assert synapse("domain", "suggest", "zzz").out.startswith("No domain fits.")
