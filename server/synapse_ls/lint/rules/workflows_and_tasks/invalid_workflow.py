"""A workflow definition cannot be matched with a state.

## What it does

Reports workflow files whose workflow has no id, or whose sequence is no list. A file whose `workflow` is
empty or misspelt is a hint. One with other keys alone, such as `phases`, is a text that agents read: nothing
is said of it.

## Why it matters

The step that a state file points to cannot be looked up, so the phase's other names and its task stay
unknown.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/workflows/load.yaml --
workflow:
  name: Load
  sequence: []
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/workflows/load.yaml --
workflow:
  id: load
  name: Load
  sequence: []
```

## Evidence

The workflow files of SynkraAI/aios-core, whose states mirror `workflow.sequence` entry by entry.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN702",
    name="invalid-workflow",
    severity=Severity.WARNING,
    claims=("invalid-workflow", "no-workflow"),
    hints=("no-workflow",),
    remedy="Give it a `workflow` with an `id` and a `sequence`, if states are to follow it.",
)
