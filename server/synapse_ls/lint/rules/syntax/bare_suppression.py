"""A comment suppresses every rule, because it names none.

## What it does

Reports `synapse: ignore` comments, also `ignore-next-line` and `ignore-file`, that name no rule in
brackets. Off by default.

## Why it matters

The comment was written for one finding. It holds back the next one on its line as well, which may
be of quite another kind, and nobody knows afterwards which one was meant.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=enabled # synapse: ignore
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=enabled # synapse: ignore[bad-state]
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

The same rule proved itself in other linters: PGH004 (blanket-noqa) of Ruff, `no-unlimited-disable`
of the ESLint plugin eslint-comments.
"""

from collections.abc import Iterator

from synapse_ls.formats.suppression_comments import SCOPES
from synapse_ls.lint.comment_syntax import file_directives
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each comment that suppresses without naming rules. It cannot suppress
    this one.
    """
    for directive in file_directives(facts):
        if directive.selector_span is None and directive.word.value in SCOPES:
            yield Finding(
                directive.span,
                "The comment names no rule, so it suppresses whatever is found here, now and "
                "later.",
                "Name the rules in brackets.",
            )
