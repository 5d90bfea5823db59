"""A memory's file cannot be read as it was meant.

## What it does

Reports front matter that never ends, lines in it that are no `key: value`, keys that are there twice,
and memories that say nothing.

## Why it matters

What cannot be read counts as if it were not there: a tag by which nobody finds the memory, a date on
which it does not expire, an owner that it does not have.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/shared/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
tags [database, tests]
---

# Tests use the staging database
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/shared/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
tags: [database, tests]
---

# Tests use the staging database
```

## Evidence

The memory schema of Chati.dev (`memory.schema.json`) and its manager, which reads a list in lines as
nothing and a file with CRLF as one without front matter, both without a message.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN901",
    name="invalid-memory",
    severity=Severity.WARNING,
    claims=("invalid-memory",),
)
