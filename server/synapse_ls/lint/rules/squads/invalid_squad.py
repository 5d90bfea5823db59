"""A squad's description breaks its schema.

## What it does

Reports fields of `squad.yaml` that are missing, of the wrong type, or outside what the schema allows,
each at its place.

## Why it matters

The framework's own validator rejects the squad. Here its rules are still read, but what the field
was to say (its name, its components, how it meets the root) is not known.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
config: {extends: overide}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
config: {extends: override}
```

## Evidence

`schemas/squad-schema.json` of SynkraAI/aios-core.

## Fix

The word that was probably meant is put in its place. What is injected may change.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import near_word_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN601",
    name="invalid-squad",
    severity=Severity.WARNING,
    claims=("invalid-squad",),
    remedy="Correct the field.",
    fix=near_word_fixer(),
)
