"""The configuration cannot be read.

## What it does

Reports a `.synapse/config.toml` that is not well-formed TOML, or longer than 200,000 characters.

## Why it matters

The whole configuration is ignored, and the defaults hold for every setting in it.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
matching = substring
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
matching = "substring"
```

## Evidence

TOML 1.0.0.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN119",
    name="invalid-toml",
    severity=Severity.ERROR,
    checks_configuration=True,
    claims=("invalid-toml",),
    remedy="Correct the TOML.",
)
