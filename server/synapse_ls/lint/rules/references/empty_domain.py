"""A domain's file holds no rule.

## What it does

Reports files of active domains that are empty, or hold comments and headings only. What is wrong
with a line that was meant as a rule is said there.

## Why it matters

The domain takes part in the block and adds nothing to it.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_ALWAYS_ON=true
-- .synapse/testing --
# Rules for tests
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_ALWAYS_ON=true
-- .synapse/testing --
# Rules for tests
TESTING_RULE_0=One behaviour per test.
```

## Evidence

The reference reader (`domain-loader.js`, SynkraAI/aios-core) returns an empty list, without a
message, and its layers then leave the domain out."""

from collections.abc import Iterator

from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span, parent_folder
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.tree_domains import rules_in


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a file without a rule that serves an active domain."""
    if facts.problems or not facts.is_read or rules_in(facts.document):
        return
    served = tree.domains_of_file(facts.path)
    if waiting := [domain.name for domain in served if domain.declaration and domain.is_active]:
        is_empty = not facts.text.strip("\ufeff \t\r\n")
        names = " and ".join(waiting)
        yield Finding(
            first_line_span(facts),
            f"This file is empty, so nothing of {names} is injected."
            if is_empty
            else f"This file holds no rule, so nothing of {names} is injected.",
            f"Write a rule such as `{waiting[0]}_RULE_0=Answer in English.`, or delete the lines "
            f"of {names} in `{parent_folder(facts.path)}/manifest`.",
        )
