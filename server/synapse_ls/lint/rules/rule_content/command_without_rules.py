"""A star-command is announced but has no rules.

## What it does

Reports headers `[*name] COMMAND:` of the `commands` file under which no rule stands. A header whose
rules are commented out is left alone.

## Why it matters

The command does nothing in a prompt.

## Example

```bad
-- .synapse/commands --
# [*brief] COMMAND:
COMMANDS_RULE_BRIEF_0=Use bullet points only.
# [*plan] COMMAND:
```

```good
-- .synapse/commands --
# [*brief] COMMAND:
COMMANDS_RULE_BRIEF_0=Use bullet points only.
# [*plan] COMMAND:
COMMANDS_RULE_PLAN_0=Outline the approach before the first edit.
```

## Evidence

ADR-001 A3. The star-command layer of the reference (SynkraAI/aios-core) finds a command by its header
and injects the rules below it.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN501",
    name="command-without-rules",
    severity=Severity.WARNING,
    claims=("command-without-rules",),
)
