"""A file of the tree cannot be read at all.

## What it does

Reports a file or folder that is not read: a named pipe or a folder where a file should be, a dead
or circular link, no permission, a binary file, more than 2 MB, a name that is not Unicode, or a
file that a prompt's deadline left out; and the rest of a manifest with more than 20,000 settings.

## Why it matters

Every rule in it is missing from the block, and an agent cannot miss what it has never seen.

## Example

```bad
-- .synapse/manifest --
DEPLOY_STATE=active
DEPLOY_RECALL=deploy
-- .synapse/deploy --
DEPLOY_RULE_0=Tag the release first.
-- .synapse/global -> ../shared/global --
```

```good
-- .synapse/manifest --
DEPLOY_STATE=active
DEPLOY_RECALL=deploy
-- .synapse/deploy --
DEPLOY_RULE_0=Tag the release first.
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
```

## Evidence

The reference reader (`domain-loader.js`, SynkraAI/aios-core) turns a missing, unreadable or
misplaced file into an empty one without a message.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN101",
    name="unreadable-file",
    severity=Severity.ERROR,
    claims=(
        "unreadable",
        "not-a-file",
        "broken-link",
        "link-loop",
        "too-large",
        "too-many-settings",
        "binary",
        "bad-name",
        "late",
    ),
    remedy="Put a readable text file in its place, or delete it.",
)
