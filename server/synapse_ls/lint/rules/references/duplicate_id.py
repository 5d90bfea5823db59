"""Two files of one folder have the same id.

## What it does

Reports agents, workflows and tasks whose id another file of the same folder has already. Spelling
in kebab-case or snake_case makes no difference. Files of different folders may share an id: clients
keep copies of their agents.

## Why it matters

An id leads to the file that has its name, else to the first of the files. The other one is never
found by it.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
---
name: dev
description: Builds things.
---
-- .claude/agents/developer.md --
---
name: dev
description: Builds things.
---
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
---
name: dev
description: Builds things.
---
-- .claude/agents/developer.md --
---
name: developer
description: Builds things.
---
```

## Evidence

Agents, workflows and tasks of SynkraAI/aios-core are looked up by id or file name, one file for
each. The documentation of Claude Code's sub-agents calls `name` a unique identifier."""

from collections.abc import Iterator

from synapse_ls.lint.lint_rule import FileFacts, FileKind, Tree
from synapse_ls.lint.tree_lookups import first_line_span, parent_folder
from synapse_ls.text.finding import Finding, Related
from synapse_ls.text.span import Span
from synapse_ls.workspace.fact_extraction import Key, make_key
from synapse_ls.workspace.naming_conventions import file_stem, is_same_id

_FAMILY_OF_KIND = {FileKind.AGENT: "agent", FileKind.WORKFLOW: "workflow", FileKind.TASK: "task"}


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a file whose id leads to another file of its folder."""
    family = _FAMILY_OF_KIND[facts.kind]
    id_key = make_key(family, facts.id)
    twins = [
        twin
        for twin in map(tree.snapshot.facts, tree.snapshot.defining_paths(id_key))
        if twin
        and twin.kind is facts.kind
        and parent_folder(twin.path) == parent_folder(facts.path)
    ]
    first = min(
        twins, key=lambda twin: not is_same_id(file_stem(twin.path), twin.id), default=facts
    )
    if first.path != facts.path:
        name = first.path.rpartition("/")[2]
        yield Finding(
            _id_span(facts, id_key),
            f"{name} has the id `{facts.id}` too and comes first, so this {family} is never "
            "found by it.",
            "Give one of them another id, or delete it.",
            related=(Related(first.path, _id_span(first, id_key), "The first one is here."),),
        )


def _id_span(facts: FileFacts, own: Key) -> Span:
    """Return the span of the written id, of the first line where the file name is the id."""
    span = next(
        (definition.span for definition in facts.definitions_by_key.get(own, ())), Span(0, 0)
    )
    named = "".join(span.cut(facts.text).split())
    return span if named and len(named) <= len(facts.id) + 2 else first_line_span(facts)
