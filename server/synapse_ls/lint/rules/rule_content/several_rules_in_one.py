"""A rule is several rules.

## What it does

Reports rules of three or more sentences; what is in quotes or brackets is not counted.

## Why it matters

Parts of a rule cannot be cut, numbered, switched off or quoted one by one, and the later ones are
easily overlooked.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English. Never commit to main. Ask before you delete a file.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
GLOBAL_RULE_1=Never commit to main.
GLOBAL_RULE_2=Ask before you delete a file.
```

## Evidence

SYNAPSE domain files have one rule for each line; budgets remove whole rules.
"""

import re
from collections.abc import Iterator

from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.workspace.tree_domains import rules_in

SENTENCES = 3

_QUOTED = lazy_pattern(r"\"[^\"]*\"|“[^“”]*”|`[^`]*`|\([^()]*\)")
_SENTENCE = lazy_pattern(r"(?<=\w\w)[.!?]+\s+(?=[^\W\d_a-z])")
_ABBREVIATED = lazy_pattern(
    r"\b(?:etc|vs|cf|approx|art|fig|inc|no|sr|dr|ex|obs|e\.g|i\.e|p\.ex)\.\s", re.IGNORECASE
)


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each rule that is several rules, three or more sentences, at its
    text.
    """
    for rule in rules_in(facts.document):
        if (sentences := _count_sentences(rule.text)) >= SENTENCES:
            yield Finding(
                rule.text_span,
                f"The rule has {sentences} sentences, which can only be kept or cut together.",
                "Write a rule for each of them.",
            )


def _count_sentences(text: str) -> int:
    """Return the number of sentences of a text, without quoted text and abbreviations."""
    if text.count(". ") + text.count("! ") < SENTENCES - 1:
        return 1
    return len(_SENTENCE.findall(_ABBREVIATED.sub(" ", _QUOTED.sub("qq", text)))) + 1
