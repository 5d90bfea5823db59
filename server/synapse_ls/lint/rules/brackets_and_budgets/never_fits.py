"""The rules of a domain are longer than any budget in which the domain is active.

## What it does

Reports domains whose rules alone need more tokens than the largest bracket has in which one of the
domain's layers is active. Of a workflow, the rules of its longest phase count.

## Why it matters

No block ever holds these rules together, whatever else is left out: with every full block the last
ones are missing, and the agent works with only some of the rules.

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

from collections.abc import Iterator

from synapse_ls.engine.context_usage import tokens_of_length
from synapse_ls.lint.domain_triggers import domain_layers, is_awake
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.reply_limits import largest_domain_size
from synapse_ls.lint.tree_lookups import declared_domains, tree_profile
from synapse_ls.text.finding import Finding

_EXEMPT_DOMAINS = ("CONSTITUTION", "CONTEXT", "COMMANDS")  # never cut, or told one by one


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each domain that never fits, since it is larger than every budget it
    could be in.
    """
    least = min(bracket.budget for bracket in tree_profile(tree).brackets)
    for domain in declared_domains(tree, facts.path):
        tokens = tokens_of_length(largest_domain_size(tree, domain))
        declaration = domain.declaration
        if (
            tokens <= least
            or declaration is None
            or not declaration.is_active
            or declaration.non_negotiable
        ):
            continue
        # The active bracket with the largest budget; some domains are never cut.
        layers = domain_layers(domain)
        budgets = [b.budget for b in tree_profile(tree).brackets if is_awake(b, layers)]
        is_exempt = domain.builtin and domain.name in _EXEMPT_DOMAINS
        if budgets and not is_exempt and tokens > max(budgets):
            yield Finding(
                declaration.span,
                f"{domain.label} has {tokens} tokens and its largest bracket {max(budgets)}, so "
                "only a window's first block can hold it whole."
                if tree_profile(tree).whole_first_block
                else f"{domain.label} has {tokens} tokens and its largest bracket {max(budgets)}, "
                "so no block ever holds it whole.",
                "Shorten the rules, or split the domain.",
            )
