"""A keyword is a single character or a word that is in nearly every prompt.

## What it does

Reports items of `_RECALL` that are one character, a number of one or two digits, or one of the
commonest words of a language (`the`, `with`, `when`). Where a tree matches inside of words
(`matching = "substring"`), items that are inside of common words by chance (`ring` in `string`,
`list` in `listen`) are reported, too, with two of those words. The languages are English and, where
the manifest has some words of them, Portuguese and Spanish.

## Why it matters

The domain is injected with prompts that have nothing to do with it, and takes budget from those
that have. Short names such as `ui` and `db` are matched as whole words and are not reported.

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

from synapse_ls.engine.word_matching import fold_text, is_unspaced_script
from synapse_ls.lint import domain_triggers
from synapse_ls.lint.language_words import chance_hosts, commonest_words, languages_of
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.tree_folders import CONFIG

_SHORT = 5  # letters of a keyword that is reported for a single word that it stands inside of


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each keyword that is too short or a stop word, at the keyword."""
    languages = languages_of(facts)
    inside = domain_triggers.matches_inside_words(tree)
    for declaration, entry in domain_triggers.domains_with_recall(facts):
        keywords = entry.items
        for place, keyword in enumerate(keywords):
            word = fold_text(keyword.value)
            why = ""
            if len(word) == 1 and not is_unspaced_script(ord(word)):
                why = "is a single character"
            elif word.isdecimal() and len(word) <= 2:
                why = "is a small number"
            elif word in commonest_words(languages):
                why = "is one of the commonest words"
            is_short = bool(why)
            if (
                inside
                and not why
                and word.isalnum()
                and not is_unspaced_script(ord(keyword.value[0]))
            ):
                hosts = chance_hosts(word, languages)
                if hosts[1:]:
                    why = f"is found inside `{hosts[0]}` and `{hosts[1]}` too"
                elif hosts and len(word) <= _SHORT:
                    why = f"is found inside `{hosts[0]}` too"
            if not why:
                continue
            remedy, fix = "Write a longer keyword or a phrase.", None
            if not is_short:
                remedy = f"Write a longer phrase in place of `{keyword.value}`."
                if tree.snapshot.config.matching:
                    whole = f'To match whole words only, write `matching = "word"` in `{CONFIG}`.'
                    remedy = " ".join(
                        (whole, f"Or write a longer phrase in place of `{keyword.value}`.")
                    )
            # One that says what its domain is about is not deleted: the prompts that do concern the
            # domain would no longer activate it.
            if is_short and word not in fold_text(declaration.name).split("_"):
                remedy = "Write a longer keyword or a phrase, or delete it."
                fix = domain_triggers.keyword_deletion(facts, keywords, place, safe=False)
            yield Finding(
                keyword.span,
                f"`{keyword.value}` {why}, so {declaration.name} is injected with prompts that do "
                "not concern it.",
                remedy,
                fix,
            )
