"""A link of a memory leads out of the memory, or nowhere.

## What it does

Reports links in memories and indexes that lead out of `memory/long_term/`, and links to memories
that are not there.

## Why it matters

Retrieval is confined to the memory's folder: what is outside is never read, whoever asks for it. A
link to a file that is not there cannot be followed.

## Example

```bad
-- memory/long_term/sql.md --
---
uuid: 5b1a9b0e
---
The password is in [the settings](../../.env).
```

```good
-- memory/long_term/sql.md --
---
uuid: 5b1a9b0e
---
The password is in the team's vault.
```

## Evidence

CWE-22, path traversal. The reference joins paths that a model wrote to the root, for reading and
for writing."""

from collections.abc import Iterator

from synapse_ls.formats.brainiac.long_term_memory import LongTermMemory
from synapse_ls.formats.brainiac.memory_index import MemoryIndex
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import parent_folder, unknown_name_finding
from synapse_ls.text.finding import Finding
from synapse_ls.text.path_globs import resolve_inside
from synapse_ls.workspace.path_classification import LONG_TERM


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each link of a memory that leads out of the memory or nowhere."""
    if not isinstance(document := facts.document, LongTermMemory | MemoryIndex):
        return
    listed = document.entries if isinstance(document, MemoryIndex) else ()
    entries = {entry.path.span for entry in listed}
    for link in document.links:
        path = resolve_inside(parent_folder(facts.path), link.value)
        if path is None or not f"{path}/".startswith(f"{LONG_TERM}/"):
            message = f"`{link.value}` leads out of {LONG_TERM}/, so it is never read."
            yield Finding(link.span, message, "Delete it, or put what is needed into the memory.")
        elif link.span not in entries and path.endswith(".md") and not tree.snapshot.facts(path):
            message = f"`{link.value}` is not there, so the link leads nowhere."
            yield unknown_name_finding(facts, link, message, (), "Delete it, or write the memory.")
