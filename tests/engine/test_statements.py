"""What SYNAPSE Context Brackets says in tables, as tables."""

from __future__ import annotations

from synapse_ls.engine.profile import Profile
from synapse_ls.engine.profiles.synapse import ALL, PROFILE
from synapse_ls.service.usage import usage_of
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
    assert all(awake == set(ALL) for awake in layers.values())


def test_the_order_of_removal() -> None:
    said = ["SUMMARY", "KEYWORD", "SQUAD", "TASK", "WORKFLOW", "AGENT"]
    assert [rank for rank in SYNAPSE.drop if rank in said] == said
    assert "CONSTITUTION" in SYNAPSE.protected


def test_the_table_wins_over_the_prose_of_a_bracket() -> None:
    found = block(plan_of(TEAM), "write a unit test", remaining=30)
    assert "[KEYWORD MATCHES]" in found.text
    critical = block(plan_of(TEAM), "write a unit test", remaining=10)
    assert "[KEYWORD MATCHES]" in critical.text


def test_the_constants_of_the_estimate_can_be_configured() -> None:
    own = "[usage]\navg_tokens_per_prompt = 4000\nmax_context = 100000\n"
    session = {"prompt_count": 11}
    usual = usage_of(plan_of(TEAM), session)
    configured = usage_of(plan_of({**TEAM, ".synapse/config.toml": own}), session)
    assert (usual.percent, configured.percent) == ("91.8", "56")
