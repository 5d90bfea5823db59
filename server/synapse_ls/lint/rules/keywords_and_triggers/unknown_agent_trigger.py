"""A domain waits for an agent whose name is misspelt.

## What it does

Reports values of `_AGENT_TRIGGER` that misspell, beyond doubt, the id of an agent that a definition
or a squad has; where no agents were found, that of one of the framework's own. A name that is like
no other one is an agent that exists only as this domain, or whose file is elsewhere. Spelling in
kebab-case or snake_case and the prefixes of clients and frameworks make no difference. A list of
ids is always reported: a domain waits for one agent.

## Why it matters

The agent that was meant does not activate the domain: what addresses it leads to another id.

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
description: Builds things.
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
description: Builds things.
---
```

## Evidence

ADR-001 E2: the domain of an agent is found by the agent's id. The reference reader compares the two
as they are written.

## Fix

The id that was probably meant is put in its place. What is injected changes.
"""

from collections.abc import Iterator
from functools import partial

from synapse_ls.lint import tree_lookups
from synapse_ls.lint.domain_triggers import domain_triggers, id_list_finding
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Text
from synapse_ls.workspace.agent_spellings import possible_names
from synapse_ls.workspace.naming_conventions import IdMap, kebab_case


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each trigger of an active domain that misspells the name of an
    agent.
    """
    squad = tree.home_of(facts.path).squad
    squad_agents = squad.agents if squad else ()
    agents = IdMap((agent, None) for agent in (*tree.agents, *tree.agent_files, *squad_agents))
    found_any = bool(tree.agents or squad_agents)
    framework = {agent: agent for agent in tree_lookups.FRAMEWORK_AGENTS}
    for trigger in domain_triggers(facts, "AGENT_TRIGGER"):
        domain, name = trigger.domain, trigger.id.value.removeprefix("@")
        brings_in = partial(tree_lookups.addresses_trigger, tree, name)
        if several := id_list_finding(facts, trigger, "agent", brings_in, "@"):
            yield several
            continue
        if any(spelling in agents for spelling in possible_names(name)):
            continue
        names = {kebab_case(agent): agent for agent in agents} if found_any else framework
        meant_name = names.get(tree_lookups.misspelt_name(kebab_case(name), tuple(names)), "")
        if meant_name and not brings_in(meant_name):
            message = (
                f"No agent is called `{name}`, so {domain} is not activated for @{meant_name}."
            )
            place = Text(name, trigger.id.span)
            yield tree_lookups.unknown_name_finding(
                facts, place, message, (meant_name,), f"Write `{meant_name}`.", meant=meant_name
            )
