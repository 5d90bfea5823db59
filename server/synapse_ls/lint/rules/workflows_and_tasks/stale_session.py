"""Old session files are left that nobody uses any more.

## What it does

Counts the sessions without activity for `session.stale_hours` of the configuration (168 unless it
says otherwise), in one finding at the first of them. Looked at when a whole tree is read, not while
one edits.

## Why it matters

They take room, and a list of sessions shows them among those in use. Nothing is injected because of
them.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/sessions/6f1c2b.json --
{"uuid": "6f1c2b", "schema_version": "2.0", "last_activity": "2026-01-02T10:00:00Z"}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/sessions/6f1c2b.json --
{"uuid": "6f1c2b", "schema_version": "2.0", "last_activity": "2999-01-01T00:00:00Z"}
```

## Evidence

`synapse.session.staleTTLHours` of the configuration of SynkraAI/aios-core, 168 hours; the sessions
of its users pile up.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN706",
    name="stale-session",
    severity=Severity.HINT,
    claims=("stale-session",),
    remedy="Run `synapse session clean`.",
)
