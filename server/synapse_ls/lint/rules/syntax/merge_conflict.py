"""A merge conflict was left in the file.

## What it does

Reports, once for each file, the lines that git writes where it could not merge: seven `<` or `>`
with a name behind them at the beginning of a line. Nothing else is said of the file until they are
gone, because nothing else in it is sure, and nothing in it is mended.

## Why it matters

Both sides are read as if they were meant, the last one wins, and in plain text the markers are
rules.

## Example

```bad
-- .synapse/global --
<<<<<<< HEAD
GLOBAL_RULE_0=Answer in English.
=======
GLOBAL_RULE_0=Answer in French.
>>>>>>> french
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
```

## Evidence

The git manual ("How conflicts are presented" of `git merge`) gives the markers.
"""

import re
from collections.abc import Iterator

from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_BEGIN, _END = "<<<<<<<", ">>>>>>>"
_MARKER = lazy_pattern(rf"^(?:{_BEGIN}|{_END}) [^\s<>][^\r\n]*", re.MULTILINE)


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for the merge conflicts of a whole file, at the first marker."""
    if _BEGIN not in facts.text and _END not in facts.text:
        return
    if match := _MARKER.search(facts.text):
        yield Finding(
            Span(*match.span()),
            "A merge conflict was left here, so both of its sides are read, and perhaps the "
            "markers too.",
            "Keep the version that you want, and delete the lines that begin with `<<<<<<<`, "
            "`=======` and `>>>>>>>`.",
        )
