"""A manifest declares two domains whose names differ in spelling only.

## What it does

Reports a domain whose name in upper-case snake is another domain of the same manifest.

## Why it matters

Both are served by one file, each by its own settings: what is set for one, such as that it is switched
off, does not hold for the other, and the file's rules come in all the same.

## Example

```bad
-- .synapse/manifest --
UNIT_TESTS_STATE=active
UNIT_TESTS_RECALL=unit test
UNIT-TESTS_STATE=inactive
-- .synapse/unit-tests --
UNIT_TESTS_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
UNIT_TESTS_STATE=inactive
UNIT_TESTS_RECALL=unit test
-- .synapse/unit-tests --
UNIT_TESTS_RULE_0=Write the failing test first.
```

## Evidence

ADR-001 A5 gives every domain one file, and the file's name is made of the domain's.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN210",
    name="twin-domain",
    severity=Severity.WARNING,
    claims=("twin-domain",),
)
