"""A squad's manifest and its `squad.yaml` give different `EXTENDS` modes.

## What it does

Reports `{SQUAD}_EXTENDS` of a squad's manifest where `config.extends` of its `squad.yaml` says
something else.

## Why it matters

`squad.yaml` wins, so the line in the manifest has no effect.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
config: {extends: extend}
-- squads/etl-squad/.synapse/manifest --
ETL_EXTENDS=none
PIPELINE_STATE=active
PIPELINE_RECALL=pipeline
-- squads/etl-squad/.synapse/pipeline --
PIPELINE_RULE_0=Load in batches.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
config: {extends: none}
-- squads/etl-squad/.synapse/manifest --
ETL_EXTENDS=none
PIPELINE_STATE=active
PIPELINE_RECALL=pipeline
-- squads/etl-squad/.synapse/pipeline --
PIPELINE_RULE_0=Load in batches.
```

## Evidence

ADR-001, "Extends Modes", writes the mode into the manifest; `schemas/squad-schema.json` of
SynkraAI/aios-core puts it into `squad.yaml`.
"""

from collections.abc import Iterator

from synapse_ls.formats.manifest import EXTENDS_MODES, Manifest
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Related


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each `EXTENDS` mode in a squad's manifest that `squad.yaml`
    overrules.
    """
    squad = tree.home_of(facts.path).squad
    yaml = tree.snapshot.facts(squad.yaml_path) if squad and squad.has_conflict else None
    stated = yaml.document.extends if yaml and isinstance(yaml.document, SquadDocument) else None
    if squad is None or yaml is None or stated is None or not isinstance(facts.document, Manifest):
        return
    for entry in facts.document.entries:
        mode = entry.value
        if (
            entry.setting == "EXTENDS"
            and mode.value in EXTENDS_MODES
            and mode.value != stated.value
        ):
            yield Finding(
                mode.span,
                f"`{mode.value}` has no effect, because squad.yaml says `{stated.value}`.",
                "Say the same in both files, or in one of them only.",
                related=(Related(yaml.path, stated.span, "This one counts."),),
            )
