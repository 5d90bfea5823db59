"""A manifest key ends in no setting that anyone reads.

## What it does

Reports keys of a manifest whose suffix is not a setting, and names the setting that was probably
meant. In a manifest that lists rule files (`name=path`), lines whose file is not beside it are reported, too.

## Why it matters

The key is ignored. With `_RECAL` for `_RECALL`, no prompt ever brings the domain in.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECAL=unit test
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

ADR-001 A6 and SYNAPSE Context Brackets name the settings; the reference reader
(`domain-loader.js`, SynkraAI/aios-core) drops every other suffix in silence.

## Fix

The key that was probably meant is put in its place, unless the manifest has that key as well. What is injected changes.
"""

from __future__ import annotations

from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.fixes import suggestion_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.workspace.file_facts import FileFacts

_write_suggestion = suggestion_fixer()


def _write_new_key(facts: FileFacts, problem: Finding) -> Fix | None:
    """Returns the fix that writes the suggested key, None where another line has it already."""
    wanted = dict(problem.data).get("suggestion", "")
    entries = facts.document.entries if isinstance(facts.document, Manifest) else ()
    if any(entry.key.value == wanted for entry in entries):
        return None
    return _write_suggestion(facts, problem)


RULE = ProblemRule(
    code="SYN104",
    name="unknown-key",
    severity=Severity.WARNING,
    claims=("unknown-key",),
    fix=_write_new_key,
)
