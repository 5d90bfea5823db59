"""A memory's date is past.

## What it does

Reports memories whose `expires` is today or earlier. Looked at when a whole tree is read, not while
one edits.

## Why it matters

No agent is told it any more; it only waits to be put away.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/shared/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
expires: 2020-01-31
---

# The release waits for the audit
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/shared/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
expires: 2999-01-31
---

# The release waits for the audit
```

## Evidence

`expires_at` of the memory schema of Chati.dev (`memory.schema.json`); its manager deletes such a
memory when somebody cleans up, and tells it until then.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN905",
    name="expired-memory",
    severity=Severity.HINT,
    claims=("expired-memory",),
    remedy="Run `synapse memory gc`, or give it another date.",
)
