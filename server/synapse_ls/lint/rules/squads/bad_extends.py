"""The `EXTENDS` mode of a squad is none of those that exist.

## What it does

Reports values of `{SQUAD}_EXTENDS` other than `extend`, `override` and `none`.

## Why it matters

The squad adds to the root, as `extend` does. A squad that was to replace a domain of the root, or
to stand alone, does neither.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/.synapse/manifest --
ETL_EXTENDS=overide
PIPELINE_STATE=active
PIPELINE_RECALL=pipeline
-- squads/etl-squad/.synapse/pipeline --
PIPELINE_RULE_0=Load in batches.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/.synapse/manifest --
ETL_EXTENDS=override
PIPELINE_STATE=active
PIPELINE_RECALL=pipeline
-- squads/etl-squad/.synapse/pipeline --
PIPELINE_RULE_0=Load in batches.
```

## Evidence

ADR-001, "Extends Modes". The reference reader drops the key, so there every squad extends.

## Fix

The mode that was probably meant is put in its place. What is injected changes.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import suggestion_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN602",
    name="bad-extends",
    severity=Severity.WARNING,
    claims=("bad-extends",),
    fix=suggestion_fixer(),
)
