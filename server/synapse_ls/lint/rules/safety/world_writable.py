"""Anybody on the machine may change a file that steers an agent.

## What it does

Reports files of a tree that every user of the machine may write to. File systems that show every
file as open to all, such as those of other operating systems, are not judged.

## Why it matters

Whoever can write to it decides what the agents of its owner do, with the owner's rights.

## Example

```bad
-- .synapse/global (666) --
GLOBAL_RULE_0=Answer in English.
```

```good
-- .synapse/global (644) --
GLOBAL_RULE_0=Answer in English.
```

## Evidence

CWE-732, incorrect permission assignment for critical resource. OpenSSH and sudo refuse configuration
files that others may write to.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN807",
    name="world-writable",
    severity=Severity.WARNING,
    default=False,
    claims=("world-writable",),
    remedy="Take the right away: chmod o-w.",
)
