"""This module says what a tree that is only planned would cost: the block of a session's first
prompt, and all that is told sooner or later whatever a prompt says.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.compiled_plan import load_plan
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.engine.token_estimate import estimate_tokens
from synapse_ls.workspace.rule_tree import Tree


@dataclass(frozen=True, slots=True)
class FirstBlock:
    """A FirstBlock is the block of a session's first prompt, with its size. budget: the tokens that
    it may have. told, left: how many rules are in it, and how many the budget leaves to later
    replies; late: the domains that these are of.
    """

    tokens: int
    budget: int
    told: int
    left: int
    late: tuple[str, ...] = ()


def measure_first_block(tree: Tree, prompt: str = "") -> FirstBlock:
    """Returns the size of the block that a first prompt gets, one that wakes nothing unless it is
    given.
    """
    plan = load_plan(*compile_plan(tree, "").to_bytes())
    assert plan is not None
    situation = resolve_situation(plan, Request(prompt), measure_usage(reported=100))
    block = assemble_block(plan, situation)
    wanted = sum(bool(entry.file) for part in block.wanted_sections for entry in part.entries)
    late = [entry.domain for entry in block.cut_entries if entry.file]
    told = wanted - len(late)
    domains = tuple(sorted(set(late)))
    return FirstBlock(estimate_tokens(block.text), block.budget, told, len(late), domains)


def first_block_tokens(tree: Tree, prompt: str = "") -> int:
    """Returns the tokens of the block that a first prompt gets, one that wakes nothing unless it is
    given.
    """
    return measure_first_block(tree, prompt).tokens


def always_told_tokens(tree: Tree) -> int:
    """Returns the size of all the rules that every session is told, in tokens, however many replies
    that takes.
    """
    return sum(
        estimate_tokens(rule.text)
        for domain in tree.domains
        if domain.is_active
        and (domain.builtin or (domain.declaration and domain.declaration.always_on))
        for rule in tree.rules_of(domain)
    )
