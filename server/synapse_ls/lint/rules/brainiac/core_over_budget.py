"""The parts of a Brainiac text that are never cut do not fit into its budget.

## What it does

Reports a short-term memory whose summary and structured data take, with the identity, more than
`brainiac.budget` tokens.

## Why it matters

Nothing of it is cut: there is no room for a memory or an event, and every text is longer than it
may be.

## Example

```bad
-- .synapse/config.toml --
[brainiac]
budget = 10
-- system/core_identity.md --
# Core Identity

I keep the tide tables.
-- memory/short_term.md --
# Short-Term Memory

## Summary

The tables for May are done.
```

```good
-- .synapse/config.toml --
[brainiac]
budget = 1000
-- system/core_identity.md --
# Core Identity

I keep the tide tables.
-- memory/short_term.md --
# Short-Term Memory

## Summary

The tables for May are done.
```

## Evidence

Brainiac Context Ordering, "Token Budget Considerations": the long-term memory is truncated first,
the event log last, the rest is preserved.
"""

from collections.abc import Iterator

from synapse_ls.engine.context_usage import tokens_of_length
from synapse_ls.formats.brainiac.memory_index import CoreIdentity
from synapse_ls.formats.brainiac.short_term_memory import ShortTermMemory
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.path_classification import IDENTITY


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding where the core, the parts that are never cut, exceeds the budget."""
    if not isinstance(memory := facts.document, ShortTermMemory):
        return
    core = tree.snapshot.document(IDENTITY, CoreIdentity)
    chars = len(core.body) if core else 0
    chars += sum(len(item.text) for item in memory.items)
    chars += memory.summary.span.length if memory.summary else 0
    chars += sum(place.length for place in memory.loose)
    budget = tree.snapshot.config.brainiac.budget
    if tokens_of_length(chars) > budget:
        yield Finding(
            memory.title.span if memory.title else first_line_span(facts),
            f"Identity, summary and structured data take {tokens_of_length(chars)} tokens, and a "
            f"text may have {budget}: no memory and no event fits.",
            "Shorten them, or raise `brainiac.budget`.",
        )
