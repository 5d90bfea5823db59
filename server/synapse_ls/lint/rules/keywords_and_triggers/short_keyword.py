"""A keyword is a single character or a word that is in nearly every prompt.

## What it does

Reports items of `_RECALL` that are one character, a number of one or two digits, or a word that
English or Portuguese sentences cannot do without (`the`, `with`, `para`, `com`). Where a tree
matches inside of words (`matching = "substring"`), items that stand inside of other common words by
chance (`ring` in `string`) are reported, too, with two of those words. Portuguese words count where
the manifest has some.

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

The keyword is deleted from the list, unless it is the only one, a word of the domain's name, or one
that only stands inside of other words: the prompts that the domain is about need those. What is
injected changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synapse_ls.engine.word_matching import fold_text, is_unspaced_script
from synapse_ls.lint.domain_triggers import (
    ENGLISH_HOSTS,
    FALSE_STEMS,
    PORTUGUESE_HOSTS,
    STOP_WORDS,
    KeywordVerdict,
    judge_keywords,
    keyword_deletion,
    list_items,
    matches_inside_words,
    speaks_portuguese,
)
from synapse_ls.lint.lint_rule import FileFacts, FileKind, Tree, TreeRule, cache_judgement
from synapse_ls.text.finding import Finding, Fix, Severity

LONGEST = 3  # letters of a keyword that is no stem
FEWEST_HOSTS = 2  # common words with a keyword inside from which on it is reported
SHOWN_HOSTS = 2
_ENDINGS = ("s", "es", "d", "ed", "r", "er", "ing")


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each keyword that is too short or a stop word, at the keyword."""
    judge = _short_words
    if matches_inside_words(tree):
        judge = _short_inside_two_languages if speaks_portuguese(facts) else _short_inside_words
    for keyword_verdict in judge_keywords(facts, judge):
        yield Finding(
            keyword_verdict.item.span,
            f"`{keyword_verdict.item.value}` {keyword_verdict.verdict}, so "
            f"{keyword_verdict.domain} comes in with prompts that do not concern it.",
            *_remedy(facts, keyword_verdict),
        )


def _remedy(facts: FileFacts, found: KeywordVerdict[str]) -> tuple[str, Fix | None]:
    """Return what to do, with the fix. A keyword that says what its domain is about is not deleted:
    the prompts that do concern the domain would no longer bring it in.
    """
    word = fold_text(found.item.value)
    if not _shortness_reason(word) or word in fold_text(found.domain).split("_"):
        return "Write a longer keyword or a phrase.", None
    return "Write a longer keyword or a phrase, or delete it.", keyword_deletion(
        facts, found, safe=False
    )


@cache_judgement
def _short_words(value: str) -> tuple[tuple[int, str], ...]:
    """Return the positions of too short keywords, with the reason, where keywords match whole
    words.
    """
    verdicts = (
        (position, _shortness_reason(fold_text(item)))
        for position, item in enumerate(list_items(value))
    )
    return tuple((position, why) for position, why in verdicts if why)


@cache_judgement
def _short_inside_words(value: str) -> tuple[tuple[int, str], ...]:
    """Return the positions of too short keywords, with the reason, where keywords also match inside
    words, of prompts in English.
    """
    return _judge_inside(value, (ENGLISH_HOSTS,))


@cache_judgement
def _short_inside_two_languages(value: str) -> tuple[tuple[int, str], ...]:
    """Return the same for a tree whose prompts may also be in Portuguese."""
    return _judge_inside(value, (ENGLISH_HOSTS, PORTUGUESE_HOSTS))


def _judge_inside(value: str, languages: Sequence[Sequence[str]]) -> tuple[tuple[int, str], ...]:
    """Return the positions of keywords that are too short where words are looked into, with the
    reason.
    """
    verdicts = []
    for position, item in enumerate(list_items(value)):
        why = _shortness_reason(fold_text(item))
        folded = fold_text(item)
        if not why and folded.isalnum() and not is_unspaced_script(ord(item[0])):
            chance_hosts = _chance_hosts(folded, languages)
            if chance_hosts:
                why = (
                    f"is a part of {', '.join(f'`{word}`' for word in chance_hosts)} and other "
                    "words"
                )
        if why:
            verdicts.append((position, why))
    return tuple(verdicts)


def _chance_hosts(keyword: str, languages: Sequence[Sequence[str]]) -> list[str]:
    """Return common words of one language that a keyword stands inside of by chance, the shortest
    first; none where there are not enough of them.
    """
    for words in languages:
        hosts = [word for word in words if _stands_by_chance(keyword, word)]
        if len(hosts) >= FEWEST_HOSTS:
            return sorted(hosts, key=len)[:SHOWN_HOSTS]
    return []


def _stands_by_chance(keyword: str, word: str) -> bool:
    """Return whether a keyword is inside a word that is no form of it; the beginning of a word is
    one where the keyword is long enough to be a stem.
    """
    is_stem = len(keyword) > LONGEST and word.startswith(keyword) and word not in FALSE_STEMS
    return (
        keyword in word
        and not is_stem
        and word not in (keyword, *(keyword + end for end in _ENDINGS))
    )


def _shortness_reason(word: str) -> str:
    """Return why a word is too short or too common for a keyword, "" if it is not."""
    if len(word) == 1 and not is_unspaced_script(ord(word)):
        return "is a single character"
    if word.isdecimal() and len(word) <= 2:
        return "is a small number"
    return "is in nearly every prompt" if word in STOP_WORDS else ""


RULE = TreeRule(
    "SYN306", "short-keyword", Severity.INFO, (FileKind.MANIFEST,), check, reads_text=True
)
