"""A manifest leaves the state of domains open.

## What it does

Reports, once in each manifest, the domains that have no `_STATE`.

## Why it matters

Here a domain without a state is switched on. CARL takes it as switched off when it waits for
keywords and as switched on when it is always on, so the tree depends on its reader. In `.carl/`
that is how it is read here, too, and nothing is said.

## Example

```bad
-- .synapse/manifest --
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

CARL v1 has two defaults for one key; the SYNAPSE reference never reads it (its design asks for it).

## Fix

Every such domain gets `_STATE=active`, which is how it is read already.
"""

from collections.abc import Iterator

from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.fixes import own_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding
from synapse_ls.text.line_index import line_break_style
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.tree_folders import CARL


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for the whole manifest, at the first domain without a state."""
    if not isinstance(manifest := facts.document, Manifest):
        return
    missing = [d for d in manifest.domains.values() if "STATE" not in d.entries and d.is_active]
    if not missing or facts.path.startswith(f"{CARL}/"):
        return
    # A line with the state above the first line of each domain.
    end = line_break_style(facts.text)
    edits = []
    for domain in missing:
        start = facts.text.rfind(end, 0, domain.span.start)
        line = start + len(end) if start >= 0 else 0
        edits.append(TextEdit(Span(line, line), f"{domain.name}_STATE=active{end}"))
    names = ", ".join(domain.name for domain in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    yield Finding(
        missing[0].span,
        f"No state is given for {names}{more}; taken as active here, but not by every reader.",
        "Write `_STATE=active` for each of them.",
        own_fix(facts, "Write the states", edits, safe=True),
    )
