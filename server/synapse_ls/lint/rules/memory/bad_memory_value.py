"""A field of a memory has a value that it cannot have.

## What it does

Reports sectors, storages, scopes, types and tiers that are none of those there are, confidences
that are no number from 0 to 1, counts that are none, and dates that are none.

## Why it matters

The field counts as if it were not there: the memory goes to another sector, never expires, or is
worth less than was meant.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/shared/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
sector: procedual
---

# Tests use the staging database
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/shared/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
sector: procedural
---

# Tests use the staging database
```

## Evidence

ADR-001 B4 names the sectors; the memory schema of Chati.dev (`memory.schema.json`) has types, tiers
and storages. Its own example has a type that the schema rejects.

## Fix

The word that was probably meant is put in its place.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import near_word_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN902",
    name="bad-memory-value",
    severity=Severity.WARNING,
    claims=("bad-memory-value",),
    remedy="Write a value that the field can have, or delete the line.",
    fix=near_word_fixer(),
)
