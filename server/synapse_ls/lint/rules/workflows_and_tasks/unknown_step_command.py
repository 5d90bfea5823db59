"""A step of a chain names a command that its agent does not have.

## What it does

Reports commands of steps, and of their alternatives, in `workflow-chains.yaml` that the definition
of the step's agent does not list, where that definition lists commands.

## Why it matters

The command is suggested as the next one. The agent does not know what to do with it.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/loader.md --
# loader

~~~yaml
agent:
  id: loader
commands:
  - fetch-tables: Fetch what is new
~~~
-- .synapse/config.toml --
[paths]
chains = ["docs/chains.yaml"]
-- docs/chains.yaml --
workflows:
  - id: etl
    chain:
      - {step: 1, agent: "@loader", command: "*fetch-table {name}"}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/loader.md --
# loader

~~~yaml
agent:
  id: loader
commands:
  - fetch-tables: Fetch what is new
~~~
-- .synapse/config.toml --
[paths]
chains = ["docs/chains.yaml"]
-- docs/chains.yaml --
workflows:
  - id: etl
    chain:
      - {step: 1, agent: "@loader", command: "*fetch-tables {name}"}
```

## Evidence

`data/workflow-chains.yaml` of SynkraAI/aios-core names commands of the agents whose definitions
list them.

## Fix

The command that was probably meant is put in its place. What is suggested changes.
"""

from collections.abc import Iterator

from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.workflow_definition import ChainStep, WorkflowChain
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import unknown_name_finding
from synapse_ls.text.finding import Finding, Text
from synapse_ls.workspace.naming_conventions import is_same_id


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each command of a step that its agent does not list."""
    for chain in facts.document if isinstance(facts.document, tuple) else ():
        for step in chain.steps if isinstance(chain, WorkflowChain) else ():
            for command_name in (step, *step.alternatives):
                place = _command_text(facts, command_name)
                commands = _agent_commands(tree, command_name.agent)
                if (
                    place
                    and commands
                    and not any(is_same_id(place.value, name) for name in commands)
                ):
                    message = (
                        f"@{command_name.agent} has no command `*{place.value}`, so the "
                        "suggestion leads nowhere."
                    )
                    yield unknown_name_finding(
                        facts,
                        place,
                        message,
                        commands,
                        f"Write a command of @{command_name.agent}.",
                    )


def _command_text(facts: FileFacts, step: ChainStep) -> Text | None:
    """Return the command's name with its span, without its star and its arguments."""
    text = step.node.text("command") if step.node else None
    written = text.span.cut(facts.text) if text else ""
    start = written.casefold().find(step.command) if step.command else -1
    if text is None or start < 0:
        return None
    return Text(written[start : start + len(step.command)], text.span)


def _agent_commands(tree: Tree, agent: str) -> tuple[str, ...]:
    """Return the commands that the definition of an agent lists."""
    path = tree.agents.get(agent) or tree.agent_files.get(agent, "")
    definition = tree.snapshot.document(path, AgentDefinition)
    return tuple(command.name for command in definition.commands) if definition else ()
