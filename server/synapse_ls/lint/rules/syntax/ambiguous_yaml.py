"""A YAML file has a key twice or a second document, and only one of both is read.

## What it does

Reports a key that stands twice in one mapping, and a second document in one file.

## Why it matters

Of repeated keys only the last counts, and of several documents only the first: the rest is dead.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
version: 1.1.0
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.1.0
```

## Evidence

YAML 1.2.2, 3.2.1.1: the keys of a mapping are unique. js-yaml, which SynkraAI/aios-core reads its
files with, refuses a repeated key.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN118",
    name="ambiguous-yaml",
    severity=Severity.WARNING,
    claims=("duplicate-yaml-key", "extra-yaml-document"),
    remedy="Delete the part that is not meant.",
)
