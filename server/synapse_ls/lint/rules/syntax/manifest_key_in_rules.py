"""A setting of the manifest stands in a rule file.

## What it does

Reports keys such as `X_STATE` or `X_RECALL` in a rule file.

## Why it matters

Settings are read from the manifest only. Here the line does nothing; other readers even inject its
value as a rule, so that the agent reads "active".

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
-- .synapse/testing --
TESTING_RECALL=unit test
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

The reference reader (`domain-loader.js`, SynkraAI/aios-core) makes a rule of every upper-case
`KEY=value` line of a rule file, whatever the key.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN111",
    name="manifest-key-in-rules",
    severity=Severity.WARNING,
    claims=("manifest-key-in-rules",),
)
