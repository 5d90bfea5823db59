"""A file of instructions imports a file that does not exist.

## What it does

Reports an import (`@docs/style.md`) in `CLAUDE.md`, `AGENTS.md`, `GEMINI.md`, `.cursor/rules` and files like them
that leads to no file. The path counts from the folder of the file, or from the root of the project. A word in
a sentence counts if it ends in `.md`, `.mdc`, `.markdown` or `.txt`, or begins with `./` or `../`; a line of its own
counts always. From four such imports of a file on, they are one finding. Code is not looked at, and neither is what is in a person's own folder (`~/`) or outside of the project. A
line such as `@import docs/style.md` is none: no client reads it as an import.

## Why it matters

A client reads the imported file as if it stood in this one. Where there is none, it says nothing and goes on, and the agent
never sees those rules.

## Example

```bad
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Write small functions
-- docs/style.md --
- Name things after what they are
-- CLAUDE.md --
# Style

@docs/styles.md
```

```good
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Write small functions
-- docs/style.md --
- Name things after what they are
-- CLAUDE.md --
# Style

@docs/style.md
```

## Evidence

The documentation of Claude Code ("CLAUDE.md imports") and Gemini CLI ("Memory Import Processor") has the syntax.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN214",
    name="dead-import",
    severity=Severity.WARNING,
    claims=("dead-import",),
)
