"""A part of a short-term memory has an odd name, or stands twice.

## What it does

Reports headings that are nearly the name of a part, and parts that stand twice. Other headings are kept and told as they are.

## Why it matters

Goals and tasks steer the search in the long-term memory, and only events may be cut over the budget. What is
under a misspelt heading is told, but does neither.

## Example

```bad
-- system/core_identity.md --
# Core Identity

I keep the tide tables.
-- memory/short_term.md --
# Short-Term Memory

## Sumary

We move reservations.
```

```good
-- system/core_identity.md --
# Core Identity

I keep the tide tables.
-- memory/short_term.md --
# Short-Term Memory

## Summary

We move reservations.
```

## Evidence

Brainiac Context Ordering names the components of the short-term memory: summary, structured data, event log.

## Fix

The name that was probably meant is put in place of the other. What is told may change.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import near_word_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN025",
    name="odd-memory-part",
    severity=Severity.WARNING,
    claims=("unknown-memory-part", "repeated-memory-part"),
    fix=near_word_fixer(),
)
