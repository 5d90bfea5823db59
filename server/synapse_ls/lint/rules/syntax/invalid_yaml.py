"""A YAML file cannot be read.

## What it does

Reports YAML that is not well-formed, longer than a million characters, or nested more than a hundred
levels deep.

Where it is plain what a line means, the finding says so. It also says how many more lines have the same
mistake, and which have another one: "at least" so many where the search ends before the text does, after a
hundred lines or at one of which it is not plain. Of YAML longer than 100,000 characters it tells the first
mistake alone.

## Why it matters

Nothing of the file is read: the squad, workflow or state that it describes is not there.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
tags:
  - "nightly" (all tables)
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
tags:
  - '"nightly" (all tables)'
```

## Evidence

YAML 1.2.2; the limits are those of this linter, so that no file can hold up a prompt. Published agents
of squads quote a word and go on behind it (`- "Hot Potato" (rapid collaboration)`, `- '*help' - Show all`),
write a key in the column of a list's items, or begin a Markdown table under a key without `|`.

## Fix

Where the file can be read afterwards, all of its lines that are refused are mended at once: a value
gets quotation marks around it, a key moves out of a list, a key gets its `|`. A key that further items of
the list follow has to be moved by hand, with all that belongs to it, and one whose name the mapping has already
is left where it is: the finding says how to make room for it. What agents are told changes: the file
counts.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.file_facts import FileFacts


def _mend_lines(facts: FileFacts, problem: Finding) -> Fix | None:
    """Returns the fix that makes the file readable, None where the parser knows of none."""
    edits = []
    for key, value in problem.data:
        if key == "edit":
            start, end, new_text = value.split(" ", 2)
            edits.append((facts.path, TextEdit(Span(int(start), int(end)), new_text)))
    if not edits:
        return None
    title = dict(problem.data)["title"] if len(edits) == 1 else f"Mend the {len(edits)} lines"
    return Fix(title, False, tuple(edits))


RULE = ProblemRule(
    code="SYN117",
    name="invalid-yaml",
    severity=Severity.ERROR,
    claims=("invalid-yaml", "yaml-too-large", "yaml-too-deep"),
    remedy="Correct the YAML.",
    fix=_mend_lines,
)
