"""A rule's key does not have the shape `DOMAIN_RULE_n`.

## What it does

Reports keys that are read as rules although they have no `_RULE_` in them or do not end in a
number of their own. A list under one such prefix is reported once, and so are all keys of a file that
no rule has, such as `CONTEXT_FRAMEWORK`: their lines are injected as they stand. A line such as
`GLOBAL_RULE_0_PRIORITY=CRITICAL` says something of a rule and is none itself: it is not injected.

## Why it matters

The rule is injected, but CARL skips it, its order is that of the file, and tools that add or edit a
rule by its number do not find it.

## Example

```bad
-- .synapse/manifest --
ADOPTION_STATE=active
ADOPTION_RECALL=adopt
-- .synapse/adoption --
ADOPTION_CHECK_1=List what is adopted.
ADOPTION_CHECK_2=Say where it came from.
```

```good
-- .synapse/manifest --
ADOPTION_STATE=active
ADOPTION_RECALL=adopt
-- .synapse/adoption --
ADOPTION_RULE_0=List what is adopted.
ADOPTION_RULE_1=Say where it came from.
```

## Evidence

CARL v1 reads only keys that begin with `{DOMAIN}_RULE_`; SYNAPSE documents `{DOMAIN}_RULE_{N}`
and its reference reader (`domain-loader.js`, SynkraAI/aios-core) takes any upper-case key.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN114",
    name="odd-rule-key",
    severity=Severity.INFO,
    claims=("odd-index", "odd-key", "rule-attribute"),
)
