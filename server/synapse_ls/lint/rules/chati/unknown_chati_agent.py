"""A file of Chati.dev names an agent that does not exist.

## What it does

Reports a `current_agent` of the session, misspelt agents of its list, and agents of steps in
`workflows/*.yaml` and `domains/workflows/*.yaml`, and of tasks that have neither a file below
`chati.dev/agents/` nor a domain, where any agents were found at all. A step needs a file: its agent
cannot be started without one. The `handoff_to` of a task may name another task, too.

## Why it matters

While such an agent is active nothing is injected of its mission, its authority or its rules.

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

mateusmetzker/Chati.dev looks up agents by the names of their files; an unknown one gives an empty
section. Its router takes `handoff_to` for the id of a task, and for an agent where no task has that
id.

## Fix

The name that was probably meant is put in its place. What is injected changes.
"""

from collections.abc import Iterator

from synapse_ls.formats.chati import domain_file, session_file, work_files
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.lint.tree_lookups import misspelt_name, unknown_name_finding
from synapse_ls.text.finding import Finding, Text
from synapse_ls.workspace import chati_places
from synapse_ls.workspace.chati_tree import ChatiTree

_REMEDY = "Write the name of an agent."
_STEP_REMEDY = "Write the name of an agent, or add its file."
_TASK_REMEDY = "Write the id of a task, or the name of an agent."
_NO_AGENT = ("", "null", "none", "~")


_chati_tree = weak_cache(ChatiTree)


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each mention of an agent that Chati.dev's files do not define."""
    chati_tree = _chati_tree(tree)
    if not chati_tree.agents:
        return
    if isinstance(document := facts.document, session_file.SessionView):
        if document.agent.value and not chati_tree.is_agent(document.agent.value):
            yield _agent_finding(facts, document.agent, chati_tree, "nothing says what it is for")
        for agent in document.agents:
            # A session lists every agent of an installation: only a slip of the pen is worth a
            # word.
            if not chati_tree.is_agent(agent.name) and misspelt_name(
                agent.name, tuple(chati_tree.agents)
            ):
                written = Text(agent.name, agent.span)
                yield _agent_finding(facts, written, chati_tree, "its state means nothing")
    elif isinstance(document, work_files.TasksDocument):
        for task in document.tasks:
            name, follower = task.agent, task.handoff_to
            if name and _is_unknown(name, chati_tree):
                yield _agent_finding(facts, name, chati_tree, "nobody can take the task over")
            if (
                follower
                and _is_unknown(follower, chati_tree)
                and follower.value not in chati_tree.tasks
            ):
                nothing_follows = (
                    f"No task and no agent is called `{follower.value}`, so nothing follows this "
                    "task."
                )
                names = (*sorted(chati_tree.tasks), *chati_tree.agents)
                yield unknown_name_finding(facts, follower, nothing_follows, names, _TASK_REMEDY)
    elif with_file := [name for name, (path, _) in chati_tree.agents.items() if path]:
        steps: tuple[Text, ...] = ()
        if isinstance(document, work_files.WorkflowDocument):
            steps = tuple(step.agent for step in document.steps)
        elif isinstance(document, domain_file.DomainDocument):
            steps = document.steps
        for step in steps:
            if step.value not in (*with_file, *_NO_AGENT):
                message = (
                    f"No file below `{chati_places.AGENTS}/` is about `{step.value}`, so this step "
                    "has nobody to do it."
                )
                yield unknown_name_finding(facts, step, message, with_file, _STEP_REMEDY)


def _is_unknown(name: Text, chati: ChatiTree) -> bool:
    """Return whether a name is that of an agent which no file is about."""
    return name.value not in _NO_AGENT and not chati.is_agent(name.value)


def _agent_finding(facts: FileFacts, name: Text, chati_tree: ChatiTree, effect: str) -> Finding:
    message = f"No agent is called `{name.value}`, so {effect}."
    return unknown_name_finding(facts, name, message, chati_tree.agents, _REMEDY)
