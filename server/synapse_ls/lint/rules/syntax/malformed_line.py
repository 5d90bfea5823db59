"""A line looks like a setting or a rule but yields neither.

## What it does

Reports a line of a manifest without a key or without `=`, and a line of a rule file whose key is
in lower case, ends in `:`, or has no text behind it.

## Why it matters

The line is skipped. What it says is not injected, and nothing tells its author.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
global_rule_1=Never commit to main.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
GLOBAL_RULE_1=Never commit to main.
```

## Evidence

The reference reader (`domain-loader.js`, SynkraAI/aios-core) takes only lines that match
`[A-Z][A-Z0-9_]*=` and drops all others of such a file.

## Fix

Where the slip is clear (`:` for `=`, lower case), it is mended. What is injected changes.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import suggestion_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN103",
    name="malformed-line",
    severity=Severity.ERROR,
    claims=("malformed-line",),
    fix=suggestion_fixer(),
)
