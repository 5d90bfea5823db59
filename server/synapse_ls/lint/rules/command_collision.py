"""A star-command of the tree is also a command of an agent.

## What it does

Reports star-commands whose name an agent's definition lists among its own commands.

## Why it matters

Both answer to the same word. A prompt for the agent's command also brings in the tree's rules, which
were meant for another occasion and can contradict what the agent is to do.

## Example

```bad
-- .synapse/commands --
# [*review] COMMAND:
COMMANDS_RULE_REVIEW_0=Say what you would change, and change nothing.
-- .claude/agents/qa.md --
# qa

~~~yaml
agent:
  id: qa
commands:
  - review: Review a story
~~~
```

```good
-- .synapse/commands --
# [*second-opinion] COMMAND:
COMMANDS_RULE_SECOND_OPINION_0=Say what you would change, and change nothing.
-- .claude/agents/qa.md --
# qa

~~~yaml
agent:
  id: qa
commands:
  - review: Review a story
~~~
```

## Evidence

The `commands` file that AIOX ships has `*review`, `*explain` and `*plan`; so have its agents qa, dev and
aiox-master.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.formats.agent import AgentDefinition
from synapse_ls.formats.commands import Commands
from synapse_ls.lint.diagnostic import Finding, Related, Severity
from synapse_ls.lint.lookup import once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import kebab
from synapse_ls.workspace.tree import Tree

AGENTS_NAMED = 3


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each star-command, where it is defined."""
    document = facts.document
    if not isinstance(document, Commands):
        return
    owned = _owned(tree)
    for command in document.commands:
        owners = owned.get(kebab(command.name), {})
        if owners:
            named = ", ".join(f"@{agent}" for agent in list(owners)[:AGENTS_NAMED])
            more = f" and {len(owners) - AGENTS_NAMED} more" if len(owners) > AGENTS_NAMED else ""
            yield Finding(
                command.span,
                f"`*{command.name}` is also a command of {named}{more}, so its prompts bring these rules "
                "in, too.",
                "Give the star-command another name.",
                related=tuple(owners.values())[:AGENTS_NAMED],
            )


@once
def _owned(tree: Tree) -> Mapping[str, Mapping[str, Related]]:
    """Command -> the agents that have it, each with the place where it says so."""
    found: dict[str, dict[str, Related]] = {}
    for agent, path in tree.agents.items():
        facts = tree.snapshot.facts(path)
        if facts is None or not isinstance(facts.document, AgentDefinition):
            continue
        for command in facts.document.commands:
            place = Related(path, command.span, f"@{agent} has it here.")
            found.setdefault(kebab(command.name), {}).setdefault(agent, place)
    return found


RULE = TreeRule(
    code="SYN505",
    name="command-collision",
    severity=Severity.INFO,
    kinds=frozenset({FileKind.COMMANDS}),
    check=check,
    reads={"agent": Reach.EVERYWHERE, "agent-command": Reach.EVERYWHERE},
)
