"""What the comparison of two trees tells."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from synapse_ls.ide.tree_view import CompiledTree
from synapse_ls.queries.tree_comparison import (
    Comparison,
    compare_trees,
    describe_change,
    describe_prompts,
)
from tests.trees import TEAM, tree_of

LIVE = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}


def compared(before: Mapping[str, str], after: Mapping[str, str]) -> Comparison:
    return compare_trees(
        CompiledTree(tree_of(before), "root"), CompiledTree(tree_of(after), "root")
    )


def told(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """A line for each change: who meets it, and what it does."""
    comparison = compared(before, after)
    return [
        f"{describe_prompts(change, comparison)}: {describe_change(change)}"
        for change in comparison.changes
    ]


def changed(path: str, old: str, new: str) -> dict[str, str]:
    assert old in LIVE[path]
    return {**LIVE, path: LIVE[path].replace(old, new)}


def test_the_same_tree_differs_in_nothing() -> None:
    assert told(LIVE, LIVE) == []


def test_a_new_global_rule_is_told_once() -> None:
    after = changed(".synapse/global", "GLOBAL_RULE_2=", "GLOBAL_RULE_3=Ask first\nGLOBAL_RULE_2=")
    [line] = told(LIVE, after)
    assert line.startswith("Every prompt: adds 1 rule, +")


def test_a_rule_of_an_agent_concerns_that_agent() -> None:
    after = changed(".synapse/agent-qa", "Check every acceptance criterion", "Check it twice")
    [line] = told(LIVE, after)
    assert line.startswith("@qa: changes 1 rule, -")


def test_a_new_keyword_brings_its_domain_in() -> None:
    after = changed(".synapse/manifest", "RECALL=readme", "RECALL=readme,changelog")
    [line] = told(LIVE, after)
    assert line.startswith('"changelog": adds ')


def test_a_lost_keyword_leaves_its_domain_out() -> None:
    after = changed(".synapse/manifest", "unit test,coverage", "unit test")
    [line] = told(LIVE, after)
    assert line.startswith('"coverage": removes ')


def test_a_new_exclusion_is_tried_beside_a_keyword() -> None:
    after = changed(".synapse/manifest", "EXCLUDE=manual", "EXCLUDE=manual,smoke")
    [line] = told(LIVE, after)
    assert line.startswith('"unit test smoke": removes ')


def test_a_word_that_stops_all_recall_is_tried_with_each_domain() -> None:
    after = changed(
        ".synapse/manifest", "CONSTITUTION_STATE", "GLOBAL_EXCLUDE=draft\nCONSTITUTION_STATE"
    )
    assert {line.partition(":")[0] for line in told(LIVE, after)} == {
        '"readme draft"',
        '"coverage draft", "unit test draft"',
    }


def test_a_rule_that_pushes_another_one_out_is_blamed() -> None:
    long = f"GLOBAL_RULE_1={'Name things well, and do it early. ' * 90}\nGLOBAL_RULE_2="
    text = TEAM[".synapse/global"]
    start = text.index("GLOBAL_RULE_1=")
    after = {**TEAM, ".synapse/global": text[:start] + long + text.partition("GLOBAL_RULE_2=")[2]}
    assert any("GLOBAL_RULE_1–2 no longer fit" in line for line in told(TEAM, after))


def test_a_domain_that_wakes_earlier_is_told_for_that_bracket() -> None:
    comparison = compared(TEAM, LIVE)
    keyword = next(c for c in comparison.changes if c.blocks[0].question.kind == "keyword")
    assert {met.bracket for met in keyword.blocks} == {"FRESH"}
    workflow = next(c for c in comparison.changes if c.blocks[0].question.kind == "workflow")
    assert describe_prompts(workflow, comparison) == "Workflow story_development in FRESH"


@pytest.mark.parametrize("is_new", [True, False])
def test_brackets_of_other_names_are_compared_where_as_much_context_is_left(is_new: bool) -> None:
    profile = '\n[profiles.own]\nextends = "synapse-live"\nuse_brackets = ["FRESH", "REST"]\n'
    config = f'profile = "own"\n{profile}[profiles.own.brackets.REST]\nfloor = 0\n'
    renamed = {**LIVE, ".synapse/config.toml": config}
    after = changed(".synapse/global", "GLOBAL_RULE_2=", "GLOBAL_RULE_3=Ask first\nGLOBAL_RULE_2=")
    if is_new:
        comparison = compared(LIVE, {**renamed, ".synapse/global": after[".synapse/global"]})
        rest = ["REST (was MODERATE)", "REST (was DEPLETED)", "REST (was CRITICAL)"]
    else:
        comparison = compared(renamed, after)
        rest = ["MODERATE (was REST)", "DEPLETED (was REST)", "CRITICAL (was REST)"]
    assert comparison.brackets == ("FRESH", *rest)
    added = ("GLOBAL", "GLOBAL_RULE_3"), "Ask first"
    changes = [change for change in comparison.changes if added in change.delta.added]
    assert {met.bracket for change in changes for met in change.blocks} == {"FRESH", *rest}


@pytest.mark.parametrize(
    ("trigger", "who"),
    [("PATHS=src/**/*.ts", "A file of src/**/*.ts"), ("EVERY_N_TURNS=5", "Prompt 5")],
)
def test_a_domain_that_paths_or_turns_bring_is_compared(trigger: str, who: str) -> None:
    manifest = f"{LIVE['.synapse/manifest']}\nEXTRA_STATE=active\nEXTRA_{trigger}\n"
    after = {**LIVE, ".synapse/manifest": manifest, ".synapse/extra": "EXTRA_RULE_0=Ask first\n"}
    assert any(line.startswith(f"{who}: adds 1 rule") for line in told(LIVE, after))


def test_the_tests_of_a_tree_are_asked_too() -> None:
    tests = '[[case]]\nname = "both"\nprompt = "readme and coverage"\nmax_tokens = 900\n'
    before = {**LIVE, ".synapse/tests/a.toml": tests}
    after = {
        **before,
        ".synapse/manifest": before[".synapse/manifest"].replace(
            "GLOBAL_STATE=", "GLOBAL_EXCLUDE=and\nGLOBAL_STATE=", 1
        ),
    }
    assert any(line.startswith("Test 'both': removes ") for line in told(before, after))
