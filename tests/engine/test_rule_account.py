"""Every rule of the tree is accounted for."""

from __future__ import annotations

import re

import pytest

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.reason_phrases import SENTENCES
from synapse_ls.engine.rule_account import DomainAccount, account_for_domains, count_in_block
from synapse_ls.queries.report_model import reason_report, to_json
from tests.engine.blocks import block
from tests.trees import TEAM, plan_of

PLAN = plan_of(TEAM)
LIVE = plan_of(TEAM, "synapse-live")


def domain(plan: Plan, label: str, prompt: str = "", **given: object) -> DomainAccount:
    made = account_for_domains(plan, block(plan, prompt, **given))  # type: ignore[arg-type]
    return next(each for each in made if each.label == label)


@pytest.mark.parametrize("remaining", [100, 50, 30, 10])
@pytest.mark.parametrize("prompt", ["", "coverage *brief", "manual coverage", "@qa readme"])
def test_each_rule_is_rendered_or_has_a_reason(remaining: int, prompt: str) -> None:
    made = block(PLAN, prompt, remaining=remaining)
    told = [rule for each in account_for_domains(PLAN, made) for rule in each.rules]
    assert len(told) == sum(len(each.rules) for each in PLAN.domains())
    assert all(rule.reason for rule in told)
    for rule in told:
        assert rule.is_rendered == (rule.text in made.text)


@pytest.mark.parametrize("remaining", [100, 50, 30, 10])
@pytest.mark.parametrize("prompt", ["", "coverage *brief", "@qa readme"])
def test_the_counts_are_those_of_the_accounts(remaining: int, prompt: str) -> None:
    made = block(PLAN, prompt, remaining=remaining)
    accounts = account_for_domains(PLAN, made)
    held = [each.rendered_count for each in accounts if each.rendered_count]
    rules = sum(len(each.rules) for each in accounts)
    assert count_in_block(PLAN, made) == (len(accounts), rules, len(held), sum(held))


@pytest.mark.parametrize(
    ("label", "prompt", "given", "reason"),
    [
        ("SLEEPY", "coverage", {}, "SLEEPY_STATE is not active"),
        ("TESTING", "hello", {}, 'the prompt has none of its keywords ("unit test", "coverage")'),
        ("TESTING", "manual coverage", {}, 'the prompt says "manual", which excludes it'),
        ("AGENT_QA", "", {"agent": "dev"}, "@dev is active, not @qa"),
        ("AGENT_QA", "", {}, "no agent is active, not @qa"),
        ("WORKFLOW_STORY_DEV", "", {}, "no workflow is active, not story_development"),
        ("GUARDRAILS", "", {}, "always on"),
        ("TESTING", "coverage", {}, 'the prompt says "coverage"'),
    ],
)
def test_a_domain_says_why(label: str, prompt: str, given: dict[str, str], reason: str) -> None:
    assert domain(LIVE, label, prompt, **given).reason == reason


def test_a_trigger_that_fires_in_a_sleeping_layer_is_told() -> None:
    told = domain(PLAN, "TESTING", "coverage", remaining=100)
    assert (
        told.reason == 'L6 is inactive in FRESH until MODERATE (40–60% left) ("coverage" matches)'
    )
    assert "synapse-live" in told.remedy


def test_a_domain_without_a_file_names_the_file_it_wants() -> None:
    files = {**TEAM}
    del files[".synapse/docs"]
    told = domain(plan_of(files), "DOCS")
    assert told.reason == "it has no rule file"
    assert told.remedy == "create .synapse/docs"


def test_a_name_that_a_template_left_wants_the_file_of_its_squad() -> None:
    files = {**TEAM, "squads/etl-squad/.synapse/manifest": "DOMAIN_STATE=active\n"}
    told = domain(plan_of(files), "ETL_DOMAIN")
    assert told.remedy == "create squads/etl-squad/.synapse/rules"


