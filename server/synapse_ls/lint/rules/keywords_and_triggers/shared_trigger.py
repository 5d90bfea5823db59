"""Two domains of a manifest wait for the same agent or workflow.

## What it does

Reports a trigger that an earlier active domain of the same manifest has already.

## Why it matters

Here both domains are injected. The reference reader stops at the first one, so there the second
domain is dead; and an agent with two rule files is often an oversight after copying a line.

## Example

```bad
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
AGENT_QA_STATE=active
AGENT_QA_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_RULE_0=Write the failing test first.
-- .synapse/agent-qa --
AGENT_QA_RULE_0=Report what you could not test.
```

```good
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
AGENT_QA_STATE=active
AGENT_QA_AGENT_TRIGGER=qa
-- .synapse/agent-dev --
AGENT_DEV_RULE_0=Write the failing test first.
-- .synapse/agent-qa --
AGENT_QA_RULE_0=Report what you could not test.
```

## Evidence

The agent and workflow layers of the reference (SynkraAI/aios-core) take the first domain whose
trigger is the active id.
"""

from collections.abc import Iterator

from synapse_ls.lint.domain_triggers import Trigger, domain_triggers
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding, Related
from synapse_ls.workspace.naming_conventions import kebab_case

_TRIGGER_NOUNS = {"AGENT_TRIGGER": "agent", "WORKFLOW_TRIGGER": "workflow"}


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each trigger whose agent or workflow an earlier domain waits for."""
    for setting, what in _TRIGGER_NOUNS.items():
        first: dict[str, Trigger] = {}
        for trigger in domain_triggers(facts, setting):
            if (earlier := first.setdefault(kebab_case(trigger.id.value), trigger)) is not trigger:
                both = f"both {earlier.domain} and {trigger.domain}"
                first_one = f"{earlier.domain} is the first."
                yield Finding(
                    trigger.id.span,
                    f"The {what} `{trigger.id.value}` activates {both}, "
                    "but other programs stop at the first.",
                    "Give each domain its own trigger, or join the two.",
                    related=(Related(facts.path, earlier.id.span, first_one),),
                )
