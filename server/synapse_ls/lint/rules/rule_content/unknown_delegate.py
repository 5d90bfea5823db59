"""An authority boundary sends the agent to an agent that does not exist.

## What it does

Reports `@names` in the note of an authority boundary ("— delegate to @devops") that nearly are an
agent of the tree, the trigger of a domain or an agent of the AIOX framework. Other names may be
defined elsewhere.

## Why it matters

The agent is to hand the work to somebody who never comes, and a denial of the guard says the
same.

## Example

```bad
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_AUTH_0=NEVER execute git push — delegate to @devopps
```

```good
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_AUTH_0=NEVER execute git push — delegate to @devops
```

## Evidence

Boundaries of SynkraAI/aios-core name the agent to delegate to by `@id` (ADR-001 E6).

## Fix

The id that was probably meant is put in its place. What is injected changes.
"""

from collections.abc import Iterator, Set

from synapse_ls.formats.authority_boundary import NOTE
from synapse_ls.lint import tree_lookups
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace.rule_tree import collect_spellings
from synapse_ls.workspace.tree_domains import rules_in

_MENTION = lazy_pattern(r"(?<![\w@/.])@([a-z][a-z0-9-]*)")


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each agent in the note of a boundary that does not exist."""
    for rule in rules_in(facts.document):
        start, end = rule.text_span
        note = NOTE.search(facts.text, start, end) if rule.kind in ("auth", "deny") else None
        for mention in _MENTION.finditer(facts.text, note.end(), end) if note else ():
            name, agents = mention[1], _known_agents(tree)
            if name in agents or not (meant := nearest_word(name, tuple(agents))):
                continue
            place = Text(name, Span(*mention.span(1)))
            message = f"No agent is called `{name}`, so the work is handed to nobody."
            yield tree_lookups.unknown_name_finding(facts, place, message, (), "", meant=meant)


@weak_cache
def _known_agents(tree: Tree) -> Set[str]:
    """Return the agents of the tree by every name, those that domains wait for, and those of the
    framework.
    """
    triggers = (d.declaration.agent_trigger for d in tree.domains if d.declaration)
    own = (*tree_lookups.known_agent_ids(tree), *collect_spellings(tree), *filter(None, triggers))
    return {*own, *tree_lookups.FRAMEWORK_AGENTS, *tree_lookups.NOT_AGENTS}
