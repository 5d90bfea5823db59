"""A domain waits for an agent that does not exist.

## What it does

Reports values of `_AGENT_TRIGGER` that no agent definition and no squad has as an id, where agents
were found at all. Spelling in kebab-case or snake_case makes no difference.

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

from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.triggers import triggers_of
from synapse_ls.lint.unknown import unknown
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import same_id
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each trigger of an active domain that names no agent."""
    squad = tree.home_of(facts.path).squad
    own = squad.agents if squad else ()
    if not tree.agents and not own:
        return
    for domain, trigger in triggers_of(facts, "AGENT_TRIGGER"):
        name = trigger.value
        known = tree.snapshot.definers(key("agent", name)) or any(same_id(name, a) for a in own)
        if not known:
            message = f"No agent is called `{name}`, so none ever brings {domain} in."
            names = (*tree.agents, *own)
            yield unknown(facts, trigger, message, names, "Write the id of an agent.")


RULE = TreeRule(
    code="SYN303",
    name="unknown-agent-trigger",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"agent": Reach.EVERYWHERE, "squad": Reach.FOLDER},
)
