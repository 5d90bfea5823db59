"""A profile of the configuration says something that it cannot mean.

## What it does

Reports in `[profiles]` of `.synapse/config.toml` what the extended profile does not know: layers,
sections, classes of entries and brackets of other names, brackets that never hold, a profile that
does not exist in `extends`, or the name of a profile that there is already.

## Why it matters

The line has no effect; the rest of the profile holds.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
profile = "lean"

[profiles.lean.brackets.FRESH]
layers = ["L0", "L9"]
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
profile = "lean"

[profiles.lean.brackets.FRESH]
layers = ["L0", "L1"]
```

## Evidence

The chapter on profiles of one's own in the user guide.

## Fix

The word that was probably meant is put in its place. What is injected may change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.engine.profiles.custom import faults
from synapse_ls.formats.config import Config
from synapse_ls.formats.toml_places import Path, Place, places
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.fixes import one
from synapse_ls.lint.rule import FileRule
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind


def check(facts: FileFacts) -> Iterator[Finding]:
    """A finding at each word that cannot count."""
    config = facts.document
    if not isinstance(config, Config) or not config.profiles:
        return
    where = places(facts.text)
    for fault in faults(config.profiles):
        place = _place(where, ("profiles", *fault.path))
        word = facts.text[place.value.start : place.value.end].strip("\"'")
        meant = nearest(word, fault.words) if fault.words else None
        words = ", ".join(f"`{known}`" for known in fault.words)
        yield Finding(
            place.value,
            fault.sentence,
            f"Write `{meant}`." if meant else f"Write one of {words}." if words else _CHANGE,
            one(facts, f"Write `{meant}`", place.value, f'"{meant}"', safe=False)
            if meant
            else None,
        )


_CHANGE = "Change it, or delete it."


def _place(where: Mapping[Path, Place], path: Path) -> Place:
    """Where a value stands; else where the table does that should hold it."""
    while path and path not in where:
        path = path[:-1]
    return where.get(path, Place(Span(0, 0), Span(0, 0)))


RULE = FileRule(
    code="SYN132",
    name="bad-profile",
    severity=Severity.WARNING,
    configures=True,
    kinds=frozenset({FileKind.CONFIG}),
    check=check,
)
