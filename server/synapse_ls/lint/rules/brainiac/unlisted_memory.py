"""A Brainiac memory is listed in no index.

## What it does

Reports memories that the `_index.md` of their folder does not list, and, all at once, the folders
without one.

## Why it matters

Summaries of indexes are searched with twice the weight of the text, and a reorganization works from
them.

## Example

```bad
-- memory/long_term/skills/_index.md --
# Skills

How things are done.
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
"""

from collections.abc import Iterator

from synapse_ls.formats.brainiac.memory_index import MemoryIndex
from synapse_ls.lint.lint_rule import FileFacts, FileKind, Tree, weak_cache
from synapse_ls.lint.tree_lookups import first_line_span, parent_folder
from synapse_ls.text.finding import Finding
from synapse_ls.text.path_globs import resolve_inside
from synapse_ls.workspace.naming_conventions import near_misses
from synapse_ls.workspace.path_classification import INDEX, LONG_TERM

_NAMED = 3  # folders that a finding about several names


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a memory that no index lists."""
    folder, _, name = facts.path.rpartition("/")
    if (index := tree.snapshot.facts(f"{folder}/{INDEX}")) is None:
        if (bare := _folders_without_index(tree)) and facts.path == bare[0][0]:
            yield _missing_index_finding(
                facts, tuple(dict.fromkeys(folder_path for _, folder_path in bare)), len(bare)
            )
        return
    if not isinstance(index.document, MemoryIndex):
        return
    listed = {
        resolve_inside(folder, entry.path.value): entry.path.value
        for entry in index.document.entries
    }
    gone = (value for path, value in listed.items() if path and not tree.snapshot.facts(path))
    # An entry that leads nowhere and probably means this file is another rule's.
    if facts.path not in listed and not any(
        near_misses(entry_path, (name,)) for entry_path in gone
    ):
        message = f"{index.path} does not list {name}, so nothing says what it is about."
        yield Finding(first_line_span(facts), message, "List it there with a few words.")


@weak_cache
def _folders_without_index(tree: Tree) -> tuple[tuple[str, str], ...]:
    """Return the memories whose folder has no index, each with that folder, sorted by path; nothing
    where no folder has one.
    """
    if not any(path.endswith(f"/{INDEX}") for path in tree.snapshot.paths_under(LONG_TERM)):
        return ()
    memories = tree.snapshot.paths_under(LONG_TERM, FileKind.LONG_TERM)
    split = ((path, parent_folder(path)) for path in memories)
    return tuple(
        (path, folder) for path, folder in split if tree.snapshot.facts(f"{folder}/{INDEX}") is None
    )


def _missing_index_finding(facts: FileFacts, folders: tuple[str, ...], count: int) -> Finding:
    """Return the one finding for all folders without an index, at the first of their memories."""
    if len(folders) == 1:
        message = (
            f"{folders[0]} has no {INDEX}, so nothing says what its memories are about ({count})."
        )
        return Finding(first_line_span(facts), message, f"Write {folders[0]}/{INDEX}.")
    some = ", ".join(folders[:_NAMED])
    more = f" and {len(folders) - _NAMED} more" if folders[_NAMED:] else ""
    message = (
        f"{len(folders)} folders have no {INDEX}, so nothing says what their {count} memories are "
        f"about: {some}{more}."
    )
    return Finding(first_line_span(facts), message, f"Write an {INDEX} in each of them.")
