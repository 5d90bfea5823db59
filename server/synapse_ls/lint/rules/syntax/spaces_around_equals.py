"""White space before the `=` of a rule.

## What it does

Reports a rule whose key and `=` have white space between them.

## Why it matters

The rule is injected here, but the reference reader drops it: the same tree means different things
to different tools.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0 = Answer in English.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
```

## Evidence

The reference reader (`domain-loader.js`, SynkraAI/aios-core) matches rules with
`^[A-Z][A-Z0-9_]*=(.+)$`.

## Fix

The white space is deleted.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import suggestion_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN113",
    name="spaces-around-equals",
    severity=Severity.INFO,
    claims=("spaces-around-equals",),
    fix=suggestion_fixer(safe=True),
)
