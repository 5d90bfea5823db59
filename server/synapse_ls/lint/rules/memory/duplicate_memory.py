"""Two memories have one id.

## What it does

Reports each memory whose id another file has too, but for the first of them, in `.synapse/memory/`
and in `.chati/memories/`. Mostly two branches have each learned something on one day.

## Why it matters

`synapse memory forget`, `show` and `confirm` mean the first one, and both count as used when one
is.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/shared/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
---

# Tests use the staging database
-- .synapse/memory/shared/durable/mem-2026-11-22-002.md --
---
id: mem-2026-11-22-001
---

# Deploys wait for QA
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/shared/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
---

# Tests use the staging database
-- .synapse/memory/shared/durable/mem-2026-11-22-002.md --
---
id: mem-2026-11-22-002
---

# Deploys wait for QA
```

## Evidence

The memory schema of Chati.dev (`memory.schema.json`): `mem-YYYY-MM-DD-NNN`, counted by whoever
writes."""

from collections.abc import Iterator

from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding, Related

_STORES = ("memory", "chati-memory")  # a memory that was brought here keeps its id


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a memory whose id another memory has before it."""
    own = next(
        (definition for definition in facts.definitions if definition.key[0] in _STORES), None
    )
    if own is None:
        return
    path, first = tree.snapshot.definitions(own.key)[0]
    if path != facts.path:
        yield Finding(
            own.span if own.span.length else first_line_span(facts),
            f"{path.rpartition('/')[2]} has the id `{own.key[1]}` too, so commands that name "
            "it mean that one.",
            "Give one of them the next free id, in the file and in its name.",
            related=(Related(path, first.span, "The first one is here."),),
        )
