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

from collections.abc import Iterator

from synapse_ls.engine import word_matching
from synapse_ls.formats.manifest import Manifest, ManifestEntry
from synapse_ls.lint import domain_triggers
from synapse_ls.lint.fixes import item_deletion_span, single_edit_fix
from synapse_ls.lint.lint_rule import FileFacts, Tree, cache_judgement
from synapse_ls.text.finding import Finding, Related


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each recall keyword that an exclusion shadows, always stops, by the
    engine's own matcher.
    """
    lists = tuple(_global_lists(tree, facts))
    everywhere = tuple(entry.word for _, entry in lists)
    substring = domain_triggers.matches_inside_words(tree)
    for declaration, entry in domain_triggers.domains_with_recall(facts):
        exclude = declaration.entries.get("EXCLUDE")
        own = exclude.word if exclude else ""
        if not own and not everywhere:
            continue
        verdicts = _shadowed_keywords(entry.word, own, everywhere, substring)
        items = entry.items if verdicts else ()
        # Where all of them are stopped the exclusion is wrong, and the keywords are what was meant.
        is_some = len(verdicts) < len(items)
        for place, word in verdicts:
            keyword_verdict = domain_triggers.KeywordVerdict(declaration.name, items, place, word)
            place_own = ((facts.path, exclude),) if exclude else ()
            # The finding for a shadowed keyword, with a fix where `mend`.
            word_place = next(
                (path, item)
                for path, entry in (*place_own, *lists)
                for item in entry.items
                if item.value == word
            )
            # As a word, not only inside one.
            table = _exclusion_table((word,), word_matching.EXCLUDE)
            is_word = bool(
                word_matching.match_keywords(
                    table, word_matching.fold_text(items[place].value)
                ).excludes
            )
            mend = is_some and is_word
            path, excluded_word = word_place
            item = keyword_verdict.item
            same = word_matching.fold_text(excluded_word.value) == word_matching.fold_text(
                item.value
            )
            what = "is also excluded" if same else f"contains `{excluded_word.value}`"
            span = item_deletion_span(keyword_verdict.items, keyword_verdict.place)
            yield Finding(
                item.span,
                f"`{item.value}` never activates {keyword_verdict.domain}, because every prompt "
                f"with it {what}.",
                "Delete the keyword or the excluded word.",
                single_edit_fix(facts, "Delete the keyword", span, "", safe=False)
                if mend
                else None,
                (Related(path, excluded_word.span, f"`{excluded_word.value}` is excluded here."),),
            )


@cache_judgement
def _shadowed_keywords(
    recall: str, exclude: str, everywhere: tuple[str, ...], substring: bool
) -> tuple[tuple[int, str], ...]:
    """Return (position of a keyword, the excluded word in it); the domain's own exclusion comes
    first.
    """
    common = _exclusion_table(everywhere, word_matching.GLOBAL_EXCLUDE)
    domain_table = _exclusion_table((exclude,), word_matching.EXCLUDE)
    keywords = []
    for position, item in enumerate(domain_triggers.list_items(recall)):
        folded = word_matching.fold_text(item)
        word = word_matching.match_keywords(domain_table, folded, substring=substring).excludes.get(
            0
        )
        word = word or word_matching.match_keywords(
            common, folded, substring=substring
        ).global_excludes.get(0)
        if word:
            keywords.append((position, word))
    return tuple(keywords)


@cache_judgement
def _exclusion_table(lists: tuple[str, ...], kind: int) -> word_matching.KeywordTable:
    """Return the matcher's table for the excluded words of some lists."""
    return word_matching.compile_keywords(
        (word, 0, kind) for value in lists for word in domain_triggers.list_items(value)
    )


def _global_lists(tree: Tree, facts: FileFacts) -> Iterator[tuple[str, ManifestEntry]]:
    """Yield the `GLOBAL_EXCLUDE` entries that apply to a manifest: the root's and its own."""
    for manifest in dict.fromkeys((tree.manifest, facts)):
        if not manifest or not isinstance(manifest.document, Manifest):
            continue
        if manifest.document.global_exclude:
            entries = reversed(manifest.document.entries)
            yield manifest.path, next(e for e in entries if e.setting == "GLOBAL_EXCLUDE")
