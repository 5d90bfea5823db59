"""Rules in a domain file of Chati.dev stand where no reader looks for them.

## What it does

Reports a key `articles` in a domain file: its rules belong into `rules`.

## Why it matters

None of them ever reaches an agent, while the file looks as if they did.

## Example

```bad
-- chati.dev/domains/constitution.yaml --
rules:
  - id: art-i
    text: Agents follow their role.
articles:
  article-ii:
    rules: ["Quality is checked."]
```

```good
-- chati.dev/domains/constitution.yaml --
rules:
  - id: art-i
    text: Agents follow their role.
  - id: art-ii
    text: Quality is checked.
```

## Evidence

`domain-loader` of mateusmetzker/Chati.dev reads `rules` alone; `domains/constitution.yaml` of v3.2.5
keeps Articles XVIII and XIX in `articles`.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN042",
    name="unread-chati-key",
    severity=Severity.WARNING,
    claims=("unread-chati-key",),
)
