"""A line of the access log cannot be read.

## What it does

Reports lines of `logs/access.log` that are neither `[time] | ACTION | path` nor an object of JSON with these three.

## Why it matters

What is organized by how memories are used does not see this access.

## Example

```bad
-- system/core_identity.md --
# Core Identity

I keep the tide tables.
-- logs/access.log --
[2026-03-10T08:00:12Z] | READ | skills/sql.md
2026-03-11 read skills/sql.md
```

```good
-- system/core_identity.md --
# Core Identity

I keep the tide tables.
-- logs/access.log --
[2026-03-10T08:00:12Z] | READ | skills/sql.md
[2026-03-11T09:10:00Z] | READ | skills/sql.md
```

## Evidence

The reference skips such lines without a word.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN030",
    name="bad-access-line",
    severity=Severity.INFO,
    claims=("bad-access-line",),
)
