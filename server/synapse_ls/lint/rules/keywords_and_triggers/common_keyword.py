"""A keyword is a word that is in very many prompts.

## What it does

Reports items of `_RECALL` that are a word of everyday work with code, in English or Portuguese:
`file`, `test`, `fix`, `arquivo`, `corrigir`. Phrases are not reported.

## Why it matters

A domain that comes in with most prompts costs as much as one that is always on, and crowds out
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
from synapse_ls.lint.domain_triggers import judge_keywords, list_items
from synapse_ls.lint.language_words import COMMON_WORDS
from synapse_ls.lint.lint_rule import FileFacts, cache_judgement
from synapse_ls.text.finding import Finding


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each keyword that is a very common word, at the keyword."""
    for keyword_verdict in judge_keywords(facts, _common_keywords):
        yield Finding(
            keyword_verdict.item.span,
            f"`{keyword_verdict.item.value}` is in very many prompts, so {keyword_verdict.domain} "
            "is nearly always on.",
            "Write a phrase, or a word that only this domain has.",
        )


@cache_judgement
def _common_keywords(value: str) -> tuple[tuple[int, None], ...]:
    """Return the positions of common words in a keyword list."""
    words = enumerate(map(fold_text, list_items(value)))
    return tuple((position, None) for position, word in words if word in COMMON_WORDS)
