"""A keyword can never match what a user writes.

## What it does

Reports items of `_RECALL` in quotes, which match only a prompt that has the same quotes; lists in
brackets or in one pair of quotes, or with `;` or `|` between the words instead of commas; items that end in `*`; items with
a tag of a rule block, which recall does not read; items of which nothing is left once accents and
white space are folded away; and items longer than what is read of a prompt.

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

from synapse_ls.engine.user_prompt import PASTE_LIMIT, Prompt
from synapse_ls.engine.word_matching import fold_text
from synapse_ls.lint.domain_triggers import judge_keywords, list_items
from synapse_ls.lint.fixes import single_edit_fix
from synapse_ls.lint.lint_rule import FileFacts, FileKind, Tree, TreeRule, cache_judgement
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.workspace.tree_folders import CARL

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“"}
_SEPARATOR = re.compile(r"(?<=[^\W_])(?:[ \t]*;[ \t]*|\|)(?=[^\W_])")
_WORD_AND_STAR = re.compile(r"(?<=[^\W_][^\W_])\*\Z")

_OTHER_WORD = "Write a word that users write"


class DeadKeyword(NamedTuple):
    """Why a keyword can never match, the remedy, and what was meant, or ""."""

    reason: str
    remedy: str
    correction: str = ""


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each keyword that can never match, by the engine's own reader of
    prompts.
    """
    everything = tree.snapshot.config.match_everything or tree.folder == CARL
    judge = _dead_in_everything if everything else _dead_in_own_words
    for keyword_verdict in judge_keywords(facts, judge):
        item, (why, remedy, mended) = keyword_verdict.item, keyword_verdict.verdict
        how = "hardly ever" if mended else "never"
        yield Finding(
            item.span,
            f"`{item.value[:80]}` {how} brings {keyword_verdict.domain} in, because {why}.",
            f"{remedy}.",
            single_edit_fix(facts, remedy, item.span, mended, safe=False) if mended else None,
        )


def strip_quotes(item: str) -> str:
    """Return the keyword between the quotes around an item, without which it is not dead, "" where
    there are none.
    """
    closing = QUOTES.get(item[:1], "")
    bare = item[1:-1].strip() if closing and item.endswith(closing) else ""
    return "" if item[:1] in bare or closing in bare else bare


@cache_judgement
def _dead_in_own_words(value: str) -> tuple[tuple[int, DeadKeyword], ...]:
    """Return the dead keywords of a list where only the user's own words are matched."""
    return _dead_keywords(value, everything=False)


@cache_judgement
def _dead_in_everything(value: str) -> tuple[tuple[int, DeadKeyword], ...]:
    """Return the dead keywords of a list where the whole prompt is matched."""
    return _dead_keywords(value, everything=True)


def _dead_keywords(value: str, *, everything: bool) -> tuple[tuple[int, DeadKeyword], ...]:
    """Return (position, reason) of each dead keyword of a list."""
    items = list_items(value)
    opening = items[0][:1] if len(items) > 1 else ""
    closing = "]" if opening == "[" else QUOTES.get(opening, "")
    ends: dict[int, str] = {}
    if closing and items[-1].endswith(closing) and closing not in items[0][1:]:
        ends = {0: items[0][1:].strip(), len(items) - 1: items[-1][:-1].strip()}
    verdicts = (
        (n, _dead_reason(item, ends.get(n, ""), everything)) for n, item in enumerate(items)
    )
    return tuple((position, dead) for position, dead in verdicts if dead)


def _dead_reason(item: str, without: str, everything: bool) -> DeadKeyword | None:
    """Return why a keyword is dead, None if it is not.

    ``without`` is the item without the bracket or the quotation mark that opens or closes the list.
    """
    if without and (item[0] == "[" or item[-1] == "]"):
        return DeadKeyword("its bracket is part of it", "Delete the bracket", without)
    if without:
        return DeadKeyword("its quotation mark is part of it", "Delete the quotation mark", without)
    bare = strip_quotes(item)
    if bare:
        return DeadKeyword(
            "its quotes are part of it, and prompts have none", "Delete the quotes", bare
        )
    if _SEPARATOR.search(item):
        why = "only commas separate keywords, so it is a single one"
        return DeadKeyword(why, "Write commas", _SEPARATOR.sub(", ", item))
    if _WORD_AND_STAR.search(item):
        return DeadKeyword("`*` stands for nothing but itself", "Delete the `*`", item[:-1])
    needle = fold_text(item)
    if not needle:
        return DeadKeyword("nothing of it is left once accents are folded away", _OTHER_WORD)
    if len(item) > PASTE_LIMIT and not everything:
        return DeadKeyword(
            f"no more than {PASTE_LIMIT:,} characters of a prompt are read", _OTHER_WORD
        )
    if needle not in Prompt(f"a {item} b", everything=everything).folded:
        return DeadKeyword("tags of rule blocks in a prompt are not read", _OTHER_WORD)
    return None


RULE = TreeRule(
    "SYN309", "dead-keyword", Severity.WARNING, (FileKind.MANIFEST,), check, reads_text=True
)
