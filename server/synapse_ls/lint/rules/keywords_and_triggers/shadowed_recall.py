"""A keyword can never activate its domain, because an exclusion always stops it.

## What it does

Reports items of `_RECALL` that contain, as whole words, an item of the same domain's `_EXCLUDE` or
of `GLOBAL_EXCLUDE`.

## Why it matters

Every prompt that has the keyword also has the excluded word, and exclusion wins.

## Example

```bad
-- .synapse/manifest --
GLOBAL_EXCLUDE=test
TESTING_STATE=active
TESTING_RECALL=unit test, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
GLOBAL_EXCLUDE=latest
TESTING_STATE=active
TESTING_RECALL=unit test, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

ADR-001 A7, with the semantics of CARL v1: exclusion is decided before recall, and `GLOBAL_EXCLUDE`
stops all recall. Public trees exclude words as common as `test` and `debug`.

## Fix

The keyword is deleted from the list, unless no keyword that works would be left, or the excluded
word is only a part of one of its words: there the exclusion is what was not meant. Which of the two
goes is for a person to say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from synapse_ls.engine import word_matching
from synapse_ls.formats.manifest import Manifest, ManifestEntry
from synapse_ls.lint import domain_triggers
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Related


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each recall keyword that an exclusion shadows, always stops, by the
    engine's own matcher.
    """
    lists = tuple(_global_lists(tree, facts))
    common = _exclusion_table((e for _, e in lists), word_matching.GLOBAL_EXCLUDE)
    inside = domain_triggers.matches_inside_words(tree)
    for declaration, entry in domain_triggers.domains_with_recall(facts):
        exclude = declaration.entries.get("EXCLUDE")
        own = ((facts.path, exclude),) if exclude else ()
        if not own and not lists:
            continue
        table = _exclusion_table((e for _, e in own), word_matching.EXCLUDE)
        shadowed: dict[int, str] = {}  # place of a keyword -> the excluded word in it
        for place, item in enumerate(entry.items):
            folded = word_matching.fold_text(item.value)
            match = word_matching.match_keywords(table, folded, substring=inside)
            # The domain's own exclusion comes first.
            if word := match.excludes.get(0) or word_matching.match_keywords(
                common, folded, substring=inside
            ).global_excludes.get(0):
                shadowed[place] = word
        for place, word in shadowed.items():
            item = entry.items[place]
            path, excluded = next(
                (path, other)
                for path, words in (*own, *lists)
                for other in words.items
                if other.value == word
            )
            folded = word_matching.fold_text(item.value)
            same = word_matching.fold_text(excluded.value) == folded
            what = "is also excluded" if same else f"contains `{excluded.value}`"
            # As a word, not only inside one. Where all keywords are stopped the exclusion is wrong,
            # and the keywords are what was meant.
            word_table = word_matching.compile_keywords([(word, 0, word_matching.EXCLUDE)])
            is_word = bool(word_matching.match_keywords(word_table, folded).excludes)
            fix = None
            if is_word and len(shadowed) < len(entry.items):
                fix = domain_triggers.keyword_deletion(facts, entry.items, place, safe=False)
            yield Finding(
                item.span,
                f"`{item.value}` never activates {declaration.name}, because every prompt with it "
                f"{what}.",
                "Delete the keyword or the excluded word.",
                fix,
                (Related(path, excluded.span, f"`{excluded.value}` is excluded here."),),
            )


def _exclusion_table(entries: Iterable[ManifestEntry], kind: int) -> word_matching.KeywordTable:
    """Return the matcher's table for the excluded words of some lists."""
    return word_matching.compile_keywords(
        (item.value, 0, kind) for entry in entries for item in entry.items
    )


def _global_lists(tree: Tree, facts: FileFacts) -> Iterator[tuple[str, ManifestEntry]]:
    """Yield the `GLOBAL_EXCLUDE` entries that apply to a manifest: the root's and its own."""
    for manifest in dict.fromkeys((tree.manifest, facts)):
        if not manifest or not isinstance(manifest.document, Manifest):
            continue
        if manifest.document.global_exclude:
            entries = reversed(manifest.document.entries)
            yield manifest.path, next(e for e in entries if e.setting == "GLOBAL_EXCLUDE")
