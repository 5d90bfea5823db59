"""A workflow's step names a task file that does not exist.

## What it does

Reports `task: name.md` of a workflow's step, in a definition or in a chain of commands, where no
task file has that name, where tasks were found at all. A name without `.md` may mean something else
and is passed over.

## Why it matters

While the work is in that step the task's conditions and criteria stay unknown.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/tasks/load-tables.md --
# Load

**Acceptance criteria**

- [ ] Every table has as many rows as its source.
-- squads/etl-squad/workflows/load.yaml --
workflow:
  id: load
  sequence:
    - {id: load, task: load-table.md}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/tasks/load-tables.md --
# Load

**Acceptance criteria**

- [ ] Every table has as many rows as its source.
-- squads/etl-squad/workflows/load.yaml --
workflow:
  id: load
  sequence:
    - {id: load, task: load-tables.md}
```

## Evidence

The workflow files of SynkraAI/aios-core name the task of a step by its file.

## Fix

The task that was probably meant is put in its place. What is injected changes.
"""

from collections.abc import Iterator

from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import step_mentions, unknown_name_finding
from synapse_ls.text.finding import Finding, Text

_EXTENSION = ".md"


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each task file that a step names and that does not exist."""
    if not tree.tasks:
        return
    for reference in step_mentions(facts, "task"):
        written = reference.span.cut(facts.text).strip("\"'")
        if written.endswith(_EXTENSION) and reference.key[1] not in tree.tasks:
            message = f"There is no task `{written}`, so this step has no conditions and criteria."
            files = (path.rpartition("/")[2] for path in tree.tasks.values())
            place = Text(written, reference.span)
            yield unknown_name_finding(
                facts, place, message, files, "Create the task, or correct its name."
            )
