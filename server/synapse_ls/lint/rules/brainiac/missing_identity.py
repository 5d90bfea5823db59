"""A Brainiac memory has no core identity.

## What it does

Reports a short-term memory without a `system/core_identity.md` beside it, and an identity that says
nothing.

## Why it matters

The identity comes first in every text and is never cut. Without it agents do not learn who they
are.

## Example

```bad
-- memory/short_term.md --
# Short-Term Memory

## Summary

The tables for May are done.
```

```good
-- system/core_identity.md --
# Core Identity

I keep the tide tables.
-- memory/short_term.md --
# Short-Term Memory

## Summary

The tables for May are done.
```

## Evidence

Brainiac Context Ordering, "Core Identity": the foundation that should never be truncated. The
reference fails without the file."""

from collections.abc import Iterator

from synapse_ls.formats.brainiac.memory_index import CoreIdentity
from synapse_ls.lint.lint_rule import FileFacts, FileKind, Tree
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.path_classification import IDENTITY


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding where the core identity is missing (in the short-term memory) or empty."""
    if facts.kind is FileKind.SHORT_TERM:
        if tree.snapshot.facts(IDENTITY) is None:
            message = f"There is no {IDENTITY}, so agents do not learn who they are."
            yield Finding(first_line_span(facts), message, "Write it: purpose, principles, voice.")
    elif isinstance(facts.document, CoreIdentity) and not facts.document.body:
        message = "The identity says nothing, so agents do not learn who they are."
        yield Finding(first_line_span(facts), message, "Write down purpose, principles and voice.")
