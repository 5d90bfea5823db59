"""A squad is not called like its folder.

## What it does

Reports `name` of a `squad.yaml` that is not the name of the squad's folder. A trailing `-squad`
makes no difference.

## Why it matters

The framework finds a squad by its folder and not by the name that it gives itself. The prefix of
its domains is the folder's too.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: extract-load
version: 1.0.0
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
```

## Evidence

The squad loader of SynkraAI/aios-core looks for `squads/NAME`. ADR-001 E3 derives the prefix of a
squad's domains from it.

## Fix

The folder's name is written. What is injected stays the same, as it goes by the folder.
"""

from collections.abc import Iterator

from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.lint import fixes, tree_lookups
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.naming_conventions import squad_prefix


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a squad's name that does not match the folder's."""
    squad = facts.document
    name = squad.name if isinstance(squad, SquadDocument) else None
    folder = tree_lookups.parent_folder(facts.path).rpartition("/")[2]
    if name and squad_prefix(name.value) and squad_prefix(name.value) != squad_prefix(folder):
        yield Finding(
            name.span,
            f"The name `{name.value}` differs from the folder `{folder}`, and the framework looks "
            "for squads by folder.",
            f"Write `{folder}`, or rename the folder to `{name.value}`.",
            fixes.word_fix(facts, name.span, folder),
        )
