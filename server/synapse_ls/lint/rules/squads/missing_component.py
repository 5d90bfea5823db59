"""A squad lists a component that it does not have.

## What it does

Reports file names under `components` of a `squad.yaml` that are not in the squad's folder of that
name. An extension may be left out. Patterns (`*.md`) and names of files that are never read
(`_draft.md`) are passed over.

## Why it matters

An agent, task or workflow that is not there cannot be found by any prompt, and the framework's own
validator rejects the squad.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
components: {agents: [loder.md]}
-- squads/etl-squad/agents/loader.md --
---
name: loader
---
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
components: {agents: [loader.md]}
-- squads/etl-squad/agents/loader.md --
---
name: loader
---
```

## Evidence

`FILE_NOT_FOUND` of the squad validator of SynkraAI/aios-core.

## Fix

The file that was probably meant is put in its place. What is injected may change.
"""

from collections.abc import Iterator

from synapse_ls.formats.squad_manifest import COMPONENTS, SquadDocument
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import parent_folder, unknown_name_finding
from synapse_ls.text.finding import Finding, Related, Text
from synapse_ls.text.grouping import group_pairs
from synapse_ls.workspace import naming_conventions, path_classification

# From as many missing components on, they have one cause and are one finding.
MOST_SINGLE = 4
_NAMED = 3
_USUAL_EXTENSIONS = {"agents": ".md", "tasks": ".md", "workflows": ".yaml"}


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each component that `squad.yaml` lists and the squad does not have."""
    if not isinstance(facts.document, SquadDocument):
        return
    home = parent_folder(facts.path)
    paths = tree.snapshot.config.paths
    single: list[tuple[str, Text, Finding]] = []
    for component in COMPONENTS:
        listed = facts.document.components.get(component, ())
        folder = f"{home}/{component}"
        paths_here = tree.snapshot.paths_under(folder) if listed else ()
        files = [path[len(folder) + 1 :] for path in paths_here]
        component_names = {*files, *map(naming_conventions.file_stem, files)}
        for name in listed:
            file = name.value.removeprefix("./").removeprefix(f"{component}/")
            extension = "" if "." in file else _USUAL_EXTENSIONS.get(component, "")
            read = path_classification.classify_path(f"{folder}/{file}{extension}", paths)
            if file not in component_names and read and not set(file) & set("*?[{<"):
                message = (
                    f"There is no file `{folder}/{file}{extension}`, "
                    "so the squad fails its validation."
                )
                remedy = f"Create that file, or delete `{name.value}` from this list."
                name_finding = unknown_name_finding(facts, name, message, files, remedy)
                single.append((component, Text(f"{file}{extension}", name.span), name_finding))
    unlike = [(component, name) for component, name, finding in single if finding.fix is None]
    if len(unlike) < MOST_SINGLE:
        yield from (finding for _, _, finding in single)
        return
    yield from (finding for _, _, finding in single if finding.fix)
    # The one finding for many components that are not there.
    parts = []
    for component, names in group_pairs(unlike).items():
        more = len(names) - _NAMED
        name_list = ", ".join(f"`{name.value}`" for name in names[:_NAMED])
        parts.append(f"in `{component}/` {name_list}" + (f" and {more} more" if more > 0 else ""))
    yield Finding(
        unlike[0][1].span,
        f"{len(unlike)} components that are listed have no file, "
        f"so the squad fails its validation: {'; '.join(parts)}.",
        "Create the files, or take them off the lists.",
        related=tuple(
            Related(facts.path, name.span, "This one is not there.") for _, name in unlike[1:]
        ),
    )
