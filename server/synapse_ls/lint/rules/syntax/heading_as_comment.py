"""A Markdown heading in a file of keys is a comment.

## What it does

Reports, once for each file, the first heading of level two or lower (`## Naming`) in a rule file
whose rules have keys. Files that use `#` for comments of other kinds are left alone, and so are
headings drawn as boxes.

## Why it matters

In plain text a heading groups the rules below it, and `global` or an agent's section shows it.
Where rules have keys, every line that begins with `#` is dropped, and agents see one list.

## Example

```bad
-- .synapse/global --
### Language
GLOBAL_RULE_0=Answer in English.
### Branches
GLOBAL_RULE_1=Never commit to main.
```

```good
-- .synapse/global --
# Language
GLOBAL_RULE_0=Answer in English.
# Branches
GLOBAL_RULE_1=Never commit to main.
```

## Evidence

The SYNAPSE reference drops lines that begin with `#`; public trees have Markdown headings in their
rule files.
"""

import re
from collections.abc import Iterator

from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace.tree_domains import rules_in

_HEADING = lazy_pattern(r"^ {0,3}(#{2,6}[ \t]+[^\s#=*~_-][^\r\n]*)", re.MULTILINE)
_COMMENT = lazy_pattern(r"^[ \t]*#(?!#)", re.MULTILINE)
_KEY = lazy_pattern(r"#+[ \t]*[A-Z][A-Z0-9_]*[ \t]*=")


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for all headings of a file that are comments, at the first."""
    if "##" not in facts.text:
        return
    rules = rules_in(facts.document)
    # Whoever comments with a single `#` knows what it does; one may be the file's title.
    if not any(rule.key for rule in rules) or len(_COMMENT.findall(facts.text)) > 1:
        return
    matches = [match for match in _HEADING.finditer(facts.text) if _is_heading(match[1])]
    if not matches or matches[0].start() > rules[-1].span.start:
        return
    more = f" and {len(matches) - 1} more" if len(matches) > 1 else ""
    yield Finding(
        Span(matches[0].start(1), matches[0].start(1) + len(matches[0][1].rstrip())),
        f"This heading{more} is dropped as a comment, because the rules of this file have keys.",
        "Begin comments with a single `#`, or write the file as plain text.",
    )


def _is_heading(line: str) -> bool:
    """Return whether a line is a heading, and not a box drawn with ``#`` or a rule that is switched
    off.
    """
    return not line.rstrip().endswith("##") and not _KEY.match(line)
