"""What SYNAPSE Context Brackets says in tables, as tables."""

from __future__ import annotations

import pytest

from synapse_ls.engine.active_task import TaskFacts
from synapse_ls.engine.compiled_plan import Plan, Profile
from synapse_ls.engine.systems.synapse.profile import ALL_LAYERS, PROFILE
from synapse_ls.formats.session_file import SessionState
from synapse_ls.integrations.model_windows import measure_window_usage
from tests.engine.blocks import block
from tests.trees import TEAM, plan_of

SYNAPSE = Profile(PROFILE)


def test_the_brackets_of_the_reference() -> None:
    rows = [(b.name, b.floor, b.budget, b.memory != "none", b.handoff) for b in SYNAPSE.brackets]
    assert rows == [
        ("FRESH", 60, 800, False, False),
        ("MODERATE", 40, 1500, False, False),
        ("DEPLETED", 25, 2000, True, False),
        ("CRITICAL", 0, 2500, True, True),
    ]


def test_the_layers_of_the_reference() -> None:
    layers = {bracket.name: bracket.layers for bracket in SYNAPSE.brackets}
    assert layers.pop("FRESH") == {"L0", "L1", "L2", "L7"}
    assert all(awake == set(ALL_LAYERS) for awake in layers.values())


def test_the_order_of_removal() -> None:
    said = ["SUMMARY", "KEYWORD", "SQUAD", "TASK", "WORKFLOW", "AGENT"]
    assert [rank for rank in SYNAPSE.drop if rank in said] == said
    assert "CONSTITUTION" in SYNAPSE.protected


SQUADS = {
    "squads/etl-squad/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
    "squads/etl-squad/.synapse/pipeline": "PIPELINE_RULE_0=Validate on both sides\n",
}
_HEADINGS = {
    "SUMMARY": "[LOADED DOMAINS SUMMARY]",
    "KEYWORD": "[KEYWORD MATCHES]",
    "SQUAD": "[SQUAD: etl-squad]",
    "TASK": "[TASK CONTEXT]",
    "WORKFLOW": "[ACTIVE WORKFLOW",
    "AGENT": "[ACTIVE AGENT",
    "CONSTITUTION": "[CONSTITUTION]",
}


def _told(plan: Plan, budget: int) -> list[str]:
    """The sections that have content of their own in a block of that budget."""
    for bracket in plan.profile.brackets:
        bracket.budget = budget
    made = block(
        plan,
        "cover the pipeline with a unit test",
        agent="dev",
        workflow="story-development-cycle",
        task="login",
        facts=TaskFacts("login", criteria=(("Opens", False),), path="t.md"),
    )
    full = [s for s in made.sent_sections if any(e.rank != "AUTHORITY" for e in s.entries)]
    return [
        name for name, start in _HEADINGS.items() if any(s.heading.startswith(start) for s in full)
    ]


def test_whole_sections_go_in_the_order_of_removal_as_the_budget_shrinks() -> None:
    gone: list[str] = []
    plan = plan_of({**TEAM, **SQUADS})
    for budget in range(500, 0, -1):
        gone += [name for name in _HEADINGS if name not in (*_told(plan, budget), *gone)]
    assert gone == ["SUMMARY", "KEYWORD", "SQUAD", "TASK", "WORKFLOW", "AGENT"]


def test_a_broken_layer_is_left_out_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr("synapse_ls.engine.systems.synapse.layers.keyword_sections", broken)
    made = block(plan_of(TEAM), "write a unit test", agent="dev")
    assert made.degraded_layers == {"L6": "RuntimeError: no"}
    assert "[KEYWORD MATCHES]" not in made.text
    assert "[CONSTITUTION]" in made.text and "[ACTIVE AGENT: @dev]" in made.text


def test_a_layer_that_sleeps_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("synapse_ls.engine.systems.synapse.layers.keyword_sections", never)
    assert block(plan_of(TEAM), "write a unit test", remaining=100).degraded_layers == {}


def test_the_table_wins_over_the_prose_of_a_bracket() -> None:
    found = block(plan_of(TEAM), "write a unit test", remaining=30)
    assert "[KEYWORD MATCHES]" in found.text
    critical = block(plan_of(TEAM), "write a unit test", remaining=10)
    assert "[KEYWORD MATCHES]" in critical.text


def test_the_constants_of_the_estimate_can_be_configured() -> None:
    own = "[usage]\navg_tokens_per_prompt = 4000\nmax_context = 100000\n"
    session = SessionState({"prompt_count": 11})
    usual = measure_window_usage(plan_of(TEAM), session)
    configured = measure_window_usage(plan_of({**TEAM, ".synapse/config.toml": own}), session)
    assert (usual.percent_text, configured.percent_text) == ("91.8", "56")
