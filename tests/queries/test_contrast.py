"""What differs between two blocks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.queries.context_question import Answer
from synapse_ls.queries.context_report import comparison_report
from tests.trees import TEAM, plan_of

RULE = "DOCS_RULE_{}=A rule about documents that is long enough to cost many tokens, number {}\n"
PLAN = plan_of(
    {**TEAM, ".synapse/docs": "".join(RULE.format(number, number) for number in range(60))}
)


def block(prompt: str = "", agent: str = "", remaining: float = 50) -> Answer:
    request = Request(prompt, agent=agent)
    situation = resolve_situation(PLAN, request, measure_usage(reported=remaining))
    return Answer(PLAN, assemble_block(PLAN, situation), None, (), "")


def test_a_rule_that_no_longer_applies_is_removed_and_one_that_does_is_added() -> None:
    found = comparison_report(block(agent="dev"), block(agent="qa"))
    assert {entry.key for entry in found.added if entry.file} == {
        "AGENT_QA_AUTH_0",
        "AGENT_QA_RULE_0",
    }
    assert {entry.key for entry in found.removed if entry.file} == {
        "AGENT_DEV_AUTH_0",
        "AGENT_DEV_RULE_0",
    }
    assert found.crowded == found.fitting == []


def test_rules_that_apply_but_do_not_fit_any_more_are_crowded_out() -> None:
    wide, narrow = block("readme", remaining=45), block("readme", remaining=90)
    narrow.assembly.wanted_sections = wide.assembly.wanted_sections
    narrow.assembly.sent_sections = [wide.assembly.sent_sections[0]]
    found = comparison_report(wide, narrow)
    assert found.crowded == found.removed
    assert found.crowded
    assert comparison_report(narrow, wide).fitting == found.crowded


@settings(deadline=None)
@given(
    st.sampled_from(["", "readme", "unit test", "*brief"]),
    st.sampled_from(["", "dev", "qa"]),
    st.sampled_from([90, 50, 30, 10]),
)
def test_both_ways_tell_the_same_story(prompt: str, agent: str, remaining: float) -> None:
    one, other = block(), block(prompt, agent, remaining)
    there, back = comparison_report(one, other), comparison_report(other, one)
    assert (there.added, there.removed) == (back.removed, back.added)
    assert (there.crowded, there.fitting) == (back.fitting, back.crowded)
    assert comparison_report(one, one).added == comparison_report(one, one).removed == []
