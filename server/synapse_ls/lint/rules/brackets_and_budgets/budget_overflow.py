"""The rules that are in every block of a bracket need more than its budget.

## What it does

Assembles, for each bracket, the block of an empty prompt, without an agent and with each one, and
reports domains with rules that do not fit.

## Why it matters

A full block leaves these rules out. In a client that keeps what it was told they follow with the next replies, which
is a delay. Antigravity keeps nothing, and its later prompts never bring them. With `injection = "always"` each prompt
is sent the same full block, and only the use of a tool brings the rest: that is a loss, and a warning.

## Example

```bad
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global ×40 --
GLOBAL_RULE_0=Step 0 of a release: write down who did it, when, and how it was seen to work.
```

```good
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global ×20 --
GLOBAL_RULE_0=Step 0 of a release: write down who did it, when, and how it was seen to work.
```

## Evidence

SYNAPSE Context Brackets gives each bracket a budget of 800 to 2,500 tokens. Public trees with a
constitution and an agent exceed that of FRESH with the very first prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.engine.block_sections import Entry
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.engine.profile_model import Bracket
from synapse_ls.engine.rule_entries import INNER
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.engine.token_estimate import tokens_of_length
from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.later_replies import (
    describe_later_replies,
    overflow_remedy,
    severity_of_overflow,
)
from synapse_ls.lint.lint_rule import Reach, TreeRule
from synapse_ls.lint.tree_lookups import first_line_span, weak_cache
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.rule_tree import Tree

_MARKER = 5  # code points of a rule's number and line break
MAX_AGENTS_NAMED = 3  # above that, one finding speaks for all of them

CutKeys = Mapping[str, tuple[str, ...]]


class Overflow(NamedTuple):
    """An Overflow is what the budget cuts of a block: domain -> names of its rules; ``excess`` is about how many
    tokens these rules take.
    """

    cut: CutKeys
    excess: int


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yields findings about the smallest bracket that overflows, at the domains concerned."""
    manifest = facts.document
    if facts.path != tree.manifest_path or not isinstance(manifest, Manifest):
        return
    plan = _root_plan(tree)
    for bracket in sorted(plan.profile.brackets, key=lambda bracket: bracket.budget):
        block = _base_block(plan, bracket)
        if block.is_over_budget:
            yield _protected_finding(tree, manifest, facts, bracket, block)
            return
        overflow = _overflow_of(block)
        if overflow.cut:
            label = list(overflow.cut)[-1]
            yield _left_out_finding(tree, manifest, facts, bracket, overflow, label)
            return
        crowded: dict[str, Overflow] = {}
        labels: dict[str, str] = {}
        for agent in plan.by_agent:
            found = _overflow_of(_base_block(plan, bracket, agent))
            if own := _own_cuts(plan, agent, found.cut):
                crowded[agent] = found
                labels[agent] = list(own)[-1]
        if len(crowded) > MAX_AGENTS_NAMED:
            yield _crowded_agents_finding(tree, manifest, facts, bracket, crowded)
            return
        if crowded:
            yield from (
                _left_out_finding(tree, manifest, facts, bracket, found, labels[agent], agent)
                for agent, found in crowded.items()
            )
            return


def _protected_finding(
    tree: Tree, manifest: Manifest, facts: FileFacts, bracket: Bracket, block: Assembly
) -> Finding:
    """Returns the finding for what may never be left out and is over the budget by itself."""
    return Finding(
        _declaration_span(manifest, facts, "CONSTITUTION"),
        f"The constitution, the rules of the bracket and what is non-negotiable take {block.tokens} "
        f"tokens, and {bracket.name} has {bracket.budget}, so a full block has no other rules. "
        f"{describe_later_replies(tree)}",
        overflow_remedy(tree, block.tokens - bracket.budget),
        severity=severity_of_overflow(tree),
    )


def _left_out_finding(
    tree: Tree,
    manifest: Manifest,
    facts: FileFacts,
    bracket: Bracket,
    overflow: Overflow,
    label: str,
    agent: str = "",
) -> Finding:
    """Returns the finding at the domain ``label``, the most important one that loses rules."""
    keys = [key for keys in overflow.cut.values() for key in keys]
    rules = "1 rule does" if len(keys) == 1 else f"{len(keys)} rules do"
    lost = f"With @{agent}, {rules}" if agent else rules
    return Finding(
        _declaration_span(manifest, facts, label),
        f"{lost} not fit into {bracket.name} ({bracket.budget} tokens) beside what else stands in "
        f"every block, so a full block leaves them out: {summarize_keys(keys)}. "
        f"{describe_later_replies(tree)}",
        overflow_remedy(tree, overflow.excess),
        severity=severity_of_overflow(tree),
    )


def _crowded_agents_finding(
    tree: Tree,
    manifest: Manifest,
    facts: FileFacts,
    bracket: Bracket,
    crowded: Mapping[str, Overflow],
) -> Finding:
    """Returns one finding for many agents whose rules do not fit beside what every block has."""
    worst = sorted(crowded, key=lambda agent: -crowded[agent].excess)
    some = ", ".join(
        f"@{agent} ({summarize_keys(key for keys in crowded[agent].cut.values() for key in keys)})"
        for agent in worst[:MAX_AGENTS_NAMED]
    )
    return Finding(
        _declaration_span(manifest, facts, "GLOBAL"),
        f"{bracket.name} ({bracket.budget} tokens) does not hold the rules of {len(crowded)} agents "
        "beside what else stands in every block, so a full block leaves some out: those of "
        f"{some} and others. {describe_later_replies(tree)}",
        overflow_remedy(tree, crowded[worst[0]].excess),
        severity=severity_of_overflow(tree),
    )


def _own_cuts(plan: Plan, agent: str, cut: CutKeys) -> CutKeys:
    """Returns what of ``cut`` are the agent's own rules."""
    labels = {plan.domain(position).label for position in plan.by_agent[agent]}
    return {label: keys for label, keys in cut.items() if label in labels}


def _base_block(plan: Plan, bracket: Bracket, agent: str = "") -> Assembly:
    """Returns what is always in a block of a bracket."""
    usage = measure_usage(reported=bracket.floor)
    request = Request(agent=agent, bracket=bracket.name)
    return assemble_block(plan, resolve_situation(plan, request, usage))


def _overflow_of(block: Assembly) -> Overflow:
    """Returns what is cut of a block."""
    size = sum(len(INNER) + _MARKER + len(entry.text) for entry in block.cut_entries if entry.file)
    return Overflow(_cuts_by_domain(block.cut_entries), tokens_of_length(size))


def _cuts_by_domain(cut: Iterable[Entry]) -> CutKeys:
    """Returns domain -> names of its entries that were cut."""
    found: dict[str, list[str]] = {}
    for entry in cut:
        if entry.file:
            found.setdefault(entry.domain, []).append(entry.name)
    return {domain: tuple(names) for domain, names in found.items()}


def _declaration_span(manifest: Manifest, facts: FileFacts, label: str) -> Span:
    """Returns the span of a domain's declaration, else of the first line."""
    declaration = manifest.domains.get(label)
    return declaration.span if declaration else first_line_span(facts)


@weak_cache
def _root_plan(tree: Tree) -> Plan:
    """Returns the plan of the root alone, without squads, which take part on occasion only."""
    return compile_plan(tree, "", standing=True)


RULE = TreeRule(
    code="SYN401",
    name="budget-overflow",
    severity=Severity.INFO,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={
        "content": Reach.FOLDER,
        "file": Reach.FOLDER,
        "agent": Reach.EVERYWHERE,
        "setting": Reach.EVERYWHERE,
    },
)
