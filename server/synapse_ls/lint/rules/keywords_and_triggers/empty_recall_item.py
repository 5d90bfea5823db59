"""A list of keywords has an empty item.

## What it does

Reports commas with nothing between them, or at the end, in the lists of a manifest.

## Why it matters

Here the empty item is ignored. CARL keeps it, and an empty keyword is in every prompt: the domain is
always in, and nothing shows why.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test, coverage,
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

CARL v1 splits at commas and keeps empty items of `_RECALL`.

## Fix

The comma is deleted.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import suggestion_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN301",
    name="empty-recall-item",
    severity=Severity.INFO,
    claims=("empty-recall-item",),
    fix=suggestion_fixer(safe=True),
)
