"""A file names a squad that does not exist.

## What it does

Reports squads that `dependencies.squads` of a `squad.yaml`, or the `squad_name` of a workflow in
progress, name and no folder among the squads is. The folder's name and the name in its `squad.yaml`
(or in the former `config.yaml`) are known; a folder without a `squad.yaml` is named as such. Of a
dependency a trailing `-squad` and a version after `@` are not compared.

## Why it matters

Nothing of that squad can apply. The workflow's own squad stays inactive.

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

from collections.abc import Callable, Iterator, Mapping

from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.lint.tree_lookups import parent_folder, unknown_name_finding
from synapse_ls.text.finding import Finding, Text
from synapse_ls.workspace.naming_conventions import kebab_case


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each squad that a file names and the tree does not have."""
    if not tree.squads:
        return
    parents = dict.fromkeys(parent_folder(squad.path) for squad in tree.squads)
    for name, spell, effect in _named_squads(facts.document):
        if spell(name.value) not in _known_squads(tree)[spell]:
            folders = (f"{parent}/{name.value}".lstrip("/") for parent in parents)
            if no_squad := next((f for f in folders if tree.snapshot.paths_under(f)), ""):
                yield Finding(
                    name.span,
                    f"`{no_squad}` has no `squad.yaml`, so it is no squad, and {effect}.",
                    "Give it a `squad.yaml`.",
                )
                continue
            message = f"There is no squad `{name.value}` with a `squad.yaml`, so {effect}."
            folder = parent_folder(facts.path).rpartition("/")[2]
            names = [squad.folder for squad in tree.squads if squad.folder != folder]
            yield unknown_name_finding(
                facts,
                name,
                message,
                names,
                "Add the squad or its `squad.yaml`, or correct its name.",
            )


def _named_squads(document: object) -> Iterator[tuple[Text, Callable[[str], str], str]]:
    """Yield the squads that a file names, how to compare the name, and what its absence causes."""
    if isinstance(document, SquadDocument):
        for other in document.dependencies:
            name = Text(other.value.partition("@")[0].strip(), other.span)
            yield name, _short_name, "what this squad builds on is not found"
    elif (
        isinstance(document, WorkflowState)
        and document.status == "active"
        and document.root
        and (text := document.root.text("squad_name"))
        and document.shape == "instance"
    ):
        yield text, kebab_case, "the workflow activates no squad's rules"


def _short_name(name: str) -> str:
    """Return the name of a squad without its suffix ``-squad``, since dependencies use both."""
    return kebab_case(name).removesuffix("-squad")


@weak_cache
def _known_squads(tree: Tree) -> Mapping[Callable[[str], str], frozenset[str]]:
    """Return the folders and names of all squads in each spelling."""
    named = [name for squad in tree.squads for name in (squad.folder, squad.name)]
    return {spell: frozenset(map(spell, named)) for spell in (kebab_case, _short_name)}
