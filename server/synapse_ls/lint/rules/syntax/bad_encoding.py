"""A file has bytes or characters that other readers cannot take.

## What it does

Reports bytes that are not valid UTF-8, NUL characters, and files in UTF-16 or UTF-32; in `.carl/` also
a byte order mark before a key or before JSON.

## Why it matters

Where bytes are invalid, the agent reads a replacement character instead of what was meant. A file
in UTF-16 is read here, but a reader that expects UTF-8 finds no rule in it.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Call the caf\\xe9 service over HTTPS only.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Call the café service over HTTPS only.
```

## Evidence

CARL v1 opens its files with the locale's encoding and takes a decoding error for an empty
manifest; the reference reader (`domain-loader.js`, SynkraAI/aios-core) puts U+FFFD into the rule.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN102",
    name="bad-encoding",
    severity=Severity.ERROR,
    claims=("not-utf8", "invalid-utf8", "nul-character", "byte-order-mark"),
)
