"""An article of the constitution has rules but no title.

## What it does

Reports articles of the `constitution` file without a `CONSTITUTION_RULE_ARTn_0` line.

## Why it matters

The article is shown by its number only, and without a severity it neither blocks nor advises.

## Example

```bad
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first.
```

```good
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first.
```

## Evidence

The generator of the reference (`generate-constitution.js`, SynkraAI/aios-core) writes title and
severity under the number 0.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN502",
    name="article-without-title",
    severity=Severity.INFO,
    claims=("article-without-title",),
)
