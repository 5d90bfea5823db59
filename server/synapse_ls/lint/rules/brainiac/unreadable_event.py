"""The heading of an event in a Brainiac memory is not a time.

## What it does

Reports headings in the event log of a short-term memory that are not times of ISO 8601.

## Why it matters

Over the budget the oldest events go first. Nobody knows how old this one is; it counts as old as
the one above it, and a promotion cannot tell when it happened.

## Example

```bad
-- system/core_identity.md --
# Core Identity

I keep the tide tables.
-- memory/short_term.md --
# Short-Term Memory

## Event Log

### Yesterday
**User:** "Is it done?"
```

```good
-- system/core_identity.md --
# Core Identity

I keep the tide tables.
-- memory/short_term.md --
# Short-Term Memory

## Event Log

### 2026-03-12T09:05:00Z
**User:** "Is it done?"
```

## Evidence

Brainiac's specification heads each entry of the event log with its time in ISO 8601.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN024",
    name="unreadable-event",
    severity=Severity.WARNING,
    claims=("unreadable-event",),
)
