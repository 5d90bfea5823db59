"""What many replies together say about a tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations import client_registry
from synapse_ls.integrations.transcript_turns import Turn
from synapse_ls.queries.injection_report import ReplyStatistics
from synapse_ls.queries.rule_coverage import (
    ENOUGH_PROMPTS,
    Coverage,
    CoverageFinding,
    describe_left_out,
    judge_coverage,
)
from synapse_ls.queries.session_replay import replay_session
from synapse_ls.storage.current_plan import load_plan
from tests.trees import TEAM, write_tree

LIVE = {".synapse/config.toml": 'profile = "synapse-live"\n'}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "team", {**TEAM, **LIVE})


def judged(root: Path, *prompts: str, used: int | None = None, known: bool = True) -> Coverage:
    """The judgement of a session with these prompts."""
    host = client_registry.load_client("claude")
    assert host is not None
    seen = ReplyStatistics()
    turns = (Turn(prompt, None, used, 200_000) for prompt in prompts)
    for step in replay_session(str(root), turns, host):
        for told in step.replies:
            seen.add(told.record, step.turn.prompt if known and told is step.reply else None)
    return judge_coverage(load_plan(str(root)).with_all_files().plan, seen)


def of(found: Coverage, kind: str) -> dict[str, CoverageFinding]:
    return {finding.name: finding for finding in found.findings if finding.kind == kind}


def test_without_a_prompt_nothing_is_said(root: Path) -> None:
    found = judged(root)
    assert (found.prompts, found.seen_rules, found.findings) == (0, 0, ())


def test_few_prompts_are_too_few_to_judge(root: Path) -> None:
    assert not judged(root, *["go on"] * (ENOUGH_PROMPTS - 1)).has_enough_prompts
    assert judged(root, *["go on"] * ENOUGH_PROMPTS).has_enough_prompts


def test_a_domain_that_nothing_woke_says_what_it_waited_for(root: Path) -> None:
    never = of(judged(root, "hello", "@dev add a unit test"), "domain-never-awake")
    assert never["AGENT_QA"].message == "@qa was never active"
    assert never["DOCS"].message == 'no prompt had one of its keywords ("readme")'
    assert never["SLEEPY"].message == "SLEEPY_STATE is not active"
    assert never["WORKFLOW_STORY_DEV"].message == "workflow story_development was never active"
    assert (never["AGENT_QA"].file, never["AGENT_QA"].line) == (".synapse/manifest", 7)
    assert not never.keys() & {"AGENT_DEV", "TESTING", "GLOBAL", "COMMANDS"}


def test_a_word_that_prompts_say_in_place_of_a_keyword_is_told(root: Path) -> None:
    prompts = ("update the redme", "the redme again")
    assert of(judged(root, *prompts), "domain-never-awake")["DOCS"].remedy == (
        'prompts say "redme" (2 times): add it to DOCS_RECALL'
    )
    unknown = judged(root, *prompts, known=False)
    assert of(unknown, "domain-never-awake")["DOCS"].remedy is None


def test_keywords_that_matched_while_the_layer_slept_are_told(root: Path) -> None:
    (root / ".synapse/config.toml").unlink()
    message = of(judged(root, "add a unit test"), "domain-never-awake")["TESTING"].message
    assert message == "its keywords matched in 1 prompt, but its layer is inactive in FRESH"


def test_keywords_that_matched_where_a_word_excludes_are_told(root: Path) -> None:
    message = of(judged(root, "a manual unit test"), "domain-never-awake")["TESTING"].message
    assert message == "its keywords matched in 1 prompt, but it was excluded"


def test_a_keyword_that_no_prompt_had_is_told(root: Path) -> None:
    found = of(judged(root, "add a unit test"), "keyword-never-matched")
    assert list(found) == ['"coverage"']


def test_rules_of_other_phases_and_brackets_were_never_told(root: Path) -> None:
    found = of(judged(root, "hello"), "rule-never-told")
    assert found["CONTEXT_RULE_CRITICAL_0"].message == "the window never came to CRITICAL"
    assert (found["CONTEXT_RULE_CRITICAL_0"].file, found["CONTEXT_RULE_CRITICAL_0"].line) == (
        ".synapse/context",
        4,
    )


def test_a_rule_that_never_fits_is_always_cut(root: Path) -> None:
    rules = "".join(f"GLOBAL_RULE_{n}=Rule number {n} {'x' * 900}\n" for n in range(9))
    (root / ".synapse" / "global").write_text(rules, encoding="utf-8")
    (root / ".synapse" / "config.toml").write_text('profile = "synapse"\n', encoding="utf-8")
    found = judged(root, "hello")
    assert "GLOBAL_RULE_8" in of(found, "rule-always-cut")
    assert "GLOBAL_RULE_8" not in of(found, "rule-never-told")


def test_a_command_that_nobody_used_is_told(root: Path) -> None:
    assert list(of(judged(root, "hello"), "command-never-used")) == ["*brief"]
    assert not of(judged(root, "*brief sum up"), "command-never-used")


def test_domains_that_the_same_prompts_woke_could_be_one(root: Path) -> None:
    prompts = [f"unit test the readme, part {n}" for n in range(5)]
    assert not of(judged(root, *prompts), "domains-always-together")  # there is no other prompt
    found = of(judged(root, "hello", *prompts), "domains-always-together")
    assert found["TESTING + DOCS"].message == "the same 5 prompts activated them"
    assert not of(judged(root, "hello", *prompts, "unit test"), "domains-always-together")


def test_a_domain_that_nearly_every_prompt_wakes_might_be_always_on(root: Path) -> None:
    prompts = [f"unit test {n}" for n in range(ENOUGH_PROMPTS)]
    found = of(judged(root, *prompts), "domain-nearly-always")
    assert found["TESTING"].message == "its keywords activated it in 20 of 20 prompts"
    assert not of(judged(root, *prompts[1:]), "domain-nearly-always")


def test_every_rule_counts_once(root: Path) -> None:
    found = judged(root, "hello", "@dev go on", "@qa look")
    assert found.seen_rules == sum(share.told for share in found.domains)
    assert found.rules == sum(share.rules for share in found.domains)
    shares = {share.label: share for share in found.domains}
    assert (shares["AGENT_DEV"].prompts, shares["AGENT_DEV"].told) == (1, 2)
    assert (shares["GLOBAL"].prompts, shares["GLOBAL"].told) == (3, 3)


def test_rules_that_no_agent_is_told_are_named(root: Path) -> None:
    found = judged(root, "hello")
    assert describe_left_out(found) == ""
    with (root / ".synapse/commands").open("a") as commands:
        commands.write("# [*synapse] COMMAND:\nCOMMANDS_RULE_SYNAPSE_HELP_0=Show the commands\n")
    with (root / ".synapse/global").open("a") as rules:
        rules.write("GLOBAL_RULE_0_CHECK=never npm\n")
    found = judged(root, "hello")
    rules_there = sum(len(d.rules) for d in load_plan(str(root)).with_all_files().plan.domains())
    assert found.rules + found.answered + found.untold == rules_there
    assert describe_left_out(found).startswith(
        "not counted: 1 rule of `*synapse` commands, which Synapse LS answers itself"
    )


def test_a_domain_that_a_squad_overrides_says_so(root: Path) -> None:
    squad = {
        "squads/care/squad.yaml": "name: care\nversion: 1.0.0\nconfig:\n  extends: override\n",
        "squads/care/.synapse/manifest": "TESTING_STATE=active\nTESTING_RECALL=unit test\n",
        "squads/care/.synapse/testing": "TESTING_RULE_0=Test with care\n",
    }
    write_tree(root, squad)
    never = of(judged(root, "add a unit test"), "domain-never-awake")
    assert never["TESTING"].message == (
        "its keywords matched in 1 prompt, but CARE_TESTING of a squad overrides it"
    )
