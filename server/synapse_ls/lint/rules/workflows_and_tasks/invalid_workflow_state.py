"""The state of a workflow breaks its schema.

## What it does

Reports fields of a `*-state.yaml` file that are missing or not as the schema says, and a current step
outside the list of steps. Files with another schema under the same name are left alone.

## Why it matters

Which step and phase the work is in cannot be told, so the rules for it are not found.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .aiox/release-20260102-abc123-state.yaml --
workflow_id: release
workflow_name: Release
instance_id: release-20260102-abc123
target_context: core
started_at: '2026-01-02T10:00:00Z'
updated_at: '2026-01-02T10:00:00Z'
status: active
current_step_index: 2
steps:
  - {step_index: 0, phase: tag, agent: devops, status: pending}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .aiox/release-20260102-abc123-state.yaml --
workflow_id: release
workflow_name: Release
instance_id: release-20260102-abc123
target_context: core
started_at: '2026-01-02T10:00:00Z'
updated_at: '2026-01-02T10:00:00Z'
status: active
current_step_index: 0
steps:
  - {step_index: 0, phase: tag, agent: devops, status: pending}
```

## Evidence

`data/workflow-state-schema.yaml` of SynkraAI/aios-core.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN701",
    name="invalid-workflow-state",
    severity=Severity.WARNING,
    claims=("invalid-workflow-state",),
    remedy="Correct the field.",
)
