"""A keyword is a word that is in very many prompts.

## What it does

Reports items of `_RECALL` that are a word of everyday work with code, in English or Portuguese:
`file`, `test`, `fix`, `arquivo`, `corrigir`. Phrases are not reported.

## Why it matters

A domain that is injected with most prompts costs as much as one that is always on, and crowds out
domains that wait for something of their own.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=test, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

Manifests in public trees wait for `tasks`, `complete` and `git`. CARL's guide asks for keywords
that are "specific enough".
"""

from collections.abc import Iterator

from synapse_ls.engine.word_matching import fold_text
from synapse_ls.lint import domain_triggers, language_words
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each keyword that is a very common word, at the keyword."""
    for declaration, entry in domain_triggers.domains_with_recall(facts):
        for keyword in entry.items:
            if fold_text(keyword.value) in language_words.COMMON_KEYWORDS:
                yield Finding(
                    keyword.span,
                    f"`{keyword.value}` is in very many prompts, so {declaration.name} is nearly "
                    "always on.",
                    "Write a phrase, or a word that only this domain has.",
                )
