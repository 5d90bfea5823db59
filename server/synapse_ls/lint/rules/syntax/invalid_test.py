"""A test of the tree cannot be run as it is written.

## What it does

Reports, in the files of `.synapse/tests/`, fields that do not exist or have the wrong type, cases
that have no name or the name of another one, and cases that expect nothing.

## Why it matters

A case that cannot be read fails, whatever the block says, and one that expects nothing always
passes.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/tests/prompts.toml --
[[case]]
name = "the language is told"
txts = ["Answer in English"]
max_tokens = 200
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/tests/prompts.toml --
[[case]]
name = "the language is told"
texts = ["Answer in English"]
max_tokens = 200
```

## Evidence

The table of fields in the user guide.

## Fix

The field that was probably meant is put in its place.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import near_word_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN129",
    name="invalid-test",
    severity=Severity.ERROR,
    claims=("bad-case",),
    remedy="Correct the case.",
    fix=near_word_fixer(),
)
