"""A note stands behind a value, where no comment is possible.

## What it does

Reports `# …` behind the value of a setting.

## Why it matters

Comments have lines of their own. To the reference reader `active # for now` is one word that
means nothing; in a list the note becomes part of a keyword, which then never matches.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active # since March
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
# Since March.
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

CARL v1 and the SYNAPSE reference reader (`domain-loader.js`, SynkraAI/aios-core) skip a line that
begins with `#` and know no other comment.

## Fix

The note gets a line of its own above; safe except behind a list, whose items it changes.
"""

from __future__ import annotations

from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.text.line_index import line_break_style
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.file_facts import FileFacts


def move_note_up(facts: FileFacts, problem: Finding) -> Fix:
    """Returns the fix that moves an inline comment, the note behind a value, to a line above."""
    text, (start, end) = facts.text, problem.span
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    manifest = facts.document
    entry = manifest.entry_at(start) if isinstance(manifest, Manifest) else None
    note = TextEdit(Span(line, line), text[start:end] + line_break_style(text))
    value_end = len(text[:start].rstrip())
    return Fix(
        "Move the note to a line of its own",
        safe=not (entry and entry.items),
        edits=((facts.path, note), (facts.path, TextEdit(Span(value_end, end), ""))),
    )


RULE = ProblemRule(
    code="SYN110",
    name="inline-comment",
    severity=Severity.WARNING,
    claims=("inline-comment",),
    fix=move_note_up,
)
