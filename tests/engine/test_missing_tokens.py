"""How many tokens a budget lacks, against blocks with that budget and with one token less."""

from __future__ import annotations

from copy import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.block_assembly import Assembly, assemble_block, count_missing_tokens
from synapse_ls.engine.block_renderer import count_needed_tokens, fit_sections
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.compiled_plan import Bracket, Plan
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG
from synapse_ls.workspace.tree_loader import load_tree
from tests.engine.test_budget_fit import LAYOUT, SYNAPSE, blocks
from tests.support import corpus
from tests.trees import plan_of

PROFILES = ("synapse", "synapse-live")


def block_with(plan: Plan, bracket: Bracket, agent: str, more: int) -> Assembly:
    """The block of an empty prompt where the budget of a bracket is larger by ``more`` tokens."""
    usage = measure_usage(reported=bracket.floor)
    situation = resolve_situation(plan, Request(agent=agent, bracket=bracket.name), usage)
    situation.bracket = copy(situation.bracket)
    situation.bracket.budget += more
    return assemble_block(plan, situation)


def is_rule(entry: Entry) -> bool:
    return bool(entry.file)


def is_whole(assembly: Assembly) -> bool:
    return not assembly.is_over_budget and not any(map(is_rule, assembly.cut_entries))


def every_figure_is_the_least_that_is_enough(plan: Plan) -> int:
    """Check each bracket without an agent and with each; how many of them lack tokens."""
    lacking = 0
    for bracket in plan.profile.brackets:
        for agent in ("", *plan.by_agent):
            assembly = block_with(plan, bracket, agent, 0)
            missing = count_missing_tokens(plan, assembly, is_rule)
            assert is_whole(block_with(plan, bracket, agent, missing)), (bracket.name, agent)
            if missing:
                lacking += 1
                assert not is_whole(block_with(plan, bracket, agent, missing - 1))
            assert bool(missing) != is_whole(assembly)
    return lacking


@given(blocks(), st.sampled_from(["GLOBAL", "AGENT", "KEYWORD", "STAR", "SUMMARY"]))
def test_the_least_budget_of_any_sections_is_enough_and_one_less_is_not(
    sections: list[Section], rank: str
) -> None:
    def keeps(tokens: int) -> bool:
        fitted = fit_sections(SYNAPSE, LAYOUT, sections, 4 * tokens)
        return not fitted.is_over and all(entry.rank != rank for entry in fitted.cut)

    needed = count_needed_tokens(SYNAPSE, LAYOUT, sections, lambda entry: entry.rank == rank)
    assert keeps(needed)
    assert not keeps(needed - 1)


@st.composite
def crowded_trees(draw: st.DrawFn) -> dict[str, str]:
    """A constitution, rules of every block and of agents, and words that bring more."""
    manifest, files = [], {CONFIG: f'profile = "{draw(st.sampled_from(PROFILES))}"\n'}
    for domain, setting in (
        ("CONSTITUTION", "NON_NEGOTIABLE=true"),
        ("GLOBAL", "ALWAYS_ON=true"),
        ("CONTEXT", "ALWAYS_ON=true"),
        ("AGENT_DEV", "AGENT_TRIGGER=dev"),
        ("AGENT_QA", "AGENT_TRIGGER=qa"),
        ("BILLING", "RECALL=invoice, receipt"),
        ("AREA", "ALWAYS_ON=true"),
    ):
        if not draw(st.booleans()):
            continue
        manifest.append(f"{domain}_STATE=active\n{domain}_{setting}\n")
        stem = f"{domain}_RULE_ART1" if domain == "CONSTITUTION" else f"{domain}_RULE"
        text = draw(st.sampled_from(["Look at part {} first.", "Say it of {} in words. " * 6]))
        files[f".synapse/{domain.lower().replace('_', '-')}"] = "".join(
            f"{stem}_{n}={text.replace('{}', str(n)).strip()}\n"
            for n in range(draw(st.integers(1, 60)))
        )
    return {".synapse/manifest": "".join(manifest) or "# nothing\n", **files}


@given(crowded_trees())
def test_the_missing_tokens_of_any_tree_are_enough_and_one_less_is_not(
    files: dict[str, str],
) -> None:
    every_figure_is_the_least_that_is_enough(plan_of(files))


@pytest.mark.parametrize("name", ["aiox", "carl", "many-domains"])
def test_the_missing_tokens_of_real_trees_are_enough_and_one_less_is_not(name: str) -> None:
    root = str(corpus() / name)
    plan = compile_plan(Tree(load_tree(root, LoadScope.ALL).index.snapshot()), root)
    lacking = every_figure_is_the_least_that_is_enough(plan)
    assert bool(lacking) == (name != "carl")
