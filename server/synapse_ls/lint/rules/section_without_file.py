"""A section of the configuration names a file that is not there.

## What it does

Reports `file` in a `[[section]]` of `.synapse/config.toml` that names no file that can be read.

## Why it matters

The section is not told, and every text says so.

## Example

```bad
-- .synapse/config.toml --
profile = "plain"

[[section]]
label = "Units"
file = "docs/units.md"
```

```good
-- .synapse/config.toml --
profile = "plain"

[[section]]
label = "Units"
file = "docs/units.md"
-- docs/units.md --
Heights are in metres.
```

## Evidence

neuron-context renders the sections it is given; a missing one is not noticed.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.brainiac.links import resolved
from synapse_ls.formats.config import Config
from synapse_ls.formats.toml_places import places
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each section without its file."""
    config = facts.document
    if not isinstance(config, Config) or not config.paths.sections:
        return
    where = places(facts.text)
    missing = {path for path in config.paths.sections if tree.snapshot.facts(path) is None}
    for path, place in where.items():
        if len(path) == 3 and path[0] == "section" and path[2] == "file":
            name = place.value.cut(facts.text).strip("\"'")
            if _inner(name) in missing:
                message = f"There is no file {name}, so the section is not told."
                yield Finding(place.value, message, "Create it, or write `content` instead.")


def _inner(name: str) -> str:
    """A path as the configuration keeps it."""
    return resolved("", name) or name


RULE = TreeRule(
    code="SYN832",
    name="section-without-file",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.CONFIG}),
    check=check,
    reads={"file": Reach.EVERYWHERE},
)
