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

from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.lint.diagnostic import Finding, Related, Severity
from synapse_ls.lint.lint_rule import Reach, TreeRule
from synapse_ls.lint.tree_lookups import weak_cache
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import kebab_case
from synapse_ls.workspace.rule_tree import Tree

MAX_AGENTS_NAMED = 3


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yields one finding for each star-command that an agent has too, at its definition."""
    document = facts.document
    if not isinstance(document, StarCommands):
        return
    owned = _agent_commands(tree)
    for command in document.commands:
        owners = owned.get(kebab_case(command.name), {})
        if owners:
            named = ", ".join(f"@{agent}" for agent in list(owners)[:MAX_AGENTS_NAMED])
            more = (
                f" and {len(owners) - MAX_AGENTS_NAMED} more"
                if len(owners) > MAX_AGENTS_NAMED
                else ""
            )
            yield Finding(
                command.span,
                f"`*{command.name}` is also a command of {named}{more}, so its prompts bring these rules "
                "in, too.",
                "Give the star-command another name.",
                related=tuple(owners.values())[:MAX_AGENTS_NAMED],
            )


@weak_cache
def _agent_commands(tree: Tree) -> Mapping[str, Mapping[str, Related]]:
    """Returns command -> agents that have it -> the place where each defines it."""
    found: dict[str, dict[str, Related]] = {}
    for agent, path in tree.agents.items():
        facts = tree.snapshot.facts(path)
        if facts is None or not isinstance(facts.document, AgentDefinition):
            continue
        for command in facts.document.commands:
            place = Related(path, command.span, f"@{agent} has it here.")
            found.setdefault(kebab_case(command.name), {}).setdefault(agent, place)
    return found


RULE = TreeRule(
    code="SYN505",
    name="command-collision",
    severity=Severity.INFO,
    kinds=frozenset({FileKind.COMMANDS}),
    check=check,
    reads={"agent": Reach.EVERYWHERE, "agent-command": Reach.EVERYWHERE},
)
