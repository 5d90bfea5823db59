"""The rules that are in every block of a bracket need more than its budget.

## What it does

Assembles, for each bracket, the block of an empty prompt, without an agent and with each one, and
reports domains with rules that do not fit.

## Why it matters

A full block leaves these rules out, and a hook tells them with one of the next prompts. Where even
what may never be left out is too large, nothing else of the tree ever fits.

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

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.engine.block_sections import Entry
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.engine.profile_model import Bracket
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lint_rule import Reach, TreeRule
from synapse_ls.lint.tree_lookups import first_line_span, weak_cache
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.rule_tree import Tree

MAX_AGENTS_NAMED = 3  # above that, one finding speaks for all of them

CutKeys = Mapping[str, tuple[str, ...]]


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yields findings about the smallest bracket that overflows, at the domains concerned."""
    manifest = facts.document
    if facts.path != tree.manifest_path or not isinstance(manifest, Manifest):
        return
    plan = _root_plan(tree)
    for bracket in sorted(plan.profile.brackets, key=lambda bracket: bracket.budget):
        cut, tokens, over = _base_block_cuts(plan, bracket)
        if over:
            what = "The constitution, the rules of the bracket and what is non-negotiable"
            yield Finding(
                _declaration_span(manifest, facts, "CONSTITUTION"),
                f"{what} take {tokens} tokens, and {bracket.name} has {bracket.budget}, so no other "
                "rule ever fits into a block of it.",
                "Shorten the articles.",
                severity=Severity.WARNING,
            )
            return
        if cut:
            yield _left_out_finding(manifest, facts, bracket, cut)
            return
        crowded = {
            agent: own
            for agent in plan.by_agent
            if (own := _own_cuts(plan, agent, _base_block_cuts(plan, bracket, agent)[0]))
        }
        if len(crowded) > MAX_AGENTS_NAMED:
            yield _crowded_agents_finding(manifest, facts, bracket, crowded)
            return
        if crowded:
            yield from (
                _left_out_finding(manifest, facts, bracket, own) for own in crowded.values()
            )
            return


def _left_out_finding(
    manifest: Manifest, facts: FileFacts, bracket: Bracket, cut: CutKeys
) -> Finding:
    """Returns the finding at the most important domain that loses rules: the last one to be cut."""
    keys = [key for keys in cut.values() for key in keys]
    rules = "1 rule does" if len(keys) == 1 else f"{len(keys)} rules do"
    return Finding(
        _declaration_span(manifest, facts, list(cut)[-1]),
        f"{rules} not fit into {bracket.name} ({bracket.budget} tokens) beside what else stands in "
        f"every block, so a full block leaves them out: {summarize_keys(keys)}.",
        "Shorten what stands in every block.",
    )


def _crowded_agents_finding(
    manifest: Manifest, facts: FileFacts, bracket: Bracket, crowded: Mapping[str, CutKeys]
) -> Finding:
    """Returns one finding for many agents whose rules do not fit beside what every block has."""
    some = ", ".join(f"@{agent}" for agent in list(crowded)[:MAX_AGENTS_NAMED])
    return Finding(
        _declaration_span(manifest, facts, "GLOBAL"),
        f"{bracket.name} ({bracket.budget} tokens) does not hold the rules of {len(crowded)} agents "
        f"({some} and others) beside constitution and global rules, so a full block leaves some out.",
        "Shorten what stands in every block.",
    )


def _own_cuts(plan: Plan, agent: str, cut: CutKeys) -> CutKeys:
    """Returns what of ``cut`` are the agent's own rules."""
    labels = {plan.domain(position).label for position in plan.by_agent[agent]}
    return {label: keys for label, keys in cut.items() if label in labels}


def _base_block_cuts(plan: Plan, bracket: Bracket, agent: str = "") -> tuple[CutKeys, int, bool]:
    """Returns what is always in a block of a bracket: the keys that the budget cuts, by domain, the
    tokens, and whether even the rest is over the budget.
    """
    usage = measure_usage(reported=bracket.floor)
    made = assemble_block(
        plan, resolve_situation(plan, Request(agent=agent, bracket=bracket.name), usage)
    )
    return _cuts_by_domain(made.cut_entries), made.tokens, made.is_over_budget


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
    reads={"content": Reach.FOLDER, "file": Reach.FOLDER, "agent": Reach.EVERYWHERE},
)
