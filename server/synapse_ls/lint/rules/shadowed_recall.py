"""A keyword can never bring its domain in, because an exclusion always stops it.

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

The keyword is deleted from the list, unless no keyword that works would be left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from synapse_ls.engine.matching import EXCLUDE, GLOBAL_EXCLUDE, compile_table, match
from synapse_ls.engine.words import fold
from synapse_ls.formats.manifest import Manifest, ManifestEntry
from synapse_ls.formats.problem import Text
from synapse_ls.lint.diagnostic import Finding, Related, Severity
from synapse_ls.lint.fixes import one, without_item
from synapse_ls.lint.keywords import Judged, is_substring, items_of, judged, recalling
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from synapse_ls.engine.matching import Table

_Place = tuple[str, Text]


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each keyword, at the keyword. The engine's own matcher decides."""
    lists = tuple(_global_lists(tree, facts))
    everywhere = tuple(entry.word for _, entry in lists)
    substring = is_substring(tree)
    for declaration, entry in recalling(facts):
        exclude = declaration.entries.get("EXCLUDE")
        own = exclude.word if exclude else ""
        if not own and not everywhere:
            continue
        verdicts = _shadowed(entry.word, own, everywhere, substring)
        items = entry.items if verdicts else ()
        # Where all of them are stopped the exclusion is wrong, and the keywords are what was meant.
        is_some = len(verdicts) < len(items)
        for place, word in verdicts:
            found = Judged(declaration.name, items, place, word)
            yield _finding(facts, found, _place(word, facts, exclude, lists), mend=is_some)


@judged
def _shadowed(
    recall: str, exclude: str, everywhere: tuple[str, ...], substring: bool
) -> tuple[tuple[int, str], ...]:
    """(position of a keyword, the excluded word in it); the domain's own word before others."""
    common = _table(everywhere, GLOBAL_EXCLUDE)
    own = _table((exclude,), EXCLUDE)
    found = []
    for position, item in enumerate(items_of(recall)):
        folded = fold(item)
        word = match(own, folded, substring=substring).excludes.get(0)
        word = word or match(common, folded, substring=substring).global_excludes.get(0)
        if word:
            found.append((position, word))
    return tuple(found)


@judged
def _table(lists: tuple[str, ...], kind: int) -> Table:
    return compile_table((word, 0, kind) for value in lists for word in items_of(value))


def _finding(facts: FileFacts, found: Judged[str], exclude: _Place, *, mend: bool) -> Finding:
    path, word = exclude
    item = found.item
    same = fold(word.value) == fold(item.value)
    what = "is also excluded" if same else f"contains `{word.value}`"
    span = without_item(found.items, found.place)
    return Finding(
        item.span,
        f"`{item.value}` never brings {found.domain} in, because every prompt with it {what}.",
        "Delete the keyword or the excluded word.",
        one(facts, "Delete the keyword", span, "", safe=True) if mend else None,
        (Related(path, word.span, f"`{word.value}` is excluded here."),),
    )


def _global_lists(tree: Tree, facts: FileFacts) -> Iterator[tuple[str, ManifestEntry]]:
    """What stops all recall of a manifest's domains: the lists of the root and its own."""
    for manifest in dict.fromkeys((tree.manifest, facts)):
        if not manifest or not isinstance(manifest.document, Manifest):
            continue
        if manifest.document.global_exclude:
            entries = reversed(manifest.document.entries)
            yield manifest.path, next(e for e in entries if e.setting == "GLOBAL_EXCLUDE")


def _place(
    word: str,
    facts: FileFacts,
    exclude: ManifestEntry | None,
    lists: tuple[tuple[str, ManifestEntry], ...],
) -> _Place:
    """Where an excluded word stands."""
    own = ((facts.path, exclude),) if exclude else ()
    return next(
        (path, item) for path, entry in (*own, *lists) for item in entry.items if item.value == word
    )


RULE = TreeRule(
    code="SYN302",
    name="shadowed-recall",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"setting": Reach.EVERYWHERE},
)
