"""A memory says something else than the folder that it is in.

## What it does

Reports memories in an agent's folder that say they are shared or another agent's, shared ones that
say they are private, and those whose `storage` is not the folder's name. Of Chati.dev it reports
memories that lie where none are looked for: beside `shared/` and the folders of the agents, or
deeper than `durable/`, `daily/` and `session/`.

## Why it matters

An agent's folder is read by that agent alone, whatever the file says; a private one elsewhere only
by the agent that it names. How long a memory is kept follows from what the file says, not from its
folder. A memory where none are looked for is not injected.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/agents/qa/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
agent: dev
---

# Tests use the staging database
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/agents/qa/durable/mem-2026-11-22-001.md --
---
id: mem-2026-11-22-001
agent: qa
---

# Tests use the staging database
```

## Evidence

ADR-001 B4, agent-scoped isolation; the memory layer of Chati.dev, "an agent reads `shared/` and its
own directory only"."""

from collections.abc import Iterator

from synapse_ls.formats.chati.memory_files import MemoryEntry
from synapse_ls.formats.memory_file import STORAGES, MemoryDocument
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding

_CHATI_DEPTH = 2  # `.chati/memories`


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield a finding for each field of a memory that contradicts the folder it is in."""
    if isinstance(memory := facts.document, MemoryEntry):
        # A finding for a memory of Chati.dev that lies where none are looked for.
        folders = facts.path.split("/")[_CHATI_DEPTH:-1]
        is_found = len(folders) == 1 or (len(folders) == 2 and folders[1] in STORAGES)
        if memory.root is not None and memory.id is not None and not is_found:
            yield Finding(
                memory.id.span,
                "The file lies where no memories are looked for, so no agent gets it.",
                "Move the file to `shared/durable/`, or to the folder of its agent.",
            )
    if not isinstance(memory, MemoryDocument):
        return
    parts = facts.path.split("/")[2:-1]
    owner = parts[1] if parts[0] == "agents" and len(parts) > 1 else ""
    storage = parts[-1] if parts[-1] in STORAGES else ""
    agent = memory.field_value("agent").removeprefix("@")
    scope = memory.field_value("scope").lower()
    if owner and agent and agent.lower() != owner and "%" not in owner:
        yield Finding(
            memory.fields["agent"].span,
            f"The file lies in the folder of @{owner}, so only @{owner} gets it, not @{agent}.",
            f"Write `{owner}`, or move the file to `agents/{agent}/`.",
        )
    if owner and scope == "shared":
        yield Finding(
            memory.fields["scope"].span,
            f"The file lies in the folder of @{owner}, so no other agent gets it.",
            "Move the file to `shared/`, or write `private`.",
        )
    if not owner and scope == "private":
        who = f"only @{agent} gets it" if agent else "no agent gets it"
        yield Finding(
            memory.fields["scope"].span,
            f"The file lies among the shared ones and says that it is private, so {who}.",
            f"Move the file to `agents/{agent or 'ID'}/`, or write `shared`.",
        )
    field_value = memory.field_value("storage").lower()
    if storage and field_value in STORAGES and field_value != storage:
        yield Finding(
            memory.fields["storage"].span,
            f"The file lies in `{storage}/`, but is kept as a {field_value} memory, because it "
            "says so.",
            f"Move the file to `{field_value}/`, or write `{storage}`.",
        )
