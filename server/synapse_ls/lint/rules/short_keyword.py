"""A keyword is a single character or a word that is in nearly every prompt.

## What it does

Reports items of `_RECALL` that are one character, a number of one or two digits, or a word that
English or Portuguese sentences cannot do without (`the`, `with`, `para`, `com`). Where a tree matches
inside of words (`matching = "substring"`), items of up to three letters are reported, too.

## Why it matters

The domain comes in with prompts that have nothing to do with it, and takes budget from those that
have. Short names such as `ui` and `db` are matched as whole words and are not reported.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test, when, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test, when testing, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

The SYNAPSE create task proposes the words of a domain's name as its keywords, so that a domain
called `my-custom-rules` waits for `my`. CARL v1 matches inside of words.

## Fix

The keyword is deleted from the list, unless it is the only one. What is injected changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.words import fold, unspaced
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.keywords import deletion, is_substring, items_of, judge_all, judged
from synapse_ls.lint.language import STOP_WORDS
from synapse_ls.lint.rule import TreeRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

LONGEST = 3  # letters of a keyword that is too short to be looked for inside of words


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each keyword, at the keyword."""
    judge = _within_words if is_substring(tree) else _as_words
    for found in judge_all(facts, judge):
        yield Finding(
            found.item.span,
            f"`{found.item.value}` {found.verdict}, so {found.domain} comes in with prompts that do not "
            "concern it.",
            "Write a longer keyword or a phrase.",
            deletion(facts, found, safe=False),
        )


@judged
def _as_words(value: str) -> tuple[tuple[int, str], ...]:
    found = ((position, _why(fold(item))) for position, item in enumerate(items_of(value)))
    return tuple((position, why) for position, why in found if why)


@judged
def _within_words(value: str) -> tuple[tuple[int, str], ...]:
    found = []
    for position, item in enumerate(items_of(value)):
        why = _why(fold(item))
        if not why and len(item) <= LONGEST and item.isalnum() and not unspaced(ord(item[0])):
            why = "is part of many other words"
        if why:
            found.append((position, why))
    return tuple(found)


def _why(word: str) -> str:
    if len(word) == 1 and not unspaced(ord(word)):
        return "is a single character"
    if word.isdecimal() and len(word) <= 2:
        return "is a small number"
    return "is in nearly every prompt" if word in STOP_WORDS else ""


RULE = TreeRule(
    code="SYN306",
    name="short-keyword",
    severity=Severity.INFO,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
)
