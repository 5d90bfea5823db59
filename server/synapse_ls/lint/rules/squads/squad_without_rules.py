"""A squad's tree declares no domain.

## What it does

Reports the manifest of a squad that declares no domain, where the squad has no rule files either.
Files that no domain claims are reported one by one instead.

## Why it matters

The squad adds nothing to any prompt.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/.synapse/manifest --
ETL_EXTENDS=extend
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/.synapse/manifest --
ETL_EXTENDS=extend
PIPELINE_STATE=active
PIPELINE_ALWAYS_ON=true
-- squads/etl-squad/.synapse/pipeline --
PIPELINE_RULE_0=Load in batches.
```

## Evidence

ADR-001 E3: a squad's manifest declares the domains that the squad brings along. The reference
engine says nothing where there are none."""

from collections.abc import Iterator

from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint import domain_triggers, tree_lookups
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a squad's manifest without domains, which so has no rules."""
    home = tree.home_of(facts.path)
    manifest = facts.document
    if home.squad is None or not isinstance(manifest, Manifest):
        return
    is_lost = any(problem.kind in domain_triggers.LOST_LINE_PROBLEMS for problem in facts.problems)
    if not (is_lost or manifest.domains or home.rule_files):
        yield Finding(
            tree_lookups.first_line_span(facts),
            f"No domain is declared, so squad {home.squad.name} adds nothing to any prompt.",
            "Declare a domain and write its rules, or delete the folder.",
        )
