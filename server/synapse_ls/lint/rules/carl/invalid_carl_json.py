"""CARL's `carl.json` has something that nobody reads.

## What it does

Reports a `carl.json` that is no JSON, and what in it has another shape than CARL v2 gives it: domains,
brackets or commands that are no objects, lists of rules that are none, rules without a text, switches
that are neither true nor false, empty words among the keywords, rules for a bracket that has none,
misspelt names. Names of other programs are left alone.

## Why it matters

What cannot be read is not there for the agent: one comma too many, and no rule of the whole tree is.

## Example

```bad
-- .carl/carl.json --
{
  "version": 1,
  "domains": {
    "TESTING": {
      "state": "active",
      "recall": ["unit test"],
      "rules": [{"id": 0, "text": "Write the failing test first."}, {"id": 1}]
    }
  }
}
```

```good
-- .carl/carl.json --
{
  "version": 1,
  "domains": {
    "TESTING": {
      "state": "active",
      "recall": ["unit test"],
      "rules": [{"id": 0, "text": "Write the failing test first."}]
    }
  }
}
```

## Evidence

CARL v2 keeps `config` (devmode, global_exclude, context_brackets, commands), `domains` (state, always_on,
recall, exclude, rules, decisions) and `staging` in one file. Its reader takes what it does not find for
empty.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN010",
    name="invalid-carl-json",
    severity=Severity.ERROR,
    claims=("invalid-carl-json",),
    remedy="Correct the JSON.",
)
