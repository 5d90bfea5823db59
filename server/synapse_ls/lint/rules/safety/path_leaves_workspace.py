"""A link or a configured path leads out of the workspace.

## What it does

Reports links out of the root, links of a squad out of the squad's folder, and paths of the
configuration and patterns in `_PATHS` that are not below the root. The folder of rules and a
squad's folder may be links inside the root, or to a place that the user has named to `synapse trust`.
Reports, too, a `carl.json` above a tree of CARL v2 that is not the user's own, or that everybody may change.

## Why it matters

What it leads to is not read: a tree steers an agent, and must not pull in files that are not under
review with it.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
[paths]
stories = ["../elsewhere/stories"]
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
[paths]
stories = ["docs/stories"]
```

## Evidence

CWE-59, link following; CWE-22, path traversal.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN802",
    name="path-leaves-workspace",
    severity=Severity.WARNING,
    claims=("outside", "outside-folder", "path-leaves-root"),
    remedy="Move the files into the workspace.",
)
