"""A keyword adds nothing, because another one of its list is part of it.

## What it does

Reports items of `_RECALL` that contain, as whole words, another item of the same list, and items
that are in their list twice.

## Why it matters

Every prompt that has the longer keyword has the shorter one, too, so the longer one never decides.
Often it shows that the shorter one was meant to be narrower.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=pytest, pytest fixture, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=pytest, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

ADR-001 A4: any keyword of the list activates the domain.

## Fix

The keyword is deleted. The same domains come in; the words that the block gives as the reason, and
with them the order in which domains are cut, can change unless the keyword was there twice.
"""

from collections.abc import Iterator, Sequence

from synapse_ls.engine.word_matching import RECALL, compile_keywords, fold_text, match_keywords
from synapse_ls.lint import domain_triggers
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Related, Text

# Keywords of a list that are compared with each other; in longer ones none is looked for.
MOST_ITEMS = 500


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each keyword that adds nothing, at the keyword."""
    inside = domain_triggers.matches_inside_words(tree)
    for declaration, entry in domain_triggers.domains_with_recall(facts):
        keywords = entry.items
        for place, part in _contained_positions(keywords, substring=inside):
            item, other = keywords[place], keywords[part]
            twice = fold_text(other.value) == fold_text(item.value)
            what = "is in the list twice" if twice else f"contains `{other.value}`"
            same = item.value == other.value
            yield Finding(
                item.span,
                f"`{item.value}` {what}, so it never decides whether {declaration.name} comes in.",
                "Delete the keyword." if twice else "Delete one of the two.",
                domain_triggers.keyword_deletion(facts, keywords, place, safe=same),
                (Related(facts.path, other.span, f"`{other.value}` is enough."),),
            )


def _contained_positions(keywords: Sequence[Text], *, substring: bool) -> Iterator[tuple[int, int]]:
    """Yield (position of a keyword, position of the one that is part of it), by the engine's own
    matcher.
    """
    if len(keywords) > MOST_ITEMS:
        return
    folded = [fold_text(keyword.value) for keyword in keywords]
    table = compile_keywords((item.value, at, RECALL) for at, item in enumerate(keywords))
    for position, word in enumerate(folded):
        inside = sorted(match_keywords(table, word, substring=substring).recall)
        # One that is shorter first: the reason stays the same while one of several is deleted.
        shorter = next((other for other in inside if folded[other] != word), None)
        other = next((o for o in inside if o < position), None) if shorter is None else shorter
        if other is not None:
            yield position, other
