"""The front matter of a Brainiac memory is missing, broken or not at the beginning.

## What it does

Reports memories without front matter, with front matter that is never closed or has lines that are
no fields, and text before it. All of the text is told all the same.

## Why it matters

A memory without an id and tags is found by its words alone, and nothing can be related to it. Other
readers refuse the file, or drop what stands before the first `---`.

## Example

```bad
-- memory/long_term/sql.md --
uuid: 5b1a9b0e
tags: [sql]

Indexes make reads fast.
```

```good
-- memory/long_term/sql.md --
---
uuid: 5b1a9b0e
tags: [sql]
---
Indexes make reads fast.
```

## Evidence

The reference reader splits at `---`: with fewer than two it fails, and what comes before the first
is lost.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN022",
    name="broken-front-matter",
    severity=Severity.WARNING,
    claims=("broken-front-matter", "memory-without-front-matter", "text-before-front-matter"),
)
