"""A domain's name is not in upper-case snake.

## What it does

Reports domains of a manifest with lower-case letters, hyphens or spaces in their names.

## Why it matters

The name is read as it stands, but the keys of its rules have to be in upper case, so the two can
never agree, and other tools do not find the domain.

## Example

```bad
-- .synapse/manifest --
unit-tests_STATE=active
unit-tests_RECALL=unit test
-- .synapse/unit-tests --
UNIT_TESTS_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
UNIT_TESTS_STATE=active
UNIT_TESTS_RECALL=unit test
-- .synapse/unit-tests --
UNIT_TESTS_RULE_0=Write the failing test first.
```

## Evidence

ADR-001 A6 writes every domain in upper-case snake; the reference reader (`domain-loader.js`,
SynkraAI/aios-core) does not check it and makes a domain of any text before the suffix.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN109",
    name="odd-domain-name",
    severity=Severity.HINT,
    claims=("odd-domain-name",),
)
