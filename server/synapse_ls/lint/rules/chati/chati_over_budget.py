"""What is in every block of Chati.dev is larger than its smallest budget.

## What it does

Makes the block of each bracket without an agent and reports where constitution, mode and global
rules, which no budget ever drops, are larger than the bracket's budget.

## Why it matters

Such a block goes over its budget in CRITICAL, when there is least room for it.

## Example

```bad
-- chati.dev/constitution.md ×60 --
## Article 0: Governance of all that agents do and leave undone while they work on the project
```

```good
-- chati.dev/constitution.md --
## Article 1: Governance of all that agents do and leave undone while they work on the project
```

## Evidence

"Chati Context Engine", "Layer Activation by Bracket": CRITICAL has 800 tokens for L0 and L1.
"""

from collections.abc import Iterator

from synapse_ls.engine import block_assembly, context_usage, plan_compiler
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import NONE, Request, resolve_situation
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for the smallest bracket whose budget Chati's block exceeds, at the file
    with the longest text.
    """
    plan = _chati_plan(tree)
    domains = [plan.domain(position) for position in plan.always]
    lengths = {domain.file: sum(len(row.text) for row in domain.rules) for domain in domains}
    if not lengths or max(lengths, key=lambda path: lengths[path]) != facts.path:
        return
    for bracket in sorted(plan.profile.brackets, key=lambda bracket: bracket.budget):
        nobody = Request(agent=NONE, task=NONE, bracket=bracket.name)
        usage = context_usage.measure_usage(reported=max(bracket.floor, plan.profile.handoff_below))
        assembly = block_assembly.assemble_block(plan, resolve_situation(plan, nobody, usage))
        if assembly.is_over_budget:
            yield Finding(
                first_line_span(facts),
                f"Constitution, mode and global rules take {assembly.tokens} tokens, and "
                f"{bracket.name} has {bracket.budget}, so every block of it goes over its budget.",
                "Shorten the summary or the rules.",
            )
            return


@weak_cache
def _chati_plan(tree: Tree) -> Plan:
    """Return the plan of the tree under the profile of Chati.dev."""
    return plan_compiler.compile_plan(tree, "", profile="chati")
