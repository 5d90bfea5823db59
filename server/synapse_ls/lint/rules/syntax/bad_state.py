"""A state is neither `active` nor `inactive`.

## What it does

Reports values of `_STATE` other than the two documented words. Words that everybody knows and that
are read as they are meant, such as `yes`, `off` or `"active"`, are a hint only.

## Why it matters

A word that nobody knows leaves the domain switched on: a domain that was to be off is injected.
A word that is known here may mean something else to another reader.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=inactiv
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=inactive
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

SYNAPSE documents `active` and `inactive`; CARL v1 also takes `true`, `yes` and `1`, and every
other word as inactive.

## Fix

The documented word is put in its place; safe where that is how the value is read already.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import suggestion_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN105",
    name="bad-state",
    severity=Severity.ERROR,
    severity_if_understood=Severity.HINT,
    claims=("bad-state",),
    fix=suggestion_fixer(),
)
