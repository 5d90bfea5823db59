"""A YAML file cannot be read.

## What it does

Reports YAML that is not well-formed, longer than a million characters, or nested more than a hundred
levels deep.

## Why it matters

Nothing of the file is read: the squad, workflow or state that it describes is not there.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
tags: [etl}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
tags: [etl]
```

## Evidence

YAML 1.2.2; the limits are those of this linter, so that no file can hold up a prompt.
"""

from __future__ import annotations

from synapse_ls.lint.diagnostic import Severity
from synapse_ls.lint.lint_rule import ProblemRule

RULE = ProblemRule(
    code="SYN117",
    name="invalid-yaml",
    severity=Severity.ERROR,
    claims=("invalid-yaml", "yaml-too-large", "yaml-too-deep"),
    remedy="Correct the YAML.",
)
