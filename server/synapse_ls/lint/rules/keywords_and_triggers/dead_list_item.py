"""An item of a list can never match.

## What it does

Reports in `_RECALL`

- items in quotes, which match only a prompt that has the same quotes;
- lists in brackets or in one pair of quotes, or with `;` or `|` between the words;
- items that end in `*`, and regular expressions;
- items with a tag of a rule block, which recall does not read;
- items of which nothing is left once accents and white space are folded away;
- items that are longer than what is read of a prompt.

Quotes, brackets and other separators are reported in `_EXCLUDE`, `GLOBAL_EXCLUDE` and `_PATHS`,
too.

## Why it matters

A domain that waits for such an item alone is never injected, and what such an item is to exclude is
not excluded.

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
separator than the comma: they are characters of the item.
Recall reads the user's own words: of very long prompts the ends, and no rule blocks.

## Fix

The list is written with commas and nothing else, and its items begin to match.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from synapse_ls.engine import prompt_parser, word_matching
from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint import domain_triggers, fixes
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace.tree_folders import CARL

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“"}
_SEPARATOR = lazy_pattern(r"(?<=[^\W_])(?:[ \t]*;[ \t]*|\|)(?=[^\W_])")
# Nothing else stands between two patterns of paths on one line.
_PATH_SEPARATOR = lazy_pattern(r"(?<=[\w/*])(?:[ \t]*[;|][ \t]*|[ \t]+(?=[\w.*]+/))(?=[\w.*/])")
_FOREIGN_SIGN = lazy_pattern(r"[\[;|\"'“‘«„\\]|\S[ \t]+\S")
_WORD_AND_STAR = lazy_pattern(r"(?<=[^\W_][^\W_])\*\Z")

_QUOTED = ("its quotation marks", "Delete the quotation marks")
_BRACKETED = (
    ("its square brackets", "Delete the square brackets"),
    ("its `[]` and quotation marks", "Delete the square brackets and quotation marks"),
)
# What only a regular expression has, and one with a choice of endings: `/mock(s|ing)/`.
_EXPRESSION = lazy_pattern(r"\([^()]*\|[^()]*\)|\\[bBdDsSwW]")
_ENDINGS = lazy_pattern(r"/?(?:\\b)?([\w \-]*)\(\??:?([\w \-|]+)\)([\w \-]*)(?:\\b)?(?:/[a-z]*)?")

_OTHER_WORD = "Write a word that users write"


class DeadKeyword(NamedTuple):
    """Why a keyword can never match, the remedy, and what was meant, or ""."""

    reason: str
    remedy: str
    correction: str = ""


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each list that is written in another way, and for each keyword that can
    never match, by the engine's own reader of prompts.
    """
    yield from _foreign_lists(facts)
    everything = tree.snapshot.config.match_everything or tree.folder == CARL
    for declaration, entry in domain_triggers.domains_with_recall(facts):
        # Of a list that as a whole is written in another way nothing else is said.
        for keyword in () if _without_brackets([i.value for i in entry.items]) else entry.items:
            if dead := _dead_reason(keyword.value, everything):
                why, remedy, mended = dead
                how = "hardly ever" if mended else "never"
                yield Finding(
                    keyword.span,
                    f"`{keyword.value[:40]}` {how} activates {declaration.name}, because {why}.",
                    f"{remedy}.",
                    fixes.single_edit_fix(
                        facts, remedy.partition(", and ")[0], keyword.span, mended
                    )
                    if mended
                    else None,
                )


_LISTS = ("RECALL", "EXCLUDE", "GLOBAL_EXCLUDE", "PATHS")


