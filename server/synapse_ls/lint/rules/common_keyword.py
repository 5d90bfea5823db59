"""A keyword is a word that is in very many prompts.

## What it does

Reports items of `_RECALL` that are a word of everyday work with code, in English or Portuguese:
`file`, `test`, `fix`, `arquivo`, `corrigir`. Phrases are not reported. Off unless selected.

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

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.words import fold
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.keywords import items_of, judge_all, judged
from synapse_ls.lint.language import COMMON_WORDS
from synapse_ls.lint.rule import FileRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind


def check(facts: FileFacts) -> Iterator[Finding]:
    """One finding for each keyword, at the keyword."""
    for found in judge_all(facts, _common):
        yield Finding(
            found.item.span,
            f"`{found.item.value}` is in very many prompts, so {found.domain} is nearly always on.",
            "Write a phrase, or a word that only this domain has.",
        )


@judged
def _common(value: str) -> tuple[tuple[int, None], ...]:
    words = enumerate(map(fold, items_of(value)))
    return tuple((position, None) for position, word in words if word in COMMON_WORDS)


RULE = FileRule(
    code="SYN307",
    name="common-keyword",
    severity=Severity.HINT,
    default=False,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
)
