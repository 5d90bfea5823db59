"""The rules of a domain are longer than any budget in which the domain is awake.

## What it does

Reports domains whose rules alone need more tokens than the largest bracket has in which one of the
domain's layers is awake. Of a workflow, the rules of its longest phase count.

## Why it matters

No block ever holds these rules together, whatever else is left out: with every full block the last
ones are missing, and agents work by half of what was agreed.

## Example

```bad
-- .synapse/config.toml --
profile = "synapse-live"
-- .synapse/manifest --
RELEASE_STATE=active
RELEASE_RECALL=release
-- .synapse/release ×150 --
RELEASE_RULE_0=Step 0: write down who did it, when it was done, and how it was seen to work.
```

```good
-- .synapse/config.toml --
profile = "synapse-live"
-- .synapse/manifest --
RELEASE_STATE=active
RELEASE_RECALL=release
-- .synapse/release ×50 --
RELEASE_RULE_0=Step 0: write down who did it, when it was done, and how it was seen to work.
```

## Evidence

SYNAPSE Context Brackets gives the largest bracket 2,500 tokens. Public trees have check-lists of a
hundred rules in one domain.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.profile import Bracket
from synapse_ls.engine.tokens import tokens_of
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.layers import awake, layers_of, profile_of
from synapse_ls.lint.lookup import declared
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.sizes import size
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

_OTHERWISE = ("CONSTITUTION", "CONTEXT", "COMMANDS")  # never cut, or told one by one


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each domain, at its declaration."""
    least = min(bracket.budget for bracket in profile_of(tree).brackets)
    for domain in declared(tree, facts.path):
        tokens = tokens_of(size(tree, domain))
        said = domain.declaration
        if tokens <= least or said is None or not said.active or said.non_negotiable:
            continue
        best = _largest(tree, domain)
        if best is not None and tokens > best.budget:
            yield Finding(
                said.span,
                f"The rules of {domain.label} take {tokens} tokens and no bracket in which they are "
                f"awake has more than {best.budget}, so no block ever holds them together.",
                "Shorten the rules, or split the domain.",
            )


def _largest(tree: Tree, domain: Domain) -> Bracket | None:
    """The bracket with the largest budget in which a domain can take part as a whole."""
    if domain.builtin and domain.name in _OTHERWISE:
        return None
    layers = layers_of(domain)
    found = (bracket for bracket in profile_of(tree).brackets if awake(bracket, layers))
    return max(found, key=lambda bracket: bracket.budget, default=None)


RULE = TreeRule(
    code="SYN405",
    name="never-fits",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"content": Reach.FOLDER, "file": Reach.FOLDER},
)
