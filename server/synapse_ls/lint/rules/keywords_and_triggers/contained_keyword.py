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

from collections.abc import Iterator

from synapse_ls.engine.word_matching import RECALL, compile_keywords, fold_text, match_keywords
from synapse_ls.lint import domain_triggers
from synapse_ls.lint.lint_rule import FileFacts, Tree, cache_judgement
from synapse_ls.text.finding import Finding, Related

# Keywords of a list that are compared with each other; in longer ones none is looked for.
MOST_ITEMS = 500


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each keyword that adds nothing, at the keyword."""
    judge = (
        _contained_anywhere if domain_triggers.matches_inside_words(tree) else _contained_in_words
    )
    for keyword_verdict in domain_triggers.judge_keywords(facts, judge):
        item, other = keyword_verdict.item, keyword_verdict.items[keyword_verdict.verdict]
        twice = fold_text(other.value) == fold_text(item.value)
        what = "is in the list twice" if twice else f"contains `{other.value}`"
        yield Finding(
            item.span,
            f"`{item.value}` {what}, so it never decides whether {keyword_verdict.domain} comes "
            "in.",
            "Delete the keyword." if twice else "Delete one of the two.",
            domain_triggers.keyword_deletion(
                facts, keyword_verdict, safe=item.value == other.value
            ),
            (Related(facts.path, other.span, f"`{other.value}` is enough."),),
        )


@cache_judgement
def _contained_in_words(value: str) -> tuple[tuple[int, int], ...]:
    """Return keywords that contain another one of the list as whole words."""
    return _contained_positions(value, substring=False)


@cache_judgement
def _contained_anywhere(value: str) -> tuple[tuple[int, int], ...]:
    """Return keywords that contain another one of the list anywhere."""
    return _contained_positions(value, substring=True)


def _contained_positions(value: str, *, substring: bool) -> tuple[tuple[int, int], ...]:
    """Return (position of a keyword, position of the one that is part of it), by the engine's own
    matcher.
    """
    items = domain_triggers.list_items(value)
    if len(items) > MOST_ITEMS:
        return ()
    folded = [fold_text(item) for item in items]
    table = compile_keywords((item, position, RECALL) for position, item in enumerate(items))
    positions = []
    for position, word in enumerate(folded):
        positions_inside = match_keywords(table, word, substring=substring).recall
        # One that is shorter first: the reason stays the same while one of several is deleted.
        enough = (o for o in sorted(positions_inside) if folded[o] != word)
        other = next(enough, next((o for o in sorted(positions_inside) if o < position), None))
        if other is not None:
            positions.append((position, other))
    return tuple(positions)
