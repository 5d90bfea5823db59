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

The keyword is deleted from the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.engine.matching import EXCLUDE, GLOBAL_EXCLUDE, compile_table, match
from synapse_ls.engine.words import fold
from synapse_ls.formats.manifest import Declaration, Manifest, ManifestEntry
from synapse_ls.formats.problem import Text
from synapse_ls.lint.diagnostic import Finding, Related, Severity
from synapse_ls.lint.fixes import one, without_item
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

_Place = tuple[str, Text]


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each keyword, at the keyword. The engine's own matcher decides."""
    if not isinstance(facts.document, Manifest):
        return
    recalling = [
        (number, declaration)
        for number, declaration in enumerate(facts.document.domains.values())
        if declaration.active and "RECALL" in declaration.entries
    ]
    everywhere = {fold(text.value): (path, text) for path, text in _global_excludes(tree, facts)}
    rows = [(text.value, 0, GLOBAL_EXCLUDE) for _, text in everywhere.values()]
    for number, declaration in recalling:
        rows += ((text.value, number, EXCLUDE) for text in _listed(declaration.entries, "EXCLUDE"))
    if not rows:
        return
    table = compile_table(rows)
    substring = tree.snapshot.config.matching == "substring"
    for number, declaration in recalling:
        own = {
            fold(text.value): (facts.path, text) for text in _listed(declaration.entries, "EXCLUDE")
        }
        for item in _listed(declaration.entries, "RECALL"):
            found = match(table, fold(item.value), substring=substring)
            word = found.excludes.get(number)
            place = own[fold(word)] if word else None
            if place is None and found.global_excludes:
                place = everywhere[fold(found.global_excludes[0])]
            if place is not None:
                yield _finding(facts, declaration, item, place)


def _finding(facts: FileFacts, declaration: Declaration, item: Text, exclude: _Place) -> Finding:
    path, word = exclude
    what = (
        "is also excluded" if fold(word.value) == fold(item.value) else f"contains `{word.value}`"
    )
    entry = declaration.entries["RECALL"]
    return Finding(
        item.span,
        f"`{item.value}` never brings {declaration.name} in, because every prompt with it {what}.",
        "Delete the keyword or the excluded word.",
        one(facts, "Delete the keyword", without_item(entry, item), "", safe=True),
        (Related(path, word.span, f"`{word.value}` is excluded here."),),
    )


def _global_excludes(tree: Tree, facts: FileFacts) -> Iterator[_Place]:
    """What stops all recall of a manifest's domains: the words of the root and its own."""
    for manifest in dict.fromkeys((tree.manifest, facts)):
        if manifest and isinstance(manifest.document, Manifest):
            settings = {entry.setting: entry for entry in manifest.document.entries}
            yield from ((manifest.path, word) for word in _listed(settings, "GLOBAL_EXCLUDE"))


def _listed(entries: Mapping[str, ManifestEntry], setting: str) -> tuple[Text, ...]:
    entry = entries.get(setting)
    return entry.items if entry else ()


RULE = TreeRule(
    code="SYN302",
    name="shadowed-recall",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"setting": Reach.EVERYWHERE},
)
