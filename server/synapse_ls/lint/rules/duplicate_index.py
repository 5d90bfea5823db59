"""Two rules of a file have the same number.

## What it does

Reports a rule whose key an earlier line of the file has already.

## Why it matters

Both rules are injected, under one number: an agent or a colleague who quotes rule 4 cannot say
which. To tools that edit a rule by its number the second one does not exist.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
GLOBAL_RULE_0=Never commit to main.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
GLOBAL_RULE_1=Never commit to main.
```

## Evidence

The SYNAPSE edit task addresses `{DOMAIN}_RULE_{index}`; neither its reference reader nor CARL v1
checks that an index is used once.

## Fix

The later rule gets the next free number, which may change the order of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping

from synapse_ls.formats.problem import Problem
from synapse_ls.formats.rule import Rule
from synapse_ls.lint.diagnostic import Fix, Severity
from synapse_ls.lint.fixes import list_of, one
from synapse_ls.lint.lookup import once
from synapse_ls.lint.rule import ProblemRule
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import rules_in
from synapse_ls.workspace.facts import FileFacts


def renumber(facts: FileFacts, problem: Problem) -> Fix | None:
    """Gives the rule the next free number of its list."""
    by_place, highest = _numbered(facts)
    rule = by_place.get(problem.span)
    if rule is None:
        return None
    index = highest[list_of(rule)] + 1
    digits = len(rule.key.rpartition("_")[2])
    span = Span(rule.key_span.end - digits, rule.key_span.end)
    return one(facts, f"Renumber the rule to {index}", span, str(index), safe=False)


@once
def _numbered(facts: FileFacts) -> tuple[Mapping[Span, Rule], Mapping[tuple[str, str, str], int]]:
    """The rules of a file by the place of their key, and the highest number of each list."""
    rules = rules_in(facts.document)
    highest: dict[tuple[str, str, str], int] = {}
    for rule in rules:
        highest[list_of(rule)] = max(highest.get(list_of(rule), -1), rule.index or 0)
    return {rule.key_span: rule for rule in reversed(rules)}, highest


RULE = ProblemRule(
    code="SYN115",
    name="duplicate-index",
    severity=Severity.INFO,
    claims=("duplicate-index",),
    fix=renumber,
)
