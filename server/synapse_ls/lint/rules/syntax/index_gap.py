"""The numbers of a list of rules have a gap.

## What it does

Reports, once for each list, a rule whose number does not follow that of the rule before it. A list
may begin at 0 or at 1; a number that a commented-out rule has is no gap.

## Why it matters

Rules are shown under their numbers, so that readers of a block look for the one that is missing.
Tools that count the rules to find the next number give an existing one twice.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
GLOBAL_RULE_2=Never commit to main.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
GLOBAL_RULE_1=Never commit to main.
```

## Evidence

The SYNAPSE add task takes the number of `{DOMAIN}_RULE_n` lines as the next index, which after a
gap is an index in use.

## Fix

The list is numbered anew in the order in which its rules are shown. The numbers in the block
change."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from synapse_ls.formats.rule import Rule
from synapse_ls.lint.fixes import own_fix, rule_list_key
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.tree_domains import rules_in

_COMMENTED_RULE = lazy_pattern(
    r"^[ \t]*#+[ \t]*([A-Z][A-Z0-9_]{0,199})_([0-9]{1,9})[ \t]*=", re.MULTILINE
)


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each numbered list of rules with a gap, at the key behind the first
    gap.
    """
    numbered = (rule for rule in rules_in(facts.document) if rule.key and rule.index is not None)
    lists = group_pairs((rule_list_key(rule), rule) for rule in numbered)
    # Those of the rules that are switched off by a ``#``.
    commented = {(m[1], int(m[2])) for m in _COMMENTED_RULE.finditer(facts.text)}
    for rules in lists.values():
        numbers = sorted({rule.index or 0 for rule in rules})
        if numbers[0] <= 1 and numbers[-1] - numbers[0] < len(numbers):
            continue
        key_stem = _key_stem(rules[0])
        off = {number for stem, number in commented if stem == key_stem and number < numbers[-1]}
        known_numbers = sorted(off.union(numbers))
        for last, number in pairwise((min(known_numbers[0], 1) - 1, *known_numbers)):
            if number - last > 1:
                behind = min(
                    (rule for rule in rules if (rule.index or 0) >= number), key=attrgetter("index")
                )
                lost = f"{number - last - 1} numbers are"
                if number - last == 2:
                    lost = f"{_key_stem(behind)}_{number - 1} is"
                yield Finding(
                    behind.key_span,
                    f"{lost} missing before {behind.key}, so that readers of a block miss a rule "
                    "that is not there.",
                    "Number the rules without a gap.",
                    None if off else _renumbering_fix(facts, rules),
                )
                break


def _renumbering_fix(facts: FileFacts, rules: Sequence[Rule]) -> Fix:
    """Return the fix that numbers the rules without gaps; rules that share a number keep sharing
    one.
    """
    used = sorted({rule.index or 0 for rule in rules})
    new_numbers = {number: min(used[0], 1) + place for place, number in enumerate(used)}
    edits = []
    for rule in rules:
        if (number := new_numbers[rule.index or 0]) != rule.index:
            digits = rule.key.rpartition("_")[2]
            # Padding as in RULE_007 stays.
            text = str(number).zfill(len(digits) if digits.startswith("0") else 0)
            edits.append(TextEdit(Span(rule.key_span.end - len(digits), rule.key_span.end), text))
    return own_fix(facts, "Number the rules anew", edits)


def _key_stem(rule: Rule) -> str:
    return rule.key.rpartition("_")[0]
