"""A workflow's step belongs to an agent that does not exist.

## What it does

Reports agents of a workflow's steps, in definitions and in chains of commands, and of the current step of
a workflow in progress, that no agent
definition and no squad has as an id and no domain waits for, where agents were found at all. Steps of nobody (`system`,
`various`, `${story.executor}`) are passed over.

## Why it matters

While the work is in that step no agent's rules and no authority boundaries come in.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/loader.md --
---
name: loader
---
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/workflows/load.yaml --
workflow:
  id: load
  sequence:
    - {id: fetch, agent: loadr}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/loader.md --
---
name: loader
---
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/workflows/load.yaml --
workflow:
  id: load
  sequence:
    - {id: fetch, agent: loader}
```

## Evidence

`WF_AGENT_NOT_FOUND` of the workflow validator of SynkraAI/aios-core, which however rejects `@po` for
`po`.

## Fix

The id that was probably meant is put in its place. What is injected changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.lint.agents_and_workflows import is_unknown_agent, known_agent_ids
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lint_rule import Reach, TreeRule
from synapse_ls.lint.unknown_names import unknown_name_finding
from synapse_ls.text.parse_result import Text
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.index_keys import Reference
from synapse_ls.workspace.rule_tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yields one finding for each mention of an unknown agent in a step that is still to be done."""
    for reference in _agent_mentions(facts):
        name = reference.key[1]
        if is_unknown_agent(tree, name):
            message = f"No agent is called `{name}`, so this step brings no agent's rules in."
            written = _written_id(name, reference.span.cut(facts.text))
            place = Text(written, reference.span)
            yield unknown_name_finding(
                facts, place, message, known_agent_ids(tree), "Write the id of an agent."
            )


def _agent_mentions(facts: FileFacts) -> Iterator[Reference]:
    state = facts.document
    mentions = (reference for reference in facts.references if reference.key[0] == "agent")
    if not isinstance(state, WorkflowState):
        yield from mentions
    elif state.status == "active" and state.current_step:
        step = state.current_step.span
        yield from (r for r in mentions if step.start <= r.span.start < step.end)


def _written_id(name: str, text: str) -> str:
    """Returns the id as the file spells it, without what is around it (``"@po"``, ``core:dev``)."""
    start = text.casefold().find(name)
    return text[start : start + len(name)] if start >= 0 else text


RULE = TreeRule(
    code="SYN704",
    name="unknown-step-agent",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.WORKFLOW, FileKind.WORKFLOW_STATE, FileKind.CHAINS}),
    check=check,
    reads={"agent": Reach.EVERYWHERE, "trigger": Reach.EVERYWHERE, "squad": Reach.EVERYWHERE},
)
