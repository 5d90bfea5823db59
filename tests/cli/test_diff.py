from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.queries.test_revision import git
from tests.support import LINKED_WORDS, text_outside_code


@pytest.fixture
def changed(team: Path) -> Path:
    """A repository whose working tree has one more global rule, and another one of @qa."""
    git(team, "init", "-q")
    git(team, "add", "-A")
    git(team, "commit", "-qm", "one")
    rules = team / ".synapse" / "global"
    rules.write_text(rules.read_text(encoding="utf-8") + "GLOBAL_RULE_3=Ask `before` you guess\n")
    agent = team / ".synapse" / "agent-qa"
    text = agent.read_text(encoding="utf-8")
    agent.write_text(text.replace("Check every acceptance criterion", "Check it twice"))
    return team


def test_each_change_says_whom_it_meets_and_what_it_costs(synapse: Synapse, changed: Path) -> None:
    done = synapse("diff")
    assert done.code == 0
    every, added, _, qa, old, new = done.out.splitlines()
    assert every.startswith("Every prompt: adds 1 rule, +")
    assert added == "  + GLOBAL_RULE_3  Ask `before` you guess"
    assert qa.startswith("@qa: changes 1 rule, ")
    assert (old, new) == (
        "  - AGENT_QA_RULE_0  Check every acceptance criterion",
        "  + AGENT_QA_RULE_0  Check it twice",
    )


def test_markdown_is_safe_in_a_pull_request(synapse: Synapse, changed: Path) -> None:
    out = synapse("diff", "--format", "markdown").out
    assert out.startswith("### What agents get: HEAD → working tree\n")
    assert "- **`@qa`**: changes 1 rule" in out
    assert "  + GLOBAL_RULE_3  Ask `before` you guess\n" in out
    assert out.endswith("\nHeadings and memories are not compared.\n")


def test_no_name_that_begins_like_a_mention_is_live_markdown(
    synapse: Synapse, changed: Path
) -> None:
    manifest = changed / ".synapse/manifest"
    hostile = "EV_STATE=active\nEV_RECALL=@z<img src=x>, @q`x @octocat\n"
    manifest.write_text(f"{manifest.read_text()}\n{hostile}")
    (changed / ".synapse/ev").write_text("EV_RULE_0=Be kind.\n")
    out = synapse("diff", "--format", "markdown").out
    assert "`@z`\\<img src=x\\>" in out
    assert "`@q`\\`x" in out and "`@octocat`" in out


@pytest.mark.parametrize("word", [*LINKED_WORDS, "@dev", "octo/repo#1", "GH-12", "deadbeef"])
def test_nothing_in_it_becomes_a_link_or_a_reference(
    synapse: Synapse, changed: Path, word: str
) -> None:
    manifest = changed / ".synapse/manifest"
    manifest.write_text(f"{manifest.read_text()}\nEV_STATE=active\nEV_RECALL=see ({word})\n")
    (changed / ".synapse/ev").write_text("EV_RULE_0=Be kind.\n")
    text = text_outside_code(synapse("diff", "--format", "markdown").out)
    assert "see (" in text
    assert not re.search(r"(?i)//|www\.|@|#\d|GH-|deadbeef", text)


def test_a_program_gets_the_rules(synapse: Synapse, changed: Path) -> None:
    report = synapse("diff", "--format", "json").json
    assert (report["before"], report["after"]) == ("HEAD", "working tree")
    first, second = report["changes"]
    assert first["added"] == [
        {"domain": "GLOBAL", "rule": "GLOBAL_RULE_3", "text": "Ask `before` you guess"}
    ]
    assert {met["label"] for met in second["met"]} == {"@qa"}


def test_two_revisions_are_compared(synapse: Synapse, changed: Path) -> None:
    git(changed, "commit", "-qam", "two")
    assert (
        synapse("diff").out == "Each compared block has the same rules in HEAD and working tree.\n"
    )
    assert synapse("diff", "HEAD~1..HEAD").out.startswith("Every prompt: adds 1 rule")


def test_a_bracket_of_another_name_hides_no_rule(synapse: Synapse, changed: Path) -> None:
    profile = (
        '[profiles.own]\nextends = "synapse"\nuse_brackets = ["ALL"]\nbrackets.ALL.floor = 0\n'
    )
    (changed / ".synapse/config.toml").write_text(f'profile = "own"\n{profile}')
    report = synapse("diff", "--format", "json").json
    added = [change for change in report["changes"] if change["added"]]
    assert "ALL (was FRESH)" in {met["bracket"] for change in added for met in change["met"]}
    assert "+ GLOBAL_RULE_3" in synapse("diff", "--format", "markdown").out


def test_one_block_is_compared_line_by_line(synapse: Synapse, changed: Path) -> None:
    lines = synapse("diff", "--block", "--agent", "qa").out.splitlines()
    assert "-  1. Check every acceptance criterion" in [
        line.replace("    ", "  ") for line in lines
    ]


@pytest.mark.parametrize("revision", ["nope", "HEAD..", "..HEAD"])
def test_what_is_no_revision_is_told(synapse: Synapse, changed: Path, revision: str) -> None:
    done = synapse("diff", revision)
    assert done.code == 2
    assert "revision" in done.err
