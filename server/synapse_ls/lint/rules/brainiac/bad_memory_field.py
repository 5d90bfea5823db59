"""A field of a Brainiac memory has a value that cannot be used.

## What it does

Reports times that are not of ISO 8601, counts that are no whole numbers, a field in both spellings
(`created_at` and `createdAt`), and keys that are nearly those of a field.

## Why it matters

The value is left out: the memory loses its tags, its age, or the weight of its reinforcement.

## Example

```bad
-- memory/long_term/sql.md --
---
uuid: 5b1a9b0e
reinforcment_count: 4
---
Indexes make reads fast.
```

```good
-- memory/long_term/sql.md --
---
uuid: 5b1a9b0e
reinforcement_count: 4
---
Indexes make reads fast.
```

## Evidence

The reference reads fields strictly and fails for the whole file.

## Fix

The field that was probably meant is put in place of one that does not exist. What is told may
change.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import near_word_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN023",
    name="bad-memory-field",
    severity=Severity.WARNING,
    claims=("bad-memory-field", "unknown-memory-field"),
    fix=near_word_fixer(),
)
