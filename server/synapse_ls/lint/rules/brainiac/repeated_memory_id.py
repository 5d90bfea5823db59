"""Two Brainiac memories have the same id.

## What it does

Reports memories whose `uuid` another memory has already.

## Why it matters

"Related Memories" and promotions find a memory by its id; with two of them one is never meant.

## Example

```bad
-- memory/long_term/a.md --
---
uuid: 5b1a9b0e
---
One.
-- memory/long_term/b.md --
---
uuid: 5b1a9b0e
---
Two.
```

```good
-- memory/long_term/a.md --
---
uuid: 5b1a9b0e
---
One.
-- memory/long_term/b.md --
---
uuid: 0d7d1c2f
---
Two.
```

## Evidence

The name: a universally unique identifier.
"""

from collections.abc import Iterator

from synapse_ls.formats.brainiac.long_term_memory import LongTermMemory
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding, Related
from synapse_ls.workspace.fact_extraction import make_key


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a memory whose id another memory has before it."""
    if not isinstance(memory := facts.document, LongTermMemory) or not memory.uuid:
        return
    if (first := tree.snapshot.defining_paths(make_key("memory-id", memory.uuid))[0]) != facts.path:
        yield Finding(
            memory.fields["uuid"].span,
            f"{first} has this id too, so this memory is never meant by it.",
            "Give one of them another id.",
            related=(
                Related(first, first_line_span(tree.snapshot.facts(first)), "The first one."),
            ),
        )
