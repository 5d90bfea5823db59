"""A hover says no more and no less than the block: remedies work, names and numbers are the block's."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.engine.situation import Request
from synapse_ls.ide.hover import hover
from synapse_ls.ide.hover_markdown import MOST_LINES
from synapse_ls.ide.tree_view import CompiledTree, view_for_request
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.ide.views import Asked, block_in, check_hover, view_of
from tests.support import corpus
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
    assert block_in(markdown).startswith("[TASK CONTEXT]\n  Active Task: build\n")
    assert block_in(markdown) in view.block("MODERATE", task="build").text


def test_the_active_task_shows_the_block_now() -> None:
    asked = Asked(TASK, BUILD.replace("# Build", "«# Build»"), remaining=50, task="build")
    markdown = asked.hover()
    assert "**In the block now**" in markdown
    assert "The block now: MODERATE" in markdown
    assert block_in(markdown) in asked.view.assembly.text


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
        "The block for the prompt `*brief`: FRESH",
        "1. Five points at most\n```\n\n**Not in the block now**",
        "In every bracket: 1 of 1, 7 tokens",
    )


def test_the_domain_of_star_commands_names_each_of_them() -> None:
    marked = TEAM[".synapse/manifest"].replace("COMMANDS_STATE", "«COMMANDS_STATE»")
    commands = (
        "# [*brief] COMMAND:\nCOMMANDS_RULE_BRIEF_0=Five points at most\n"
        "# [*long] COMMAND:\nCOMMANDS_RULE_LONG_0=Say all\nCOMMANDS_RULE_LONG_1=Say why\n"
    )
    markdown = Asked(".synapse/manifest", marked, {**TEAM, ".synapse/commands": commands}).hover()
    assert re.search(
        r"`\*brief` \(1 rule, \d+ tokens\), `\*long` \(2 rules, \d+ tokens\)\.", markdown
    )
    assert "[whole block]" not in markdown


def test_the_whole_block_is_reached_by_a_link_or_a_command_for_the_same_situation() -> None:
    manifest = ".synapse/manifest"
    marked = TEAM[manifest].replace("=unit test,", "=«unit test»,")
    markdown = Asked(manifest, marked).hover()
    link = '[{"prompt": "unit test", "bracket": "MODERATE"}]'
    assert f"([whole block](command:synapse.showContext?{quote(link)}))" in markdown
    asked = Asked(manifest, marked)
    told = hover(asked.view, manifest, asked.span.start, runs_links=False)
    assert told is not None
    assert "(whole: `synapse context --prompt 'unit test' --bracket MODERATE`)" in told.markdown


def test_a_long_block_gives_way_and_says_how_much_is_left_out() -> None:
    rules = "".join(f"GLOBAL_RULE_{n}=Rule number {n}\n" for n in range(20))
    marked = TEAM[".synapse/manifest"].replace("GLOBAL_STATE", "«GLOBAL_STATE»")
    markdown = Asked(".synapse/manifest", marked, {**TEAM, ".synapse/global": rules}).hover()
    assert shown_lines(markdown) == MOST_LINES
    assert "1. Rule number 0\n" in markdown
    assert " more lines\n```" in markdown


def shown_lines(markdown: str) -> int:
    """The lines that an editor shows, where none is wrapped: fences and the line below a table's
    head are not shown.
    """
    hidden = ("```", "|---")
    return sum(1 for line in markdown.splitlines() if line.strip() and not line.startswith(hidden))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aiox", "carl", "chati", "many-domains"])
def test_no_hover_of_a_real_tree_is_longer_than_a_dozen_lines(name: str) -> None:
    folder = str(corpus() / name)
    tree = Tree(load_tree(folder, LoadScope.ALL).index.snapshot())
    view = view_for_request(CompiledTree(tree, folder), Request(), 45)
    longest = 0
    for path in tree.snapshot.paths():
        facts, at = tree.snapshot.facts(path), 0
        while facts and at <= len(facts.text):
            found = hover(view, path, at)
            longest = max(longest, shown_lines(found.markdown) if found else 0)
            at = max(at, found.span.end if found else 0) + 1
    assert 0 < longest <= MOST_LINES


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
