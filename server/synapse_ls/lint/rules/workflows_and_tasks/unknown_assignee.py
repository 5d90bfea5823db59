"""A story is given to an agent that does not exist.

## What it does

Reports `@names` of a story's executor and quality gate that no agent definition and no squad has as
an id, where agents were found at all. A name without `@` may be a person's and is passed over.

## Why it matters

The task's context has an agent expect somebody who never comes.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
---
name: dev
description: Builds things.
---
-- docs/stories/1.1.story.md --
# Story 1.1: Login

**Status:** Draft
**Executor:** @dve
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
---
name: dev
description: Builds things.
---
-- docs/stories/1.1.story.md --
# Story 1.1: Login

**Status:** Draft
**Executor:** @dev
```

## Evidence

The executor assignment of the story template of SynkraAI/aios-core names agents by `@id`.

## Fix

The id that was probably meant is put in its place. What is injected changes.
"""

from collections.abc import Iterator

from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import is_unknown_agent, known_agent_ids, unknown_name_finding
from synapse_ls.text.finding import Finding, Text


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each assignee of a story that does not exist."""
    named = facts.document.agent_mentions if isinstance(facts.document, StoryDocument) else ()
    for agent, span in ((text.value, text.span) for text in named):
        written = span.cut(facts.text).strip("`\"'* ")
        if written.startswith("@") and is_unknown_agent(tree, agent):
            name = written[1 : 1 + len(agent)]
            message = f"No agent is called `{name}`, so no agent is assigned here."
            yield unknown_name_finding(
                facts, Text(name, span), message, known_agent_ids(tree), "Write the id of an agent."
            )
