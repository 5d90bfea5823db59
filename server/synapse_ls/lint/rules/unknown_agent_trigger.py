"""A domain waits for an agent that does not exist.

## What it does

Reports values of `_AGENT_TRIGGER` that no agent definition and no squad has as an id, where agents
were found at all; where none were, misspelt ids of the framework's own agents. Spelling in kebab-case
or snake_case makes no difference. A list of ids is always reported: a domain waits for one agent.

## Why it matters

Activating an agent never brings the domain in. Only a prompt that names the trigger word for word
does.

## Example

```bad
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dve
-- .synapse/agent-dev --
AGENT_DEV_RULE_0=Write the failing test first.
-- .claude/agents/dev.md --
---
name: dev
---
```

```good
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_RULE_0=Write the failing test first.
-- .claude/agents/dev.md --
---
name: dev
---
```

## Evidence

ADR-001 E2: the domain of an agent is found by the agent's id. The reference reader compares the two
as they are written.

## Fix

The id that was probably meant is put in its place. What is injected changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.problem import Text
from synapse_ls.lint.agents import FRAMEWORK
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.triggers import listed, triggers_of
from synapse_ls.lint.unknown import misspelt, unknown
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import kebab, same_id
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each trigger of an active domain that names no agent."""
    squad = tree.home_of(facts.path).squad
    own = squad.agents if squad else ()
    found_any = bool(tree.agents or own)
    for trigger in triggers_of(facts, "AGENT_TRIGGER"):
        domain, name = trigger.domain, trigger.id.value.removeprefix("@")
        several = listed(trigger, "agent")
        if several:
            yield several
            continue
        known = tree.snapshot.definers(key("agent", name)) or any(same_id(name, a) for a in own)
        meant = "" if found_any else misspelt(kebab(name), FRAMEWORK)
        if meant or (found_any and not known):
            message = f"No agent is called `{name}`, so none ever brings {domain} in."
            names = (*tree.agents, *own) if found_any else (meant,)
            place = Text(name, trigger.id.span)
            yield unknown(facts, place, message, names, "Write the id of an agent.")


RULE = TreeRule(
    code="SYN303",
    name="unknown-agent-trigger",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"agent": Reach.EVERYWHERE, "squad": Reach.FOLDER},
)
