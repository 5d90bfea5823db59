"""An article of the constitution has a severity that nobody knows.

## What it does

Reports titles of articles that end in a word in round brackets other than NON-NEGOTIABLE, MUST and
SHOULD.

## Why it matters

The severity decides whether a breach blocks, warns or informs, and which articles go first where
room is short. This article has none.

## Example

```bad
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABEL)
CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first.
```

```good
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first.
```

## Evidence

ADR-001 R4 maps NON-NEGOTIABLE, MUST and SHOULD to block, warn and info.

## Fix

The severity that was probably meant is put in its place. What is injected changes.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import suggestion_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN503",
    name="unknown-severity",
    severity=Severity.WARNING,
    claims=("unknown-severity",),
    fix=suggestion_fixer(),
)
