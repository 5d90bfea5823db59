"""A star-command of the tree is also a command of an agent.

## What it does

Reports star-commands whose name an agent's definition lists among its own commands. Those that most
agents have, such as `*help` and `*exit`, are passed over: rules for them are meant for whoever is
asked. So are those whose rules name the very thing, as `*record-trap` does with "Record a trap":
they say how the command is to be done, whoever has it.

## Why it matters

Both answer to the same word. A prompt for the agent's command also injects the tree's rules,
which were meant for another occasion and can contradict what the agent is to do.

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

The `commands` file that AIOX ships has `*review`, `*explain` and `*plan`; so have its agents qa,
dev and aiox-master."""

import re
from collections.abc import Iterator, Mapping

from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.commands_file import StarCommand, StarCommands
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.text.finding import Finding, Related
from synapse_ls.workspace.naming_conventions import kebab_case

MAX_AGENTS_NAMED = 3
MAX_COMMANDS_NAMED = 5
# Agents from which on a command that most of them have is everybody's.
FEWEST_FOR_EVERYBODY = 3


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for all star-commands of a file that agents have too, at the first."""
    if not isinstance(document := facts.document, StarCommands):
        return
    collisions: list[tuple[StarCommand, Mapping[str, Related]]] = []
    for command in document.commands:
        owners = _agent_commands(tree).get(kebab_case(command.name), {})
        # Rules that have all words of the command's name say how it is done; a command that most
        # agents have, as `*help` and `*exit`, is meant for whoever is asked.
        words = re.findall(r"\w+", " ".join(rule.text for rule in command.rules).lower())
        tells_itself = set(words).issuperset(kebab_case(command.name).split("-"))
        is_everybodys = len(owners) >= FEWEST_FOR_EVERYBODY and 2 * len(owners) > len(tree.agents)
        if owners and not tells_itself and not is_everybodys:
            collisions.append((command, owners))
    if not collisions:
        return
    named = []
    for command, owners in collisions:
        agents = ", ".join(f"@{agent}" for agent in list(owners)[:MAX_AGENTS_NAMED])
        if len(owners) > MAX_AGENTS_NAMED:
            agents = f"{agents} and {len(owners) - MAX_AGENTS_NAMED} more"
        named.append(f"`*{command.name}` ({agents})")
    listed, more = ", ".join(named[:MAX_COMMANDS_NAMED]), len(named[MAX_COMMANDS_NAMED:])
    message = (
        f"{listed} are also commands of agents, so with Synapse LS prompts for these inject the "
        "rules, too."
    )
    remedy = "If the rules are not about the agent's command, give the star-commands other names."
    if not collisions[1:]:
        message = (
            f"{listed} is also a command of an agent, so with Synapse LS a prompt for the agent "
            "injects these rules, too."
        )
        remedy = (
            "If the rules are not about the agent's command, give the star-command another name."
        )
    elif more:
        message = (
            f"{listed} and {more} more are also commands of agents, so with Synapse LS prompts "
            "for these inject the rules, too."
        )
    yield Finding(
        collisions[0][0].span,
        message,
        remedy,
        related=tuple(
            place for _, owners in collisions for place in tuple(owners.values())[:MAX_AGENTS_NAMED]
        ),
    )


@weak_cache
def _agent_commands(tree: Tree) -> Mapping[str, Mapping[str, Related]]:
    """Return command -> agents that have it -> the place where each defines it."""
    commands: dict[str, dict[str, Related]] = {}
    for agent, path in tree.agents.items():
        definition = tree.snapshot.document(path, AgentDefinition)
        for command in definition.commands if definition else ():
            place = Related(path, command.span, f"@{agent} has it here.")
            commands.setdefault(kebab_case(command.name), {}).setdefault(agent, place)
    return commands
