"""Notes about a person's work are in git, or git would take them.

## What it does

Asks git for files in the folders of sessions, the continuation, measurements and digests that it
tracks, or that none of its ignore files keeps out; one finding for a tree, at the first file. Where
git is not there, or refuses to read the repository, the finding says that nobody knows. Looked at
when a whole tree is read, not while one edits.

## Why it matters

Sessions, the continuation and digests hold words of a person's prompts, which everybody who has the
repository can read. Measurements are written anew with every prompt, so everybody's commits have
them. Synapse LS writes a `.gitignore` into each of these folders; older versions, and other engines, left files without one.

## Example

```bad
-- .git/HEAD --
ref: refs/heads/main
-- .git/objects/info/packs --
-- .git/refs/heads/.keep --
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/digests/2026-01-02.md --
The person asked to mend the login.
```

```good
-- .git/HEAD --
ref: refs/heads/main
-- .git/objects/info/packs --
-- .git/refs/heads/.keep --
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/memory/digests/.gitignore --
*
-- .synapse/memory/digests/2026-01-02.md --
The person asked to mend the login.
```

## Evidence

CWE-538, insertion of sensitive information into an externally accessible file. Engines of `.synapse/`
trees write a `.gitignore` that knows of sessions, and not of digests.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

RULE = ProblemRule(
    code="SYN808",
    name="private-in-git",
    severity=Severity.HINT,
    claims=("private-in-git",),
)
