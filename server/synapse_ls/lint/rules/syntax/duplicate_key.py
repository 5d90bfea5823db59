"""A manifest sets the same key twice.

## What it does

Reports a key that an earlier line of the manifest has set already.

## Why it matters

Only the last line counts, and lists are not joined: the earlier line is dead.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
TESTING_RECALL=coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test, coverage
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

CARL v1 and the SYNAPSE reference reader (`domain-loader.js`, SynkraAI/aios-core) both assign each
key in turn, so the last one stays.

## Fix

The dead line is deleted; safe where both lines say the same.
"""

from __future__ import annotations

from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.fixes import single_edit_fix, whole_line
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.workspace.file_facts import FileFacts


def delete_repeated_line(facts: FileFacts, problem: Finding) -> Fix | None:
    """Returns the fix that deletes the line of a duplicate key, or the earlier one where the values
    differ, since it has no effect.
    """
    manifest = facts.document
    first = dict(problem.data).get("first_start")
    if not isinstance(manifest, Manifest) or first is None:
        return None
    earlier, later = manifest.entry_at(int(first)), manifest.entry_at(problem.span.start)
    if earlier is None or later is None:
        return None
    same = earlier.value.value == later.value.value
    title = "Delete the repeated line" if same else "Delete the earlier line, which has no effect"
    # The first mention of a domain gives it its place, so of two equal lines the first one stays.
    span = whole_line(facts.text, (later if same else earlier).span)
    return single_edit_fix(facts, title, span, "", safe=same)


RULE = ProblemRule(
    code="SYN108",
    name="duplicate-key",
    severity=Severity.WARNING,
    claims=("duplicate-key",),
    fix=delete_repeated_line,
)
