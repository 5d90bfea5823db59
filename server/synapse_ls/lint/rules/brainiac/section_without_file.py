"""A section of the configuration names a file that is not there.

## What it does

Reports `file` in a `[[section]]` of `.synapse/config.toml` that names no file that can be read.

## Why it matters

The section is not injected, and every text says so.

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

from collections.abc import Iterator

from synapse_ls.formats import config_settings, toml_document
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding
from synapse_ls.text.path_globs import resolve_inside


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each section of the configuration whose file is missing."""
    config = facts.document
    if not isinstance(config, config_settings.Config) or not config.paths.sections:
        return
    where = toml_document.key_positions(facts.text)
    missing = {path for path in config.paths.sections if tree.snapshot.facts(path) is None}
    for path, place in where.items():
        if len(path) == 3 and path[0] == "section" and path[2] == "file":
            name = place.value.cut(facts.text).strip("\"'")
            if (resolve_inside("", name) or name) in missing:
                message = f"There is no file {name}, so the section is not injected."
                yield Finding(place.value, message, "Create it, or write `content` instead.")