def test_a_domain_that_nothing_can_wake_says_so() -> None:
    manifest = TEAM[".synapse/manifest"].replace("DOCS_RECALL=readme\n", "")
    told = domain(plan_of({**TEAM, ".synapse/manifest": manifest}), "DOCS")
    assert told.reason.startswith("nothing can activate it")


def test_a_cut_rule_names_the_budget() -> None:
    rules = "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 100}\n" for i in range(60))
    told = domain(plan_of({**TEAM, ".synapse/global": rules}), "GLOBAL")
    said = (
        "it does not fit into the budget of MODERATE (1500 tokens); "
        "most clients inject it with the next replies"
    )
    assert told.rules[-1].reason == said
    assert 0 < told.rendered_count < 60


def test_a_rule_of_another_bracket_names_it() -> None:
    told = domain(PLAN, "CONTEXT")
    reasons = {rule.text: rule.reason for rule in told.rules}
    assert reasons["Read before you write"] == "it is for FRESH; the bracket is MODERATE"


@pytest.mark.parametrize(
    ("label", "prompt", "remaining", "attempt"),
    [
        ("AGENT_QA", "", 50, {"agent": "qa"}),
        ("TESTING", "", 50, {"prompt": "unit test"}),
        ("WORKFLOW_STORY_DEV", "", 50, {"workflow": "story_development"}),
        ("SLEEPY", "", 50, None),
        ("GUARDRAILS", "", 50, None),
    ],
)
def test_a_remedy_about_the_situation_can_be_tried_out(
    label: str, prompt: str, remaining: int, attempt: dict[str, str] | None
) -> None:
    assert domain(LIVE, label, prompt, remaining=remaining).explanation.attempt == attempt


def test_a_remedy_that_is_tried_out_brings_the_rule_in() -> None:
    waiting = [
        each
        for each in account_for_domains(LIVE, block(LIVE, ""))
        if not each.rendered_count and each.explanation.attempt is not None
    ]
    assert waiting
    for each in waiting:
        attempt = dict(each.explanation.attempt or {})
        prompt = attempt.pop("prompt", "")
        assert domain(LIVE, each.label, prompt, **attempt).rendered_count


def test_a_reason_is_told_as_codes_too() -> None:
    told = domain(LIVE, "AGENT_QA", agent="dev").explanation
    assert to_json(reason_report(told)) == {
        "reason": "@dev is active, not @qa",
        "because": [{"code": "other-agent", "values": ["dev", "qa"]}],
        "remedy": "activate @qa",
        "change": {"code": "activate-agent", "values": ["qa"]},
        "attempt": {"agent": "qa"},
    }


def test_every_phrase_has_as_many_values_as_places() -> None:
    for remaining in (100, 30, 10):
        for prompt in ("", "manual coverage", "coverage *brief"):
            for plan in (PLAN, LIVE):
                for each in account_for_domains(plan, block(plan, prompt, remaining=remaining)):
                    for why in (each.explanation, *(rule.explanation for rule in each.rules)):
                        for one in (*why.reasons, *filter(None, [why.remedy_phrase])):
                            places = set(re.findall(r"\{(\d)\}", SENTENCES[one.code]))
                            assert len(places) == len(one.values)


def test_every_reason_of_a_keyword_domain_is_named_at_once() -> None:
    told = domain(PLAN, "DOCS", remaining=100)
    assert told.reason == (
        'the prompt has none of its keywords ("readme"); L6 is inactive in FRESH until MODERATE (40–60% left)'
    )
    assert told.remedy.startswith(
        'say "readme" in the prompt, and run `synapse profile use synapse-live`'
    )


def test_what_is_off_says_what_would_keep_it_out_then() -> None:
    manifest = TEAM[".synapse/manifest"].replace("DOCS_STATE=active", "DOCS_STATE=inactive")
    told = domain(plan_of({**TEAM, ".synapse/manifest": manifest}), "DOCS", remaining=100)
    first, second, third = told.reason.split("; ")
    assert first == "DOCS_STATE is not active"
    assert second.startswith("the prompt has none") and third.startswith("L6 is inactive in FRESH")
    assert told.remedy.startswith("set DOCS_STATE=active")
