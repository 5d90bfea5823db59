"""A file of Chati.dev breaks its schema.

## What it does

Reports fields of `.chati/session.yaml`, `chati.dev/config.yaml`, of tasks, memories, hand-offs and
workflows that are missing or hold what they may not. Fields that the schemas do not name are left alone.

## Why it matters

What is in such a field is not told, or told wrongly: an unknown state counts as planning, a memory
without an id is never found, the next agent reads nothing of a hand-off without a summary.

## Example

```bad
-- chati.dev/config.yaml --
version: "2.0.1"
-- .chati/session.yaml --
project:
  name: Board
  type: greenfield
  state: building
current_agent: ""
language: en
execution_mode: interactive
```

```good
-- chati.dev/config.yaml --
version: "2.0.1"
-- .chati/session.yaml --
project:
  name: Board
  type: greenfield
  state: planning
current_agent: ""
language: en
execution_mode: interactive
```

## Evidence

`schemas/session.schema.json`, `config.schema.json`, `task.schema.json` and `memory.schema.json` of
mateusmetzker/Chati.dev, read at `1fa102b` and at v3.2.5, and what its own writers leave.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN040",
    name="invalid-chati-file",
    severity=Severity.WARNING,
    claims=(
        "invalid-chati-session",
        "invalid-chati-config",
        "invalid-chati-task",
        "invalid-chati-memory",
        "invalid-chati-handoff",
        "invalid-chati-workflow",
    ),
    remedy="Correct the field.",
)
