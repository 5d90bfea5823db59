"""Squads: namespace, extends modes, activation."""

from __future__ import annotations

from synapse_ls.engine.compiled_plan import Plan
from tests.engine.blocks import block, section
from tests.trees import TEAM, Files, plan_of


def squad(folder: str, mode: str, manifest: str, **rules: str) -> dict[str, str]:
    base = f"squads/{folder}"
    return {
        f"{base}/squad.yaml": f"name: {folder}\nversion: 1.0.0\nconfig:\n  extends: {mode}\n",
        f"{base}/.synapse/manifest": manifest,
        **{f"{base}/.synapse/{name.replace('_', '-')}": text for name, text in rules.items()},
    }


def plan(*squads: Files) -> Plan:
    files = dict(TEAM)
    for each in squads:
        files.update(each)
    return plan_of(files, "synapse-live")


ETL = squad(
    "etl-squad",
    "extend",
    "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\nPIPELINE_EXCLUDE=frontend\n",
    pipeline="PIPELINE_RULE_0=Validate on both sides\n",
)
STRICT = squad(
    "strict",
    "override",
    "TESTING_STATE=active\nTESTING_RECALL=fuzzing\n",
    testing="TESTING_RULE_0=Fuzz everything\n",
)
LONER = squad(
    "loner",
    "none",
    "GUARDRAILS_STATE=active\nGUARDRAILS_ALWAYS_ON=true\nGUARDRAILS_RECALL=coverage\n",
    guardrails="GUARDRAILS_RULE_0=Alone\n",
)


def test_a_squad_takes_part_when_its_keyword_is_said() -> None:
    told = section(block(plan(ETL), "fix the pipeline"), "[SQUAD: etl-squad]")
    assert told.splitlines() == [
        "[SQUAD: etl-squad]",
        '  ETL_PIPELINE (matched "pipeline"):',
        "    1. Validate on both sides",
    ]


def test_a_squad_nobody_mentions_is_silent() -> None:
    assert "[SQUAD" not in block(plan(ETL, STRICT, LONER), "hello").text


def test_an_exclude_of_a_squad_stops_its_recall() -> None:
    assert "[SQUAD" not in block(plan(ETL), "frontend pipeline").text


def test_the_active_squad_brings_all_its_domains() -> None:
    told = section(block(plan(ETL), squad="etl-squad"), "[SQUAD: etl-squad]")
    assert "ETL_PIPELINE (squad active):" in told


def test_extend_adds_to_the_root() -> None:
    text = block(plan(ETL), "pipeline coverage").text
    assert "Validate on both sides" in text and "Arrange, act, assert" in text


def test_override_replaces_the_root_domain_of_the_same_name_while_it_is_active() -> None:
    text = block(plan(STRICT), "fuzzing and coverage").text
    assert "Fuzz everything" in text
    assert "Arrange, act, assert" not in text


def test_override_leaves_the_root_alone_while_its_domain_sleeps() -> None:
    assert "Arrange, act, assert" in block(plan(STRICT), "coverage").text


def test_a_non_negotiable_root_domain_cannot_be_overridden() -> None:
    files = {**TEAM, **STRICT}
    files[".synapse/manifest"] += "TESTING_NON_NEGOTIABLE=true\n"
    text = block(plan_of(files, "synapse-live"), "fuzzing and coverage").text
    assert "Arrange, act, assert" in text


def test_the_constitution_cannot_be_overridden() -> None:
    rebel = squad(
        "rebel",
        "override",
        "CONSTITUTION_STATE=active\nCONSTITUTION_ALWAYS_ON=true\n",
        constitution="CONSTITUTION_RULE_0=Anything goes\n",
    )
    text = block(plan(rebel)).text
    assert "everything works from the command line" in text


def test_none_counts_only_while_its_squad_is_active() -> None:
    assert "Alone" not in block(plan(LONER), "coverage").text
    assert "Alone" in block(plan(LONER), "coverage", squad="loner").text


def test_an_agent_of_a_squad_makes_it_active() -> None:
    files = {**ETL, "squads/etl-squad/agents/etl-agent.md": "# Etl\n"}
    made = block(plan(files), agent="etl-agent")
    assert made.situation.squad == "etl-squad"
    assert made.situation.squad_source == "agent"
