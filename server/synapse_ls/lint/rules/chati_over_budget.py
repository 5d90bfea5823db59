"""What stands in every block of Chati.dev is larger than its smallest budget.

## What it does

Makes the block of each bracket without an agent and reports where constitution, mode and global rules,
which no budget ever drops, are larger than the bracket's budget.

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

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.compile import compile_plan
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.run import assemble
from synapse_ls.engine.situation import NONE, Request, resolve
from synapse_ls.engine.usage import measure
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lookup import first_line, once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding, at the file that says most, for the smallest bracket that overflows."""
    plan = _plan(tree)
    own = [plan.domain(position) for position in plan.always]
    said = {domain.file: sum(len(row.text) for row in domain.rows) for domain in own}
    if not said or max(said, key=lambda path: said[path]) != facts.path:
        return
    for bracket in sorted(plan.profile.brackets, key=lambda bracket: bracket.budget):
        nobody = Request(agent=NONE, task=NONE, bracket=bracket.name)
        usage = measure(reported=max(bracket.floor, plan.profile.handoff_below))
        made = assemble(plan, resolve(plan, nobody, usage))
        if made.over_budget:
            yield Finding(
                first_line(facts),
                f"Constitution, mode and global rules take {made.tokens} tokens, and {bracket.name} "
                f"has {bracket.budget}, so every block of it goes over its budget.",
                "Shorten the summary or the rules.",
            )
            return


@once
def _plan(tree: Tree) -> Plan:
    return compile_plan(tree, "", profile="chati")


RULE = TreeRule(
    code="SYN751",
    name="chati-over-budget",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.CHATI_DOMAIN, FileKind.CHATI_CONSTITUTION}),
    check=check,
    reads={"chati": Reach.EVERYWHERE},
)
