"""A switch is neither `true` nor `false`.

## What it does

Reports values of `DEVMODE`, `_ALWAYS_ON`, `_NON_NEGOTIABLE` and CARL's `{BRACKET}_RULES` other
than `true` and `false`. Words that everybody knows and that are read as they are meant, such as
`yes`, are a hint only.

## Why it matters

Only `true`, `yes` and `1` switch something on. `X_ALWAYS_ON=on` looks right and does nothing.

## Example

```bad
-- .synapse/manifest --
SECURITY_STATE=active
SECURITY_ALWAYS_ON=on
-- .synapse/security --
SECURITY_RULE_0=Never print a secret.
```

```good
-- .synapse/manifest --
SECURITY_STATE=active
SECURITY_ALWAYS_ON=true
-- .synapse/security --
SECURITY_RULE_0=Never print a secret.
```

## Evidence

CARL v1 reads `true`, `yes` and `1` as true, and `on` for `DEVMODE` alone; the SYNAPSE reference
reads only `true`.

## Fix

`true` or `false` is put in its place; safe where that is how the value is read already.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import suggestion_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN106",
    name="bad-boolean",
    severity=Severity.WARNING,
    severity_if_understood=Severity.HINT,
    claims=("bad-boolean",),
    fix=suggestion_fixer(),
)
