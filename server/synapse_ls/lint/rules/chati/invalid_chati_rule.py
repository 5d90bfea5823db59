"""A rule in a domain file of Chati.dev has no id, no text, or an unknown priority.

## What it does

Reports rules below `chati.dev/domains/` without an `id` or a `text`, with the `id` of another rule of
the file, or with a priority that is not `critical`, `high` or `normal`.

## Why it matters

Chati.dev tells an agent a rule without text as an empty one named `unknown`. Here it is left out.

## Example

```bad
-- chati.dev/domains/global.yaml --
rules:
  - id: english
    text: Write code in English.
  - conventions: Follow existing conventions.
```

```good
-- chati.dev/domains/global.yaml --
rules:
  - id: english
    text: Write code in English.
  - id: conventions
    text: Follow existing conventions.
```

## Evidence

`extractRules` of mateusmetzker/Chati.dev; v3.2.5 ships five such items in `domains/agents/`.

## Fix

An item that was written as `- name: text` gets the name as its id. What is injected changes: the rule is
told then.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import single_edit_fix
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.workspace.file_facts import FileFacts


def _id_fix(facts: FileFacts, problem: Finding) -> Fix | None:
    key = dict(problem.data).get("key")
    if key is None or problem.span.cut(facts.text) != key:
        return None
    _, column = facts.lines.position(problem.span.start)
    text = f"id: {key}\n{' ' * column}text"
    return single_edit_fix(facts, f"Make `{key}` its id", problem.span, text, safe=False)


RULE = ProblemRule(
    code="SYN041",
    name="invalid-chati-rule",
    severity=Severity.WARNING,
    claims=("invalid-chati-rule",),
    fix=_id_fix,
)
