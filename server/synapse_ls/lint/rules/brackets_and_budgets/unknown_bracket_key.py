"""A rule is meant for a context bracket that does not exist.

## What it does

Reports keys of the `context` file with a word in the place of the bracket that is none of FRESH,
MODERATE, DEPLETED and CRITICAL.

## Why it matters

The rule is injected in every bracket, not only in the one it is written for.

## Example

```bad
-- .synapse/context --
CONTEXT_RULE_FRESH_0=Explore before you decide.
CONTEXT_RULE_CRITCAL_0=Write the hand-off now.
```

```good
-- .synapse/context --
CONTEXT_RULE_FRESH_0=Explore before you decide.
CONTEXT_RULE_CRITICAL_0=Write the hand-off now.
```

## Evidence

SYNAPSE Context Brackets names the four. The reference reader throws the key away and injects all
rules of the file in every bracket.

## Fix

The bracket that was probably meant is put in its place. What is injected changes.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import suggestion_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN402",
    name="unknown-bracket-key",
    severity=Severity.ERROR,
    claims=("unknown-bracket-key",),
    fix=suggestion_fixer(),
)
