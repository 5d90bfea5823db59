"""A trigger counts to something that is not a number.

## What it does

Reports values of `_EVERY_N_TURNS` and `_ON_TOKENS` that are not whole numbers above 0.

## Why it matters

The trigger never fires, so it never brings the domain in.

## Example

```bad
-- .synapse/manifest --
REMINDERS_STATE=active
REMINDERS_EVERY_N_TURNS=ten
-- .synapse/reminders --
REMINDERS_RULE_0=Update the file list of the story.
```

```good
-- .synapse/manifest --
REMINDERS_STATE=active
REMINDERS_EVERY_N_TURNS=10
-- .synapse/reminders --
REMINDERS_RULE_0=Update the file list of the story.
```

## Evidence

neuron-context defines the two triggers with a number of turns and of tokens.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN107",
    name="bad-number",
    severity=Severity.WARNING,
    claims=("bad-number",),
)
