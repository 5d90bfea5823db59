"""An agent's file of Chati.dev does not say what the agent is for.

## What it does

Reports files below `chati.dev/agents/` without a section `Mission` that says anything.

## Why it matters

While the agent is active, its part of the block (layer L2) has no mission.

## Example

```bad
-- chati.dev/agents/planning/brief.md --
# Brief Agent

## Inputs

The report of the agent before.
```

```good
-- chati.dev/agents/planning/brief.md --
# Brief Agent

## Mission

Extract requirements.

## Inputs

The report of the agent before.
```

## Evidence

"Chati Context Engine", layer L2: "mission, inputs, outputs, criteria".
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN043",
    name="agent-without-mission",
    severity=Severity.WARNING,
    claims=("chati-agent-without-mission",),
)
