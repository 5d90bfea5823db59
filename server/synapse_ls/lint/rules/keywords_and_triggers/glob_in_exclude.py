"""An exclusion is a pattern of paths, and excludes no file.

## What it does

Reports items of `GLOBAL_EXCLUDE` and of `_EXCLUDE` with `*` that look like paths, such as `dist/**`
or `*.lock`, where a prompt about a file of that pattern is not excluded.

## Why it matters

Exclusions are words of prompts: a prompt that has one activates no keyword's domain. They say
nothing of files, and `*` means itself, so domains come in as if the item were not there.

## Example

```bad
-- .synapse/manifest --
GLOBAL_EXCLUDE=dist/**
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
GLOBAL_EXCLUDE=dist/
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

ADR-001 A7: `GLOBAL_EXCLUDE` is a list of words that stop recall. Only `_PATHS` is compared with
files, and activates domains."""

from collections.abc import Iterator

from synapse_ls.engine.word_matching import EXCLUDE, compile_keywords, fold_text, match_keywords
from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.domain_triggers import matches_inside_words
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern

_SETTINGS = ("GLOBAL_EXCLUDE", "EXCLUDE")
_PATH_GLOB = lazy_pattern(r"(?:[\w.@-]*\*+)?(?:[\w.@*-]*/)+[\w.@*-]*|\*+\.\w+")
_STARS = lazy_pattern(r"\*+")


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each excluded pattern that a prompt about its files does not have."""
    for entry in facts.document.entries if isinstance(facts.document, Manifest) else ():
        for item in entry.items if entry.setting in _SETTINGS else ():
            pattern = item.value
            if "*" not in pattern or not _PATH_GLOB.fullmatch(pattern):
                continue
            example = _STARS.sub("name", pattern)
            if _stops(tree, pattern, example):
                continue
            word = max(_STARS.split(pattern), key=len)
            is_word = bool(word.strip("./")) and _stops(tree, word, example)
            yield Finding(
                item.span,
                f"`{pattern[:80]}` is looked for in prompts as it is written, so one about "
                f"`{example[:80]}` is not excluded.",
                f"Write `{word}`, or delete the item."
                if is_word
                else "Write words of prompts, or delete the item.",
            )


def _stops(tree: Tree, word: str, prompt: str) -> bool:
    """Return whether an excluded word stops the recall of a prompt, by the engine's own matcher."""
    table = compile_keywords([(word, 0, EXCLUDE)])
    inside = matches_inside_words(tree)
    return bool(match_keywords(table, fold_text(prompt), substring=inside).excludes)
