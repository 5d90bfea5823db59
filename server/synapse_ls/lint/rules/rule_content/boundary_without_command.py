"""A boundary forbids in words what the guard can only see as a command.

## What it does

Reports authority boundaries that block something or leave it to one agent, none of whose actions
begins with the name of a command-line program.

## Why it matters

The agent gets the boundary, but where the guard is on, nothing keeps it: "MCP management" is
no command.

## Example

```bad
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_AUTH_0=BLOCKED: MCP management — delegate to @devops
```

```good
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_AUTH_0=BLOCKED: claude mcp add — delegate to @devops
```

## Evidence

Of the boundaries that AIOX ships, most are sentences ("Code implementation", "MCP management"); its
one hook looked for `git push` with a regular expression."""

from collections.abc import Iterator

from synapse_ls.formats import authority_boundary
from synapse_ls.guard.boundary_patterns import parse_sentence
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.tree_domains import rules_in

STORIES = ("stories",)  # wherever they are


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each forbidding boundary that names no command, at its text."""
    stories = authority_boundary.guarded_stories(facts.text, rules_in(facts.document), STORIES)
    for rule in rules_in(facts.document):
        if rule.kind != "auth":
            continue
        forbidden = [
            a
            for a in authority_boundary.boundary_actions(facts.text, rule)
            if a.effect in (authority_boundary.BLOCKED, authority_boundary.EXCLUSIVE)
        ]
        if forbidden and not any(parse_sentence(a.action.value, stories) for a in forbidden):
            yield Finding(
                rule.text_span,
                "The agent gets this boundary, but the guard cannot see when it is crossed.",
                "Name the command, or add a rule with DENY in its key that does.",
            )
