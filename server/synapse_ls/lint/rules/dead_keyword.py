"""A keyword can never match what a user writes.

## What it does

Reports items of `_RECALL` in quotes, which match only a prompt that has the same quotes; items with a
tag of a rule block, which recall does not read; items of which nothing is left once accents and white
space are folded away; and items longer than what is read of a prompt.

## Why it matters

A domain that waits for such a keyword alone never comes in.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL="unit test", coverage
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

Neither the SYNAPSE reference nor CARL v1 knows quotes in a list: they are characters of the keyword.
Recall reads the user's own words: of very long prompts the ends, and no rule blocks.

## Fix

The quotes are deleted, and the keyword begins to match.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.prompt import PASTE_LIMIT, Prompt
from synapse_ls.engine.words import fold
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.fixes import one
from synapse_ls.lint.keywords import items_of, judge_all, judged
from synapse_ls.lint.rule import TreeRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“"}


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each keyword, at the keyword. The engine's own reader of prompts decides."""
    judge = _everything if tree.snapshot.config.match_everything else _own_words
    for found in judge_all(facts, judge):
        item, why = found.item, found.verdict
        bare = unquoted(item.value)
        how = "hardly ever" if bare else "never"
        yield Finding(
            item.span,
            f"`{item.value[:80]}` {how} brings {found.domain} in, because {why}.",
            "Delete the quotes." if bare else "Write a word that users write.",
            one(facts, "Delete the quotes", item.span, bare, safe=False) if bare else None,
        )


def unquoted(item: str) -> str:
    """What stands between the quotes that an item is in; "" where it is in none."""
    closing = QUOTES.get(item[:1], "")
    bare = item[1:-1].strip() if closing and item.endswith(closing) else ""
    return "" if item[:1] in bare or closing in bare else bare


@judged
def _own_words(value: str) -> tuple[tuple[int, str], ...]:
    return _dead(value, everything=False)


@judged
def _everything(value: str) -> tuple[tuple[int, str], ...]:
    return _dead(value, everything=True)


def _dead(value: str, *, everything: bool) -> tuple[tuple[int, str], ...]:
    found = ((n, _why(item, everything)) for n, item in enumerate(items_of(value)))
    return tuple((position, why) for position, why in found if why)


def _why(item: str, everything: bool) -> str:
    if unquoted(item):
        return "its quotes are part of it, and prompts have none"
    needle = fold(item)
    if not needle:
        return "nothing of it is left once accents are folded away"
    if len(item) > PASTE_LIMIT and not everything:
        return f"no more than {PASTE_LIMIT:,} characters of a prompt are read"
    if needle not in Prompt(f"a {item} b", everything=everything).folded:
        return "tags of rule blocks in a prompt are not read"
    return ""


RULE = TreeRule(
    code="SYN309",
    name="dead-keyword",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
)
