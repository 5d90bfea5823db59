"""A story's status is none that is known.

## What it does

Reports a status in which no word of the lifecycle is found: draft, ready, in progress, in review, done
or blocked, each in several spellings, in English or Portuguese.

## Why it matters

Whoever reads the story, agents included, cannot tell where it stands.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- docs/stories/1.1.story.md --
# Story 1.1: Login

**Status:** Almost there
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- docs/stories/1.1.story.md --
# Story 1.1: Login

**Status:** In Progress
```

## Evidence

The story lifecycle of SynkraAI/aios-core: Draft, Ready, InProgress, InReview, Done. Its template has
Approved and Review; both are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lint_rule import FileRule
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yields one finding for a story whose status is not a known one."""
    story = facts.document
    if isinstance(story, StoryDocument) and story.status_span and not story.state:
        yield Finding(
            story.status_span,
            f"`{story.status}` is no status that is known, so where the story stands cannot be told.",
            "Write Draft, Ready, In Progress, In Review, Done or Blocked.",
        )


RULE = FileRule(
    code="SYN708",
    name="unknown-story-status",
    severity=Severity.INFO,
    kinds=frozenset({FileKind.STORY}),
    check=check,
)
