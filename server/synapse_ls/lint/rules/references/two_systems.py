"""One folder has the rules of two systems, of which one is served.

## What it does

Reports, in the manifest of the system that is served, every other system that has rules in the same
folder: `.synapse/`, `.carl/`, `chati.dev/` and the files of Brainiac.

## Why it matters

A folder serves one system. What the other one says reaches no agent, and nothing else shows that.

## Example

```bad
-- .carl/manifest --
GLOBAL_STATE=active
-- .carl/global --
GLOBAL_RULE_0=Never push to main.
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
```

```good
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
GLOBAL_RULE_1=Never push to main.
```

## Evidence

The order in which systems are looked for is `.synapse/`, `.carl/`, `chati.dev/`, then Brainiac's files,
unless `profile` in `.synapse/config.toml` says which one it is.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN212",
    name="two-systems",
    severity=Severity.WARNING,
    claims=("two-systems",),
    remedy="Take one of the two away.",
)
