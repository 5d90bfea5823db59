"""A task is for a type of executor that does not exist.

## What it does

Reports values of `responsavel_type` that mean neither Agente, Worker, Humano nor Clone. Their
English names and common spellings are known.

## Why it matters

The task counts as an agent's, so all layers come in: a script gets rules that it cannot read, and a
person gets an agent's.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/tasks/load.md --
---
task: loadTables()
responsavel: Loader
responsavel_type: Wroker
---

**Acceptance criteria**

- [ ] Every table is loaded.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/tasks/load.md --
---
task: loadTables()
responsavel: Loader
responsavel_type: Worker
---

**Acceptance criteria**

- [ ] Every table is loaded.
```

## Evidence

ADR-001 E7 and TASK-FORMAT-SPECIFICATION-V1 of SynkraAI/aios-core.

## Fix

The type that was probably meant is put in its place. What is injected changes.
"""

from collections.abc import Iterator

from synapse_ls.formats.markdown_outline import is_placeholder
from synapse_ls.formats.task_file import EXECUTORS, TaskDocument
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import known_agent_ids, unknown_name_finding
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern

# What stands between the ids of agents that do a task together.
_SEVERAL = lazy_pattern(r"(?:(?<!\s)\s+)?[+,&/]\s*")


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a task whose executor type is unknown. The id of an agent is accepted
    too, and those of several.
    """
    task = facts.document
    kind = task.executor_type if isinstance(task, TaskDocument) and not task.executor else None
    if kind is None or not kind.value or is_placeholder(kind.value):
        return
    agent_ids = known_agent_ids(tree)
    if kind.value.startswith("@") or all(name in agent_ids for name in _SEVERAL.split(kind.value)):
        return
    message = f"`{kind.value}` is no type of executor, so the task counts as an agent's."
    yield unknown_name_finding(
        facts, kind, message, EXECUTORS, f"Write one of {', '.join(EXECUTORS)}."
    )
