"""A file names a squad that does not exist.

## What it does

Reports squads that `dependencies.squads` of a `squad.yaml`, or the `squad_name` of a workflow in
progress, name and no folder among the squads is. The folder's name and the name in its `squad.yaml` are
known. Of a dependency a trailing `-squad` and a version after `@` are not compared.

## Why it matters

Nothing of that squad can come in. The workflow's own squad stays asleep.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
dependencies: {squads: [storge-squad]}
-- squads/storage-squad/squad.yaml --
name: storage-squad
version: 1.0.0
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
dependencies: {squads: [storage-squad]}
-- squads/storage-squad/squad.yaml --
name: storage-squad
version: 1.0.0
```

## Evidence

`schemas/squad-schema.json` and `data/workflow-state-schema.yaml` of SynkraAI/aios-core.

## Fix

The squad that was probably meant is put in its place. What is injected may change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from synapse_ls.formats.problem import Text
from synapse_ls.formats.squad import SquadDocument
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lookup import once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.unknown import unknown
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import kebab
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each squad that is named and not there."""
    if not tree.squads:
        return
    for name, spell, effect in _named(facts.document):
        if spell(name.value) not in _known(tree)[spell]:
            message = f"There is no squad `{name.value}`, so {effect}."
            names = [squad.folder for squad in tree.squads]
            yield unknown(facts, name, message, names, "Add the squad, or correct its name.")


def _named(document: object) -> Iterator[tuple[Text, Callable[[str], str], str]]:
    """The squads that a file names, how their names are compared, and what their absence causes."""
    if isinstance(document, SquadDocument):
        for other in document.dependencies:
            name = Text(other.value.partition("@")[0].strip(), other.span)
            yield name, _short, "what this squad builds on is missing"
    elif isinstance(document, WorkflowState) and document.status == "active" and document.root:
        said = document.root.text("squad_name")
        if said and document.shape == "instance":
            yield said, kebab, "the workflow brings in no squad's rules"


def _short(name: str) -> str:
    """A squad's name in a dependency: nobody agrees on the suffix."""
    return kebab(name).removesuffix("-squad")


@once
def _known(tree: Tree) -> Mapping[Callable[[str], str], frozenset[str]]:
    """The squads' folders and names in each spelling."""
    named = [name for squad in tree.squads for name in (squad.folder, squad.name)]
    return {spell: frozenset(map(spell, named)) for spell in (kebab, _short)}


RULE = TreeRule(
    code="SYN205",
    name="unknown-squad",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.SQUAD, FileKind.WORKFLOW_STATE}),
    check=check,
    reads={"squad": Reach.EVERYWHERE},
)
