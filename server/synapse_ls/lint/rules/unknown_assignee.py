"""A story is given to an agent that does not exist.

## What it does

Reports `@names` of a story's executor and quality gate that no agent definition and no squad has as an
id, where agents were found at all. A name without `@` may be a person's and is passed over.

## Why it matters

The task's context tells an agent to expect somebody who never comes.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
---
name: dev
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

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.problem import Text
from synapse_ls.formats.story import StoryDocument
from synapse_ls.lint.agents import is_unknown, known_agents
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.unknown import unknown
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each assigned agent that is not there."""
    named = facts.document.named if isinstance(facts.document, StoryDocument) else ()
    for agent, span in ((text.value, text.span) for text in named):
        written = span.cut(facts.text).strip("`\"'* ")
        if written.startswith("@") and is_unknown(tree, agent):
            name = written[1 : 1 + len(agent)]
            message = f"No agent is called `{name}`, so the story waits for nobody."
            place = Text(name, span)
            yield unknown(facts, place, message, known_agents(tree), "Write the id of an agent.")


RULE = TreeRule(
    code="SYN713",
    name="unknown-assignee",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.STORY}),
    check=check,
    reads={"agent": Reach.EVERYWHERE, "squad": Reach.EVERYWHERE},
)
