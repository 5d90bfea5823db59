"""A story is reviewed by the agent that carries it out.

## What it does

Reports a story's quality gate that is its executor as well.

## Why it matters

Nobody else looks at the work: the gate is open.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- docs/stories/1.1.story.md --
# Story 1.1: Login

**Status:** Draft
**Executor:** @dev
**Quality Gate:** @dev
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- docs/stories/1.1.story.md --
# Story 1.1: Login

**Status:** Draft
**Executor:** @dev
**Quality Gate:** @architect
```

## Evidence

The executor assignment of the story template of SynkraAI/aios-core: the quality gate must differ
from the executor."""

from collections.abc import Iterator

from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding, Related


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a story that its executor reviews itself, as its quality gate."""
    if not isinstance(story := facts.document, StoryDocument) or len(story.agent_mentions) < 2:
        return
    executor, gate = story.agent_mentions
    if executor.value == gate.value:
        yield Finding(
            gate.span,
            f"`@{gate.value}` is also the Executor of this story, so nobody else reviews it.",
            "Write another agent as Quality Gate.",
            related=(Related(facts.path, executor.span, "The executor."),),
        )
