"""One mutant for each rule about the files of Brainiac and about sections, in a tree of its own."""

from __future__ import annotations

from collections.abc import Mapping

from tests.lint.mutants.mutant import CONFIG, Mutant

IDENTITY = "system/core_identity.md"
SHORT_TERM = "memory/short_term.md"
SQL = "memory/long_term/skills/sql.md"
INDEX = "memory/long_term/skills/_index.md"
LOG = "logs/access.log"

TREE: Mapping[str, str] = {
    CONFIG: """\
profile = "brainiac"
[brainiac]
budget = 4000
[[section]]
label = "Units"
file = "docs/units.md"
""",
    "docs/units.md": "Heights are in metres.\n",
    IDENTITY: "# Core Identity\n\nI keep the tide tables.\n",
    SHORT_TERM: """\
# Short-Term Memory

## Summary
The tables for May are done.

## Structured Data

### Goals
- [ ] Print them

### Tasks
- [x] Check the springs

## Event Log

### 2026-03-12T09:05:00Z
**User:** "Is it done?"
""",
    INDEX: """\
# Skills

How things are done.

- [SQL](sql.md) — queries
- [Tides](tides.md) — tables

## Related Memories

- 7b0b7f8e-0f5a-4d7b-9a53-0e1a6f4b2c11
""",
    SQL: """\
---
uuid: 7b0b7f8e-0f5a-4d7b-9a53-0e1a6f4b2c11
created_at: 2026-01-01T00:00:00Z
tags: [sql]
reinforcement_count: 2
---
# SQL

Indexes make reads fast. See [the tides](tides.md).
""",
    "memory/long_term/skills/tides.md": """\
---
uuid: 0d7d1c2f-9f0e-4d53-8a0c-6f2f5c0f7d22
tags: [tides]
---
# Tides

High water comes twice a day.
""",
    LOG: "[2026-03-10T08:00:12Z] | READ | skills/sql.md\n",
}

MUTANTS = (
    Mutant("SYN020", IDENTITY, TREE[IDENTITY], " ", " ", tree=TREE),
    Mutant("SYN021", SQL, "# SQL\n", "## User Prompt\n", "## User Prompt", tree=TREE),
    Mutant("SYN022", SQL, "tags: [sql]", "tags [sql]", "tags [sql]", tree=TREE),
    Mutant("SYN023", SQL, "count: 2", "count: two", "two", tree=TREE),
    Mutant("SYN024", SHORT_TERM, "2026-03-12T09:05:00Z", "Thursday", "Thursday", tree=TREE),
    Mutant("SYN025", SHORT_TERM, "### Tasks", "### Taks", "Taks", tree=TREE),
    Mutant(
        "SYN026",
        "memory/long_term/skills/tides.md",
        "0d7d1c2f-9f0e-4d53-8a0c-6f2f5c0f7d22",
        "7b0b7f8e-0f5a-4d7b-9a53-0e1a6f4b2c11",
        "7b0b7f8e-0f5a-4d7b-9a53-0e1a6f4b2c11",
        tree=TREE,
    ),
    Mutant("SYN027", INDEX, "(sql.md)", "(slq.md)", "slq.md", tree=TREE),
    Mutant("SYN028", INDEX, "- [Tides](tides.md) — tables\n", "", "---", tree=TREE),
    Mutant("SYN029", SQL, "(tides.md)", "(../../../../.env)", "../../../../.env", tree=TREE),
    Mutant(
        "SYN030",
        LOG,
        "12Z] | READ | skills/sql.md\n",
        "12Z] | READ | skills/sql.md\nread it again\n",
        "read it again",
        tree=TREE,
    ),
    Mutant("SYN031", CONFIG, "budget = 4000", "budget = 4", "Short-Term Memory", tree=TREE),
    Mutant(
        "SYN032",
        CONFIG,
        'file = "docs/units.md"\n',
        'file = "docs/units.md"\n[[section]]\nlabel = "Ports"\nfile = "docs/ports.md"\n',
        '"docs/ports.md"',
        tree=TREE,
    ),
)
