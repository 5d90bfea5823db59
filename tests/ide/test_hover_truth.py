"""A hover says no more and no less than the block: remedies work, names and numbers are the block's."""

from __future__ import annotations

import pytest

from synapse_ls.engine.rule_account import account_for_domains
from tests.ide.views import Asked, block_in, check_hover, view_of
from tests.trees import TEAM, Files

OVERRIDDEN: Files = {
    **TEAM,
    "squads/card-squad/squad.yaml": "name: card-squad\nversion: 1.0.0\nextends: override\n",
    "squads/card-squad/.synapse/manifest": (
        "CARD_EXTENDS=override\nDOCS_STATE=active\nDOCS_RECALL=readme\n"
    ),
    "squads/card-squad/.synapse/docs": "DOCS_RULE_0=Never print a card number\n",
}
TASK = ".aiox-core/development/tasks/build.md"
BUILD = "# Build\n\n**Acceptance Criteria:**\n- [ ] it works\n"


def test_a_domain_that_its_own_keyword_does_not_bring_in_says_what_is_in_the_way() -> None:
    marked = TEAM[".synapse/manifest"].replace("DOCS_RECALL", "«DOCS_RECALL»")
    markdown = Asked(".synapse/manifest", marked, OVERRIDDEN).hover()
    assert 'say "readme"' not in markdown
    assert "for the prompt `readme` either**: squad domain CARD\\_DOCS" in markdown.replace(
        "CARD_DOCS", "CARD\\_DOCS"
    )
    assert "overrides it" in markdown


def test_a_task_goes_by_its_name_as_on_the_command_line() -> None:
    markdown = Asked(TASK, BUILD.replace("# Build", "«# Build»")).hover()
    view = view_of({**TEAM, TASK: BUILD})
    assert block_in(markdown) == view.block("MODERATE", task="build").text


def test_the_active_task_shows_the_block_now() -> None:
    asked = Asked(TASK, BUILD.replace("# Build", "«# Build»"), remaining=50, task="build")
    markdown = asked.hover()
    assert "**In the block now**" in markdown
    assert "The block now: MODERATE" in markdown
    assert block_in(markdown) == asked.view.assembly.text


def test_a_name_that_two_tasks_have_is_told_apart_by_the_path() -> None:
    other = "squads/etl-squad/tasks/build.md"
    files = {**TEAM, "squads/etl-squad/squad.yaml": "name: etl-squad\nversion: 1.0.0\n"}
    both = view_of({**files, TASK: BUILD, other: BUILD}).plan.tasks
    path = next(path for path in (TASK, other) if both.get("build") != path)
    files = {**files, TASK: BUILD, other: BUILD}
    check_hover(path, BUILD.replace("# Build", "«# Build»"), f"Active Task: {path}", files=files)


def test_the_rule_of_a_star_command_is_shown_for_a_prompt_that_says_it() -> None:
    check_hover(
        ".synapse/commands",
        "# [*brief] COMMAND:\nCOMMANDS_RULE_BRIEF_0=«Five points at most»\n",
        "| for the prompt `*brief` | awake | in the block | tokens |",
        "| **FRESH** | yes | 1 of 1 |",
    )


def test_the_domain_of_star_commands_is_shown_for_one_of_them() -> None:
    marked = TEAM[".synapse/manifest"].replace("COMMANDS_STATE", "«COMMANDS_STATE»")
    assert "| **FRESH** | yes | out |" not in Asked(".synapse/manifest", marked).hover()


@pytest.mark.parametrize(
    "situation",
    [
        {"agent": "dev"},
        {"agent": "qa", "workflow": "story_development"},
        {"prompt": "coverage, readme, *brief"},
    ],
)
def test_a_rule_costs_the_same_in_the_block_and_out_of_it(situation: dict[str, str]) -> None:
    rules = "".join(f"DOCS_RULE_{n}={'x' * n}\n" for n in range(12))
    view = view_of({**TEAM, ".synapse/docs": rules}, remaining=10)
    costs = {
        (rule.domain, rule.line): rule.tokens
        for domain in account_for_domains(view.plan, view.assembly)
        for rule in domain.rules
        if not rule.is_rendered
    }
    told = [
        rule
        for domain in account_for_domains(view.plan, view.block(**situation))
        for rule in domain.rules
        if rule.is_rendered and (rule.domain, rule.line) in costs
    ]
    assert told
    assert {(r.domain, r.line): r.tokens for r in told}.items() <= costs.items()
