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

from synapse_ls.formats.rule import Rule
from synapse_ls.lint.fixes import rule_list_key, single_edit_fix
from synapse_ls.lint.lint_rule import ProblemRule, weak_cache
from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.tree_domains import rules_in


def renumber_rule(facts: FileFacts, problem: Finding) -> Fix | None:
    """Returns the fix that gives a rule with a duplicate number, its index, the next free one of
    its list.
    """
    by_place, highest = _numbered_rules(facts)
    rule = by_place.get(problem.span)
    if rule is None:
        return None
    index = highest[rule_list_key(rule)] + 1
    digits = len(rule.key.rpartition("_")[2])
    span = Span(rule.key_span.end - digits, rule.key_span.end)
    return single_edit_fix(facts, f"Renumber the rule to {index}", span, str(index), safe=False)


@weak_cache
def _numbered_rules(
    facts: FileFacts,
) -> tuple[Mapping[Span, Rule], Mapping[tuple[str, str, str], int]]:
    """Returns the rules of a file by the span of their key, and the highest number of each list."""
    rules = rules_in(facts.document)
    highest: dict[tuple[str, str, str], int] = {}
    for rule in rules:
        highest[rule_list_key(rule)] = max(highest.get(rule_list_key(rule), -1), rule.index or 0)
    return {rule.key_span: rule for rule in reversed(rules)}, highest


RULE = ProblemRule(
    code="SYN115",
    name="duplicate-index",
    severity=Severity.INFO,
    claims=("duplicate-index",),
    fix=renumber_rule,
)
