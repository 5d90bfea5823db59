"""An index of Brainiac memories lists a file that does not exist.

## What it does

Reports files and folders in the list of an `_index.md` that its folder does not have, and ids of
related memories that no memory has.

## Why it matters

An agent is led to a memory that cannot be read.

## Example

```bad
-- memory/long_term/skills/_index.md --
# Skills

How things are done.

- [SQL](sqll.md) — queries
-- memory/long_term/skills/sql.md --
---
uuid: 5b1a9b0e
---
Indexes make reads fast.
```

```good
-- memory/long_term/skills/_index.md --
# Skills

How things are done.

- [SQL](sql.md) — queries
-- memory/long_term/skills/sql.md --
---
uuid: 5b1a9b0e
---
Indexes make reads fast.
```

## Evidence

Brainiac's specification: each folder has an index with a manifest of its files.

## Fix

The file that was probably meant is put in its place. What is injected may change.
"""

from collections.abc import Iterator

from synapse_ls.formats.brainiac.memory_index import MemoryIndex
from synapse_ls.lint.lint_rule import FileFacts, FileKind, Tree
from synapse_ls.lint.tree_lookups import parent_folder, unknown_name_finding
from synapse_ls.text.finding import Finding
from synapse_ls.text.path_globs import resolve_inside
from synapse_ls.workspace import fact_extraction, path_classification


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each entry or relation of an index that dangles, since it leads
    nowhere.
    """
    if not isinstance(index := facts.document, MemoryIndex):
        return
    folder = parent_folder(facts.path)
    paths = {*tree.snapshot.paths_under(folder), *tree.snapshot.paths(FileKind.LONG_TERM)}
    for entry in index.entries:
        path = resolve_inside(folder, entry.path.value)
        if path is None or not f"{path}/".startswith(f"{path_classification.LONG_TERM}/"):
            continue  # what leads out is another rule's
        if path not in paths and not tree.snapshot.paths_under(path):
            message = (
                f"`{entry.path.value}` is not there, so nobody can read what the index promises."
            )
            names = [path[len(folder) + 1 :] for path in paths if path.startswith(f"{folder}/")]
            yield unknown_name_finding(
                facts, entry.path, message, names, "Create it, or take it off the list."
            )
    for related in index.related:
        if not tree.snapshot.defining_paths(fact_extraction.make_key("memory-id", related.value)):
            message = f"No memory has the id `{related.value}`, so the relation leads nowhere."
            yield Finding(related.span, message, "Delete it, or write the id of a memory.")
