"""A rule is long.

## What it does

Reports rules of more than 320 characters, which are 80 tokens: a tenth of the smallest budget of
the `synapse` profile.

## Why it matters

Rules are kept or cut as a whole. A long one pushes several others out, and agents follow short
rules more reliably.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Write tests for what you change, which means that before you touch any of the code you look for the tests that are there, run them, see them pass, write a new one that fails in the way in which the fault shows itself, make it pass with the smallest change that does, run all the others again, and only then tidy up what you have written, in a commit of its own
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Write the failing test first, and tidy up in a commit of its own.
```

## Evidence

SYNAPSE Context Brackets gives FRESH 800 tokens for everything. The rules of public trees have 90
characters on average.
"""

from collections.abc import Iterator

from synapse_ls.engine.context_usage import tokens_of_length
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.tree_domains import rules_in

LONGEST = 320  # code points


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each long rule, at its text."""
    for rule in rules_in(facts.document):
        if len(rule.text) > LONGEST:
            yield Finding(
                rule.text_span,
                f"The rule takes {tokens_of_length(len(rule.text))} tokens, and is kept or cut as "
                "a whole.",
                "Shorten the rule, or split it.",
            )
