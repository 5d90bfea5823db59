"""Two files of one folder have the same id.

## What it does

Reports agents, workflows and tasks whose id another file of the same folder has already. Spelling in
kebab-case or snake_case makes no difference. Files of different folders may share an id: clients keep
copies of their agents.

## Why it matters

An id leads to the first of the files. The other one is never found by it.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
---
name: dev
---
-- .claude/agents/developer.md --
---
name: dev
---
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
---
name: dev
---
-- .claude/agents/developer.md --
---
name: developer
---
```

## Evidence

Agents, workflows and tasks of SynkraAI/aios-core are looked up by id or file name, one file for each.
The documentation of Claude Code's sub-agents calls `name` a unique identifier.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.lint.diagnostic import Finding, Related, Severity
from synapse_ls.lint.lookup import first_line, folder_of
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import Key, key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

_FAMILIES = {FileKind.AGENT: "agent", FileKind.WORKFLOW: "workflow", FileKind.TASK: "task"}


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for a file that is not the first of its id in its folder."""
    family = _FAMILIES[facts.kind]
    own = key(family, facts.id)
    folder = folder_of(facts.path)
    for path in tree.snapshot.definers(own):
        if path == facts.path:
            return
        first = tree.snapshot.facts(path)
        if first and first.kind is facts.kind and folder_of(path) == folder:
            name = path.rpartition("/")[2]
            yield Finding(
                _place(facts, own),
                f"{name} has the id `{facts.id}` too and comes first, so this {family} is never "
                "found by it.",
                "Give one of them another id, or delete it.",
                related=(Related(path, _place(first, own), "The first one is here."),),
            )
            return


def _place(facts: FileFacts, own: Key) -> Span:
    """Where the id is written; the first line where the file's name is the id."""
    span = next((definition.span for definition in facts.defined.get(own, ())), Span(0, 0))
    named = "".join(span.cut(facts.text).split())
    return span if named and len(named) <= len(facts.id) + 2 else first_line(facts)


RULE = TreeRule(
    code="SYN204",
    name="duplicate-id",
    severity=Severity.WARNING,
    kinds=frozenset(_FAMILIES),
    check=check,
    reads=dict.fromkeys(_FAMILIES.values(), Reach.FOLDER),
)
