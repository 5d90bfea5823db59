"""A file of Chati.dev names an agent that nothing is known of.

## What it does

Reports a `current_agent` of the session, misspelt agents of its list, and agents of steps in `workflows/*.yaml` and
`domains/workflows/*.yaml`, and of tasks that have neither a file below `chati.dev/agents/` nor a domain,
where any agents were found at all. A step needs a file: its agent cannot be started without one.

## Why it matters

While such an agent is active nothing is told of its mission, its authority or its rules.

## Example

```bad
-- chati.dev/agents/planning/brief.md --
# Brief Agent

## Mission

Extract requirements.
-- .chati/session.yaml --
project: {name: Board, type: greenfield, state: planning}
current_agent: breif
language: en
execution_mode: interactive
```

```good
-- chati.dev/agents/planning/brief.md --
# Brief Agent

## Mission

Extract requirements.
-- .chati/session.yaml --
project: {name: Board, type: greenfield, state: planning}
current_agent: brief
language: en
execution_mode: interactive
```

## Evidence

mateusmetzker/Chati.dev looks up agents by the names of their files; an unknown one gives an empty section.

## Fix

The name that was probably meant is put in its place. What is injected changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.chati.domain import DomainFile
from synapse_ls.formats.chati.session import SessionView
from synapse_ls.formats.chati.task import TaskFile
from synapse_ls.formats.chati.workflow import WorkflowFile
from synapse_ls.formats.problem import Text
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lookup import once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.unknown import misspelt, unknown
from synapse_ls.workspace.chati_tree import ChatiTree
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.systems import chati
from synapse_ls.workspace.tree import Tree

_NOBODY = ("", "null", "none", "~")


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each mention of an unknown agent."""
    known = _known(tree)
    if not known.agents:
        return
    with_file = [name for name, (path, _) in known.agents.items() if path]
    document = facts.document
    if isinstance(document, SessionView):
        if document.agent.value and not known.is_agent(document.agent.value):
            yield _finding(facts, document.agent, known, "nothing is told of what it is for")
        for agent in document.agents:
            # A session lists every agent of an installation: only a slip of the pen is worth a word.
            if not known.is_agent(agent.name) and misspelt(agent.name, tuple(known.agents)):
                written = Text(agent.name, agent.span)
                yield _finding(facts, written, known, "its state means nothing")
    elif isinstance(document, TaskFile):
        for task in document.tasks:
            for name in (task.agent, task.handoff_to):
                if name and name.value not in _NOBODY and not known.is_agent(name.value):
                    yield _finding(facts, name, known, "nobody can take the task over")
    elif with_file:
        for step in _steps(facts):
            if step.value not in with_file and step.value not in _NOBODY:
                message = f"No file below `{chati.AGENTS}/` is about `{step.value}`, so this step has nobody to do it."
                yield unknown(facts, step, message, with_file, "Write the name of an agent.")


def _steps(facts: FileFacts) -> Iterator[Text]:
    document = facts.document
    if isinstance(document, WorkflowFile):
        yield from (step.agent for step in document.steps)
    elif isinstance(document, DomainFile):
        yield from document.steps


def _finding(facts: FileFacts, name: Text, known: ChatiTree, effect: str) -> Finding:
    message = f"No agent is called `{name.value}`, so {effect}."
    return unknown(facts, name, message, known.agents, "Write the name of an agent.")


@once
def _known(tree: Tree) -> ChatiTree:
    return ChatiTree(tree)


RULE = TreeRule(
    code="SYN747",
    name="unknown-chati-agent",
    severity=Severity.WARNING,
    kinds=frozenset(
        {
            FileKind.CHATI_SESSION,
            FileKind.CHATI_DOMAIN,
            FileKind.CHATI_WORKFLOW,
            FileKind.CHATI_TASK,
        }
    ),
    check=check,
    reads={"chati": Reach.EVERYWHERE},
)
