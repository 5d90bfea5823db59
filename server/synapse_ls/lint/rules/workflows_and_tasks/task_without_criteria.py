"""A task says nowhere when it is done.

## What it does

Reports task files without acceptance criteria and without post-conditions.

## Why it matters

The task's context in a prompt says what to do and not when to stop.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/tasks/load.md --
# Load

Load the tables.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/tasks/load.md --
# Load

Load the tables.

**Acceptance criteria**

- [ ] Every table has as many rows as its source.
```

## Evidence

TASK-FORMAT-SPECIFICATION-V1 of SynkraAI/aios-core asks for pre-conditions, post-conditions and
acceptance criteria.
"""

from collections.abc import Iterator

from synapse_ls.formats.task_file import TaskDocument
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a task that has neither criteria nor post-conditions."""
    if not isinstance(task := facts.document, TaskDocument):
        return
    if not (task.acceptance or task.postconditions or task.checklist):
        yield Finding(
            first_line_span(facts),
            "The task has no acceptance criteria, so its context never says when it is done.",
            "List the criteria under `## Acceptance Criteria`.",
        )
