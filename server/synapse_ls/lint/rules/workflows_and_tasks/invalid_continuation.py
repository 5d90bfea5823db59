"""The continuation file is of no use to the next session.

## What it does

Reports a `.synapse/continuation/latest.md` that cannot be read, or whose front matter does not say whose
it is (`session_id`) or when it was written (`created_at`, a date and time of ISO 8601); front matter that is
not closed says neither. Looked at when a whole tree is read, not while one edits.

## Why it matters

A new session passes over it without a word: decisions, open items and errors of the one before are not told.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/continuation/latest.md --
---
version: "1.0"
session: 6f1c2b
created_at: 2026-03-02T16:40:00Z
---

## Resume

Next: retry deliveries with growing delays
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/continuation/latest.md --
---
version: "1.0"
session_id: 6f1c2b
created_at: 2026-03-02T16:40:00Z
---

## Resume

Next: retry deliveries with growing delays
```

## Evidence

"Autonomous Session Spawn" of the Chati Context Engine names the file that a new session begins with, and
leaves open what becomes of one that cannot be read.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN717",
    name="invalid-continuation",
    severity=Severity.WARNING,
    claims=("invalid-continuation",),
    remedy="Mend the front matter, or write the file anew with `synapse handoff`.",
)
