"""An agent's file does not say which agent it is.

## What it does

Reports agent files of squads and of Claude Code that give no id: neither `agent.id` in a YAML block nor
`name` in front matter. YAML that cannot be read is reported as such. Elsewhere a file's name is as good
as an id.

## Why it matters

The agent goes by its file's name here. Claude Code does not offer a sub-agent without a name at all,
and the framework's own validator rejects the file.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
# Developer

Builds things.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
---
name: dev
description: Builds things.
---

# Developer
```

## Evidence

`AGENT_INVALID_FORMAT` of the squad validator of SynkraAI/aios-core. The documentation of Claude Code's
sub-agents requires `name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lint_rule import Reach, TreeRule
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.rule_tree import Tree

_CLAUDE_FOLDER = ".claude/"
_OTHER_VALUES = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
_PLAIN = re.compile(r"[^\W\d_][\w.-]*")


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yields one finding for an agent file without an id, in folders where agents need one."""
    agent = facts.document
    if not isinstance(agent, AgentDefinition) or agent.id or facts.problems:
        return
    if facts.path.startswith(_CLAUDE_FOLDER) or tree.home_of(facts.path).squad:
        yield Finding(
            first_line_span(facts),
            f"The file names no agent, so it is only known as `{facts.id}`, by its own name.",
            f"Begin it with front matter that says `name: {_yaml_scalar(facts.id.lstrip('@'))}`.",
        )


def _yaml_scalar(name: str) -> str:
    """Returns a name as YAML reads it back: quoted where bare it would be something else."""
    bare = _PLAIN.fullmatch(name) and name.lower() not in _OTHER_VALUES
    return name if bare else "'" + name.replace("'", "''") + "'"


RULE = TreeRule(
    code="SYN709",
    name="invalid-agent",
    severity=Severity.INFO,
    kinds=frozenset({FileKind.AGENT}),
    check=check,
    reads={"squad": Reach.FOLDER},
)
