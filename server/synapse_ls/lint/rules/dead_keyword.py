"""A keyword can never match what a user writes.

## What it does

Reports items of `_RECALL` in quotes, which match only a prompt that has the same quotes; lists in
brackets, or with `;` or `|` between the words instead of commas; items that end in `*`; items with a
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

Neither the SYNAPSE reference nor CARL v1 knows quotes, brackets or patterns in a list, or another
separator than the comma: they are characters of the keyword.
Recall reads the user's own words: of very long prompts the ends, and no rule blocks.

## Fix

The list is written with commas and nothing else, and the keyword begins to match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.engine.prompt import PASTE_LIMIT, Prompt
from synapse_ls.engine.words import fold
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.fixes import one
from synapse_ls.lint.keywords import items_of, judge_all, judged
from synapse_ls.lint.rule import TreeRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import CARL
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“"}
_SEPARATOR = re.compile(r"(?<=[^\W_])(?:[ \t]*;[ \t]*|\|)(?=[^\W_])")
_WORD_AND_STAR = re.compile(r"(?<=[^\W_][^\W_])\*\Z")

_OTHER = "Write a word that users write"


class Dead(NamedTuple):
    """Why a keyword is dead, and what to do; ``mended`` is what it was meant to be, or ""."""

    why: str
    remedy: str
    mended: str = ""


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each keyword, at the keyword. The engine's own reader of prompts decides."""
    everything = tree.snapshot.config.match_everything or tree.folder == CARL
    judge = _everything if everything else _own_words
    for found in judge_all(facts, judge):
        item, (why, remedy, mended) = found.item, found.verdict
        how = "hardly ever" if mended else "never"
        yield Finding(
            item.span,
            f"`{item.value[:80]}` {how} brings {found.domain} in, because {why}.",
            f"{remedy}.",
            one(facts, remedy, item.span, mended, safe=False) if mended else None,
        )


def unquoted(item: str) -> str:
    """What stands between the quotes that an item is in; "" where it is in none."""
    closing = QUOTES.get(item[:1], "")
    bare = item[1:-1].strip() if closing and item.endswith(closing) else ""
    return "" if item[:1] in bare or closing in bare else bare


@judged
def _own_words(value: str) -> tuple[tuple[int, Dead], ...]:
    return _dead(value, everything=False)


@judged
def _everything(value: str) -> tuple[tuple[int, Dead], ...]:
    return _dead(value, everything=True)


def _dead(value: str, *, everything: bool) -> tuple[tuple[int, Dead], ...]:
    items = items_of(value)
    bracketed = len(items) > 1 and items[0].startswith("[") and items[-1].endswith("]")
    ends = {0: items[0][1:].strip(), len(items) - 1: items[-1][:-1].strip()} if bracketed else {}
    found = ((n, _why(item, ends.get(n, ""), everything)) for n, item in enumerate(items))
    return tuple((position, dead) for position, dead in found if dead)


def _why(item: str, without_bracket: str, everything: bool) -> Dead | None:
    """What is wrong with an item; ``without_bracket`` is it without the one that opens or ends a list."""
    if without_bracket:
        return Dead("its bracket is part of it", "Delete the bracket", without_bracket)
    bare = unquoted(item)
    if bare:
        return Dead("its quotes are part of it, and prompts have none", "Delete the quotes", bare)
    if _SEPARATOR.search(item):
        why = "only commas separate keywords, so it is a single one"
        return Dead(why, "Write commas", _SEPARATOR.sub(", ", item))
    if _WORD_AND_STAR.search(item):
        return Dead("`*` stands for nothing but itself", "Delete the `*`", item[:-1])
    needle = fold(item)
    if not needle:
        return Dead("nothing of it is left once accents are folded away", _OTHER)
    if len(item) > PASTE_LIMIT and not everything:
        return Dead(f"no more than {PASTE_LIMIT:,} characters of a prompt are read", _OTHER)
    if needle not in Prompt(f"a {item} b", everything=everything).folded:
        return Dead("tags of rule blocks in a prompt are not read", _OTHER)
    return None


RULE = TreeRule(
    code="SYN309",
    name="dead-keyword",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
)
