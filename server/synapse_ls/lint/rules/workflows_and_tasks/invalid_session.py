"""A session file holds no session.

## What it does

Reports files among the sessions that are not JSON, hold no JSON object, or hold something of another
format. Sessions of older schemas and of CARL are not reported: they are brought up to date when they
are used. Looked at when a whole tree is read, not while one edits.

## Why it matters

What the session knew (its agent, its workflow, how far its window is filled) is lost. The next prompt
puts the file aside and begins anew.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/sessions/6f1c2b.json --
{"uuid": "6f1c2b", "schema_version": "2.0",
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/sessions/6f1c2b.json --
{"uuid": "6f1c2b", "schema_version": "2.0", "last_activity": "2999-01-01T00:00:00Z"}
```

## Evidence

The session schema 2.0 of SynkraAI/aios-core (`session/session-manager.js`), whose manager overwrites
such a file without a message.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN705",
    name="invalid-session",
    severity=Severity.WARNING,
    claims=("invalid-session",),
    remedy="Delete the file.",
)