def _foreign_lists(facts: FileFacts) -> Iterator[Finding]:
    """Yield a finding for each list in brackets or in quotes, and for items of lists but for
    ``_RECALL`` that are quoted or separated by something else than commas.
    """
    for entry in facts.document.entries if isinstance(facts.document, Manifest) else ():
        if entry.setting not in _LISTS or not _FOREIGN_SIGN.search(entry.word) or not entry.items:
            continue
        values = tuple(item.value for item in entry.items)
        edits: dict[Span, tuple[str, str, str]] = {}
        if bare := _without_brackets(values):
            span = Span(entry.items[0].span.start, entry.items[-1].span.end)
            is_quoted = any(strip_quotes(value.strip("[] ")) for value in values)
            marks, remedy = _BRACKETED[is_quoted] if values[0][0] == "[" else _QUOTED
            edits[span] = (_part_reason(marks, entry.setting), remedy, ", ".join(bare))
        elif entry.setting != "RECALL":
            separator = _PATH_SEPARATOR if entry.setting == "PATHS" else _SEPARATOR
            for item in entry.items:
                if bare_item := strip_quotes(item.value):
                    marks, remedy = _QUOTED
                    edits[item.span] = (_part_reason(marks, entry.setting), remedy, bare_item)
                elif entry.setting != "PATHS" and _EXPRESSION.search(item.value):
                    edits[item.span] = _no_expression(item.value)
                elif separator.search(item.value):
                    why = "it counts as one item: only commas separate items"
                    edits[item.span] = (
                        why,
                        _write_commas(separator, item.value),
                        separator.sub(", ", item.value),
                    )
        for span, (why, remedy, text) in edits.items():
            written = span.cut(facts.text)[:40]
            sentence = f"`{written}` hardly ever excludes a prompt, because {why}."
            if entry.setting == "RECALL":
                sentence = f"`{written}` hardly ever activates {entry.domain}, because {why}."
            elif entry.setting == "PATHS":
                sentence = f"`{written}` matches no file, because {why}."
            fix = fixes.single_edit_fix(facts, remedy, span, text) if text else None
            yield Finding(span, sentence, f"{remedy}.", fix)


def _part_reason(marks: str, setting: str) -> str:
    """Return why an item of a list with quotation marks or brackets is dead."""
    if setting == "PATHS":
        return f"{marks} are read as part of the pattern"
    return f"{marks} are read as part of the keyword"


def _no_expression(item: str) -> DeadKeyword:
    """Return why a keyword that is a regular expression is dead, with the words that it stands for
    where these are plain.
    """
    ways = _ENDINGS.fullmatch(item)
    words = ", ".join(f"{ways[1]}{way}{ways[3]}" for way in ways[2].split("|")) if ways else ""
    why, remedy = "keywords are plain text, not regular expressions", "Write the words themselves"
    return DeadKeyword(why, f"Write `{words}`" if words else remedy, words)


def _without_brackets(items: Sequence[str]) -> tuple[str, ...]:
    """Return the items of a list without the brackets, or the one pair of quotes, around all of
    them; none where there are none.
    """
    opening = items[0][:1]
    closing = "]" if opening == "[" else QUOTES.get(opening, "")
    if not closing or not items[-1].endswith(closing):
        return ()
    if opening != "[" and (len(items) == 1 or closing in items[0][1:]):
        return ()
    inner = ",".join(items)[1:-1].split(",")
    return tuple(strip_quotes(item.strip()) or item.strip() for item in inner)


def strip_quotes(item: str) -> str:
    """Return the keyword between the quotes around an item, without which it is not dead, "" where
    there are none.
    """
    closing = QUOTES.get(item[:1], "")
    bare = item[1:-1].strip() if closing and item.endswith(closing) else ""
    return "" if item[:1] in bare or closing in bare else bare


def _write_commas(separator: re.Pattern[str], items: str) -> str:
    match = separator.search(items)
    assert match is not None
    if character := match[0].strip():
        return f"Write `,` in place of `{character}`"
    return "Write `,` in place of the spaces"


@lru_cache(maxsize=16_384)  # an edit of a long manifest judges one list anew
def _dead_reason(item: str, everything: bool) -> DeadKeyword | None:
    """Return why a keyword is dead, None if it is not."""
    if bare := strip_quotes(item):
        marks, remedy = _QUOTED
        return DeadKeyword(_part_reason(marks, "RECALL"), remedy, bare)
    if _EXPRESSION.search(item):
        return _no_expression(item)
    if _SEPARATOR.search(item):
        why = "it counts as one keyword: only commas separate keywords"
        return DeadKeyword(why, _write_commas(_SEPARATOR, item), _SEPARATOR.sub(", ", item))
    if _WORD_AND_STAR.search(item):
        remedy = f"Write `{item[:-1]}`, and after it other forms of the word, each behind a comma"
        return DeadKeyword("`*` is not a wildcard here", remedy, item[:-1])
    if not (needle := word_matching.fold_text(item)):
        return DeadKeyword("nothing of it is left once accents are folded away", _OTHER_WORD)
    if len(item) > prompt_parser.PASTE_LIMIT and not everything:
        return DeadKeyword(
            f"no more than {prompt_parser.PASTE_LIMIT:,} characters of a prompt are read",
            _OTHER_WORD,
        )
    if needle not in prompt_parser.Prompt(f"a {item} b", everything=everything).folded:
        return DeadKeyword("tags of rule blocks in a prompt are not read", _OTHER_WORD)
    return None
