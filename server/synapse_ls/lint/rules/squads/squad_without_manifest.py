"""A folder among the squads has agents, and nothing that says that it is a squad.

## What it does

Reports, once in each tree, the folders among the squads in which a file defines an agent, and which have neither a
`squad.yaml`, nor the former `config.yaml`, nor a rule tree of their own. Folders whose names begin with `_` or `.`, and those
without such a file, are not looked at.

## Why it matters

The folder counts as no squad: its name names nobody, what it lists or builds on is not looked up, and the framework's
validator rejects it.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/agents/loader.md --
---
name: loader
---
# Loader
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/agents/loader.md --
---
name: loader
---
# Loader
```

## Evidence

`squad-validator.js` of SynkraAI/aios-core: without a manifest a squad has the error MANIFEST_NOT_FOUND.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN609",
    name="squad-without-manifest",
    severity=Severity.INFO,
    claims=("squad-without-manifest",),
    remedy="Create a `squad.yaml` with `name` and `version`.",
)
