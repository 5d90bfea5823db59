"""What the cases of a tree find in its blocks."""

from __future__ import annotations

import pytest

from synapse_ls.formats.tree_tests import parse
from synapse_ls.ide.tree_test_runner import CaseOutcome, run_case
from synapse_ls.ide.tree_view import CompiledTree
from tests.trees import TEAM, tree_of


def outcome(fields: str) -> CaseOutcome:
    """What comes of one case in the tree of a team."""
    [case] = parse(f'[[case]]\nname = "it"\n{fields}\n').document.cases
    return run_case(CompiledTree(tree_of(TEAM), "root"), case)


@pytest.mark.parametrize(
    "fields",
    [
        'domains = ["GLOBAL"]',
        'domains = ["global"]',
        'prompt = "a unit test"\nbracket = "MODERATE"\ndomains = ["TESTING"]',
        'agent = "dev"\ndomains = ["AGENT_DEV"]\nno_domains = ["AGENT_QA", "SLEEPY"]',
        'prompt = "@qa have a look"\ndomains = ["AGENT_QA"]',
        'rules = ["GLOBAL_RULE_1"]\nno_rules = ["AGENT_QA_RULE_0"]',
        'texts = ["write SMALL\\nfunctions"]\nno_texts = ["arrange"]',
        "remaining = 10\nmax_tokens = 2500",
    ],
)
def test_holds(fields: str) -> None:
    assert outcome(fields).failures == ()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            'prompt = "unit test"\ndomains = ["TESTING"]\nbracket = "FRESH"',
            "TESTING is not in the block: L6 is inactive in FRESH until MODERATE",
        ),
        ('domains = ["AGENT_QA"]', "AGENT_QA is not in the block: no agent is active, not @qa."),
        ('domains = ["SLEEPY"]', "SLEEPY is not in the block: "),
        ('no_domains = ["GLOBAL"]', "GLOBAL is in the block: it holds for every prompt."),
        ('rules = ["AGENT_QA_RULE_0"]', "AGENT_QA_RULE_0 is not in the block: no agent is active"),
        ('no_rules = ["GLOBAL_RULE_1"]', "GLOBAL_RULE_1 is in the block: "),
        ('texts = ["acceptance criterion"]', "AGENT_QA_RULE_0 is left out"),
        ('texts = ["be funny"]', 'Neither the block nor any rule of the tree says "be funny".'),
        ('no_texts = ["small functions"]', 'GLOBAL_RULE_0 says "small functions".'),
        ("max_tokens = 10", "more than expected."),
        ('domains = ["TESTNG"]', "The tree has no domain TESTNG."),
        ('rules = ["GLOBAL_RULE_9"]', "The tree has no rule GLOBAL_RULE_9."),
        ('agent = "devv"\nmax_tokens = 900', "agent @devv"),
        ('workflow = "nope"\nmax_tokens = 900', "no workflow is called nope"),
        ('bracket = "FRISH"\nmax_tokens = 900', "no bracket 'FRISH'"),
        (
            'domian = ["GLOBAL"]\nmax_tokens = 900',
            "no setting `domian`, so the case fails. Delete it.",
        ),
        (
            'texts = ["x"]\nmax_tokens = "10"',
            "`max_tokens` is not a whole number, so the case fails.",
        ),
    ],
)
def test_fails(fields: str, message: str) -> None:
    [failure] = outcome(fields).failures
    assert message in failure.message


def test_a_failure_has_the_place_of_its_expectation_and_a_remedy() -> None:
    fields = 'domains = ["GLOBAL", "TESTING"]'
    [failure] = outcome(fields).failures
    assert failure.span.cut(f'[[case]]\nname = "it"\n{fields}\n') == "TESTING"
    assert failure.remedy == (
        'Say "unit test" in the prompt, and run `synapse profile use synapse-live`.'
    )


def test_an_outcome_knows_the_block_it_met() -> None:
    found = outcome("remaining = 30\nmax_tokens = 2000")
    assert found.bracket == "DEPLETED"
    assert found.tokens > 0
