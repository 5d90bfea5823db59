"""A keyword is a single character or a word that is in nearly every prompt.

## What it does

Reports items of `_RECALL` that are one character, a number of one or two digits, or one of the
commonest words of a language (`the`, `with`, `when`). Where a tree matches inside of words
(`matching = "substring"`), items that are inside of common words by chance (`ring` in `string`,
`list` in `listen`) are reported, too, with two of those words. The languages are English and, where
the manifest has some words of them, Portuguese and Spanish.

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
that is only inside of other words: the prompts that the domain is about need those. What is
injected changes."""

from collections.abc import Iterator
from functools import partial

from synapse_ls.engine.word_matching import fold_text, is_unspaced_script
from synapse_ls.lint import domain_triggers
from synapse_ls.lint.language_words import chance_hosts, commonest_words, languages_of
from synapse_ls.lint.lint_rule import FileFacts, Tree, cache_judgement
from synapse_ls.text.finding import Finding, Fix

_SHORT = 5  # letters of a keyword that is reported for a single word that it stands inside of


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each keyword that is too short or a stop word, at the keyword."""
    languages = languages_of(facts)
    judge = partial(
        _short_inside if domain_triggers.matches_inside_words(tree) else _short_words, languages
    )
    for keyword_verdict in domain_triggers.judge_keywords(facts, judge):
        yield Finding(
            keyword_verdict.item.span,
            f"`{keyword_verdict.item.value}` {keyword_verdict.verdict}, so "
            f"{keyword_verdict.domain} comes in with prompts that do not concern it.",
            *_remedy(facts, keyword_verdict, languages),
        )


def _remedy(
    facts: FileFacts, found: domain_triggers.KeywordVerdict[str], languages: tuple[str, ...]
) -> tuple[str, Fix | None]:
    """Return what to do, with the fix. A keyword that says what its domain is about is not deleted:
    the prompts that do concern the domain would no longer bring it in.
    """
    word = fold_text(found.item.value)
    if not _shortness_reason(word, languages) or word in fold_text(found.domain).split("_"):
        return "Write a longer keyword or a phrase.", None
    return "Write a longer keyword or a phrase, or delete it.", domain_triggers.keyword_deletion(
        facts, found, safe=False
    )


@cache_judgement
def _short_words(languages: tuple[str, ...], value: str) -> tuple[tuple[int, str], ...]:
    """Return the positions of too short keywords, with the reason, where keywords match whole
    words.
    """
    verdicts = (
        (position, _shortness_reason(fold_text(item), languages))
        for position, item in enumerate(domain_triggers.list_items(value))
    )
    return tuple((position, why) for position, why in verdicts if why)


@cache_judgement
def _short_inside(languages: tuple[str, ...], value: str) -> tuple[tuple[int, str], ...]:
    """Return the same where keywords also match inside words."""
    verdicts = []
    for position, item in enumerate(domain_triggers.list_items(value)):
        folded = fold_text(item)
        why = _shortness_reason(folded, languages)
        if not why and folded.isalnum() and not is_unspaced_script(ord(item[0])):
            hosts = chance_hosts(folded, languages)
            if hosts[1:]:
                why = f"is a part of `{hosts[0]}`, `{hosts[1]}` and other words"
            elif hosts and len(folded) <= _SHORT:
                why = f"is a part of `{hosts[0]}`"
        if why:
            verdicts.append((position, why))
    return tuple(verdicts)


def _shortness_reason(word: str, languages: tuple[str, ...]) -> str:
    """Return why a word is too short or too common for a keyword, "" if it is not."""
    if len(word) == 1 and not is_unspaced_script(ord(word)):
        return "is a single character"
    if word.isdecimal() and len(word) <= 2:
        return "is a small number"
    return "is one of the commonest words" if word in commonest_words(languages) else ""
