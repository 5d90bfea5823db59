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

from synapse_ls.lint.agents_and_workflows import FRAMEWORK_AGENTS
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.domain_activation import domain_triggers, id_list_finding
from synapse_ls.lint.lint_rule import Reach, TreeRule
from synapse_ls.lint.unknown_names import misspelt_name, unknown_name_finding
from synapse_ls.text.parse_result import Text
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.index_keys import make_key
from synapse_ls.workspace.naming_conventions import is_same_id, kebab_case
from synapse_ls.workspace.rule_tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yields one finding for each trigger of an active domain that names no agent."""
    squad = tree.home_of(facts.path).squad
    own = squad.agents if squad else ()
    found_any = bool(tree.agents or own)
    for trigger in domain_triggers(facts, "AGENT_TRIGGER"):
        domain, name = trigger.domain, trigger.id.value.removeprefix("@")
        several = id_list_finding(trigger, "agent")
        if several:
            yield several
            continue
        known = tree.snapshot.defining_paths(make_key("agent", name)) or any(
            is_same_id(name, a) for a in own
        )
        meant = "" if found_any else misspelt_name(kebab_case(name), FRAMEWORK_AGENTS)
        if meant or (found_any and not known):
            message = f"No agent is called `{name}`, so none ever brings {domain} in."
            names = (*tree.agents, *own) if found_any else (meant,)
            place = Text(name, trigger.id.span)
            yield unknown_name_finding(facts, place, message, names, "Write the id of an agent.")


RULE = TreeRule(
    code="SYN303",
    name="unknown-agent-trigger",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"agent": Reach.EVERYWHERE, "squad": Reach.FOLDER},
)
