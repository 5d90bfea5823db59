"""A name or a keyword has letters of two alphabets that look the same.

## What it does

Reports words in keys, names, triggers and keyword lists in which Cyrillic or Greek letters are
among Latin ones, or the other way round, and could pass for them.

## Why it matters

It looks right and is another word: a prompt that says it never matches, and what it names is not
found.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit t\\xd0\\xb5st
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

Unicode Technical Standard #39, section 5.1 (mixed-script detection) and `confusables.txt`.

## Fix

The letters are replaced by those they look like; unsafe, as another word matches then.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.fixes import word_fix
from synapse_ls.lint.lint_rule import RULE_KINDS, FileFacts, FileKind
from synapse_ls.text.finding import Finding
from synapse_ls.text.hidden_characters import find_mixed_words
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_KEY = lazy_pattern(r"^[^\S\r\n]*([\w.-]{1,200})[^\S\r\n]*=", re.MULTILINE)
_COMMAND = lazy_pattern(r"\[\*([\w-]{1,100})\]")


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each name or key that mixes alphabets, at the word."""
    mixed_words = tuple(find_mixed_words(facts.text))
    starts = [mixed.span.start for mixed in mixed_words]
    named = {
        number
        for place in (_name_spans(facts) if mixed_words else ())
        for number in range(bisect_left(starts, place.start), bisect_left(starts, place.end))
    }
    for number in sorted(named):
        span, new_text, letters, script = mixed_words[number]
        word = span.cut(facts.text)
        place = next(n for n, letter in enumerate(word, 1) if letter in letters)
        key = _KEY.match(facts.text, facts.text.rfind("\n", 0, span.start) + 1)
        is_key = key is not None and span.end <= key.end(1)
        effect = "this line has no effect on" if is_key else "the word never matches"
        yield Finding(
            span,
            f"Letter {place} of `{word}` is {script}, so {effect} `{new_text}`, which looks the "
            "same.",
            f"Write `{new_text}` without Latin letters."
            if script == "Latin"
            else f"Write `{new_text}` in Latin letters.",
            word_fix(facts, span, new_text),
        )


def _name_spans(facts: FileFacts) -> Iterator[Span]:
    """Yield the places of keys and names; they may overlap."""
    yield from (definition.span for definition in facts.definitions)
    yield from (reference.span for reference in facts.references)
    if isinstance(facts.document, Manifest):
        for entry in facts.document.entries:
            yield entry.key.span
            yield from (item.span for item in entry.items)
    if facts.kind in RULE_KINDS:
        yield from (Span(*match.span(1)) for match in _KEY.finditer(facts.text))
    if facts.kind is FileKind.COMMANDS:
        yield from (Span(*match.span(1)) for match in _COMMAND.finditer(facts.text))
